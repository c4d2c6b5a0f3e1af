// What a command is, and the two streams it writes to. Tests hand in streams of their own.
import type { Compiled } from '../shared/engine/compile/compile.ts';

export interface Streams {
  /** Where a terminal is: writes without ending the line. */
  readonly draw?: (text: string) => void;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

export interface Flag {
  /** `list`: may be given several times. */
  readonly type: 'boolean' | 'string' | 'list';
  readonly description: string;
  /** What stands for the value in the help; N if not said. */
  readonly value?: string;
}

export interface Call {
  readonly files: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly streams: Streams;
  readonly read: (file: string) => Compiled;
}

export interface Command {
  readonly usage: string;
  readonly summary: string;
  readonly details: string;
  readonly files: 'none' | 'one' | 'two' | 'many';
  /** What stands on the command line where it is not files: "instance id", or "instance id and an action". */
  readonly noun?: string;
  readonly flags: Readonly<Record<string, Flag>>;
  /** The exit code; later, for those that wait for something. */
  readonly run: (call: Call) => number | Promise<number>;
}

/** The command line itself is wrong: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The server cannot be reached or refuses: one sentence, exit code 1. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  /** What it answered, where that was asked for as JSON: printed as every other answer is. */
  readonly answer: string | null;

  constructor(message: string, answer: string | null = null) {
    super(message);
    this.answer = answer;
  }
}

/** A file that cannot be read or understood: one sentence, exit code 1. */
export class FileError extends Error {
  override readonly name = 'FileError';
}
