// What a line says about a field, before its type is known: limits, emptiness, choices, an example, whether it is
// optional. The same facts mean different rules for a number and for a list (see evidence-fields.ts).
import { type Bound, readBounds, sameBound } from './bounds.ts';
import type { Line } from './inline.ts';
import { anyOf, bare, phrase } from './phrases.ts';
import { statedType } from './types.ts';
import { type Example, readChoices, readContains, readExample } from './values.ts';
import {
  type EvidenceType,
  MAY_BE_EMPTY,
  NO,
  NON_EMPTY,
  NON_NEGATIVE,
  NON_ZERO,
  NOT_OPTIONAL,
  NOT_REQUIRED,
  OPTIONAL,
  POSITIVE,
  REQUIRED,
  YES,
} from './wording.ts';

export interface Facts {
  stated?: EvidenceType;
  example?: Example;
  required?: boolean;
  bounds: Bound[];
  nonEmpty: boolean;
  mayBeEmpty: boolean;
  nonZero: boolean;
  contains: string[];
  choices: string[];
  /** All that was said, for hints at the type. */
  text: string;
}

/** A field's text and what stood before it, joined with a bar; never more than a few. */
const MAX_PIECES = 6;
const MAX_TEXT = 4_000;
const NON_EMPTY_WORDS = phrase(NON_EMPTY);
const MAY_BE_EMPTY_WORDS = phrase(MAY_BE_EMPTY);
const NON_ZERO_WORDS = phrase(NON_ZERO);
const POSITIVE_WORDS = phrase(POSITIVE);
const NON_NEGATIVE_WORDS = phrase(NON_NEGATIVE);
const NOT_REQUIRED_WORDS = phrase(NOT_REQUIRED);
const NOT_OPTIONAL_WORDS = phrase(NOT_OPTIONAL);
const ANSWERED = new RegExp(`(?:(${anyOf(REQUIRED)})|${anyOf(OPTIONAL)})\\??\\s*[:=]\\s*(\\S+)`, 'iu');
/** Only where it is said of the field: "required and optional packages" is about packages. */
const OPTIONAL_WORDS = saidOfTheField(OPTIONAL);
const REQUIRED_WORDS = saidOfTheField(REQUIRED);

function saidOfTheField(words: readonly string[]): RegExp {
  const word = anyOf(words);
  return new RegExp(
    `(?:^[^\\p{L}\\p{N}]*|[(,;:—–|]\\s*|(?<!\\p{L})(?:is|are|an|a|as|but)\\s+)${word}(?!\\s+and\\s)|${word}\\s*(?:[),;.:—–|]|$)`,
    'iu',
  );
}

export function readFacts(said: Line): Facts {
  const { text } = said;
  const bounds = readBounds(text);
  if (NON_NEGATIVE_WORDS.test(text)) bounds.push({ kind: 'at_least', value: 0, unit: '', percent: false });
  else if (POSITIVE_WORDS.test(text)) bounds.push({ kind: 'above', value: 0, unit: '', percent: false });
  const contains = readContains(said);
  const stated = text
    .split('|', MAX_PIECES)
    .map(statedType)
    .find((type) => type !== undefined);
  const example = readExample(said);
  const required = saysRequired(text);
  return {
    ...(stated === undefined ? {} : { stated }),
    ...(example === undefined ? {} : { example }),
    ...(required === undefined ? {} : { required }),
    bounds,
    nonEmpty: NON_EMPTY_WORDS.test(text) || contains !== undefined,
    mayBeEmpty: MAY_BE_EMPTY_WORDS.test(text),
    nonZero: NON_ZERO_WORDS.test(text),
    contains: contains ?? [],
    choices: readChoices(said),
    text,
  };
}

function saysRequired(text: string): boolean | undefined {
  const answered = ANSWERED.exec(text);
  const answer = answered === null ? undefined : yesOrNo(answered[2] ?? '');
  if (answered !== null && answer !== undefined) return answered[1] === undefined ? !answer : answer;
  if (NOT_OPTIONAL_WORDS.test(text)) return true;
  if (NOT_REQUIRED_WORDS.test(text) || OPTIONAL_WORDS.test(text)) return false;
  return REQUIRED_WORDS.test(text) ? true : undefined;
}

/** A cell or an attribute that answers "required?". */
export function yesOrNo(text: string): boolean | undefined {
  const said = bare(text) || text.trim().toLowerCase();
  if (YES.includes(said) || YES.some((mark) => !/\p{L}/u.test(mark) && text.includes(mark))) return true;
  return NO.includes(said) || NO.some((mark) => /[✗✘❌✖]/u.test(mark) && text.includes(mark))
    ? false
    : undefined;
}

/** Two lines about one field: what both say holds, what only one says is added. */
export function mergeFacts(first: Facts, second: Facts): Facts {
  const stated = first.stated ?? second.stated;
  const example = first.example?.telling || second.example === undefined ? first.example : second.example;
  const required = first.required ?? second.required;
  return {
    ...(stated === undefined ? {} : { stated }),
    ...(example === undefined ? {} : { example }),
    ...(required === undefined ? {} : { required }),
    bounds: [
      ...first.bounds,
      ...second.bounds.filter((bound) => !first.bounds.some((known) => sameBound(known, bound))),
    ],
    nonEmpty: first.nonEmpty || second.nonEmpty,
    mayBeEmpty: first.mayBeEmpty || second.mayBeEmpty,
    nonZero: first.nonZero || second.nonZero,
    contains: [...new Set([...first.contains, ...second.contains])],
    choices: first.choices.length > 0 ? first.choices : second.choices,
    text: `${first.text}\n${second.text}`.slice(0, MAX_TEXT),
  };
}
