// What a heading or a lead-in ("You must provide:") makes of the blocks below it.
import type { Line } from './inline.ts';
import { anyOf, bare, phrase } from './phrases.ts';
import {
  ASIDE_STARTS,
  CHECKPOINT_ENDS,
  CHECKPOINT_HOLDS,
  CHECKPOINT_STARTS,
  CHECKPOINT_WHOLE,
  EXAMPLE_WORDS,
  NO_EVIDENCE,
  NONE,
  OPTIONAL,
  PHASE_WORDS,
} from './wording.ts';

/**
 * text: a line needs an indicator to be a requirement. checkpoint: a field that opens an item is one.
 * aside: like text, even inside a checkpoint. example: nothing is a requirement.
 */
export interface Scope {
  section: 'text' | 'checkpoint' | 'aside' | 'example';
  optional: boolean;
}

const EXAMPLE = phrase(EXAMPLE_WORDS);
const HOLDS = phrase(CHECKPOINT_HOLDS);
const ASIDE = new RegExp(`^${anyOf(ASIDE_STARTS)}`, 'iu');
const STARTS = new RegExp(`^${anyOf(CHECKPOINT_STARTS)}`, 'iu');
const ENDS = new RegExp(`${anyOf(CHECKPOINT_ENDS)}$`, 'iu');
const WHOLE = new RegExp(`^${anyOf(CHECKPOINT_WHOLE)}$`, 'iu');
const NO_EVIDENCE_AT_ALL = new RegExp(`^${anyOf(NO_EVIDENCE)}$`, 'iu');
const NONE_AT_ALL = new RegExp(
  `^(?:${anyOf(CHECKPOINT_STARTS)}(?:\\s+required)?\\s*[:—–-]\\s*)${anyOf(NONE)}$`,
  'iu',
);
const NONE_ALONE = new RegExp(`^${anyOf(NONE)}$`, 'iu');
const OPTIONAL_WORD = phrase(OPTIONAL);
const PHASE_NUMBER = new RegExp(`${anyOf(PHASE_WORDS)}\\s*\\d+`, 'giu');
const THIS_PHASE = /\s+(?:for|in|at) this phase$/iu;
const MAX_LABEL = 200;

/** The scope a label opens; nothing if it is no label we know. */
export function scopeOfLabel(text: string): Scope | undefined {
  if (text.length > MAX_LABEL) return undefined;
  const label = bare(text.replace(PHASE_NUMBER, ''));
  if (label === '') return undefined;
  const checkpoint: Scope = { section: 'checkpoint', optional: OPTIONAL_WORD.test(label) };
  if (EXAMPLE.test(label)) return { section: 'example', optional: false };
  if (HOLDS.test(label)) return checkpoint;
  if (ASIDE.test(label)) return { section: 'aside', optional: false };
  return STARTS.test(label) || ENDS.test(label) || WHOLE.test(label) ? checkpoint : undefined;
}

/** The part of a paragraph that introduces what follows: all of it in bold, or ending with a colon. */
export function leadIn(line: Line): string | undefined {
  const text = line.text.trim();
  if (text === '') return undefined;
  const start = line.text.length - line.text.trimStart().length;
  const wholeBold = line.marks.some(
    (mark) => mark.kind === 'bold' && mark.start <= start && mark.end - start >= text.length,
  );
  if (!wholeBold && !text.endsWith(':')) return undefined;
  return text.split(/(?<=[.!?])\s+|\n/).at(-1);
}

/** "No evidence required", "Checkpoint: none", or a bare "None." inside a checkpoint. */
export function saysNoEvidence(text: string, scope: Scope): boolean {
  if (text.length > MAX_LABEL) return false;
  const said = bare(text).replace(THIS_PHASE, '');
  if (NO_EVIDENCE_AT_ALL.test(said) || NONE_AT_ALL.test(said)) return true;
  return scope.section === 'checkpoint' && NONE_ALONE.test(said);
}
