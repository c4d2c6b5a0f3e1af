// What is wrong with a text, and where: what the YAML, JSON and document readers have in common.
import type { ProofProblem } from '../engine/prove/problem.ts';

export interface TextProblem {
  /** 1-based; absent when the whole text is meant. */
  readonly line?: number;
  readonly message: string;
  readonly fix: string;
}

export type ReadText = { readonly value: unknown } | { readonly problems: readonly TextProblem[] };

/** Of characters; also the compiler's limit. */
export const MAX_TEXT = 8_000_000;
/** Deep enough for any definition, shallow enough for any parser's stack. */
export const MAX_NESTING = 64;

export const refuse = (message: string, fix: string, line?: number): { problems: TextProblem[] } => ({
  problems: [{ message, fix, ...(line === undefined ? {} : { line }) }],
});

/** Problems of reading stand before the eleven checks. */
export function asProof({ line, message, fix }: TextProblem, workflow: string, file?: string): ProofProblem {
  const place = line === undefined ? '' : `line ${line}: `;
  const text = `${place}${message}.`;
  const told = file === undefined ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : `${file}, ${text}`;
  return { check: 0, workflow, step: null, message: told, fix };
}
