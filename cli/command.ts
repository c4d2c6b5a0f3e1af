// What a command is, and the two streams it writes to. Tests hand in streams of their own.
import type { Compiled } from '../shared/engine/compile/compile.ts';

export interface Streams {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

export interface Flag {
  readonly type: 'boolean' | 'string';
  readonly description: string;
  /** What stands for the value in the help; N if not said. */
  readonly value?: string;
}

export interface Call {
  readonly files: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean>>;
  readonly streams: Streams;
  readonly read: (file: string) => Compiled;
}

export interface Command {
  readonly usage: string;
  readonly summary: string;
  readonly details: string;
  readonly files: 'none' | 'one' | 'many';
  /** What stands on the command line where it is not files: "instance id". */
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
}

/** A file that cannot be read or understood: one sentence, exit code 1. */
export class FileError extends Error {
  override readonly name = 'FileError';
}
