// Reads the fields one line or one paragraph asks for. A line asks in one of three ways:
//   L1  it opens with a field and says something of it ("`x`: at least 3"); inside a checkpoint an item need say nothing;
//   L2  it demands what follows ("You must provide `a`, `b` and `c`"), each name joined to the one before;
//   L3  inside a checkpoint it ends with the name of what it describes ("Number of functions (`function_count`)"), or
//       says what the name is of, and then its rule ("quantity of `retries_total`, non-zero").
// A name in any other place is something the text talks about.
import { readBounds } from './bounds.ts';
import { demandedFields } from './demands.ts';
import { type NamedField, namedFields } from './field-names.ts';
import { joinLines, type Line, sliceLine } from './inline.ts';
import type { Scope } from './labels.ts';
import { addDetail, type Mention, mention } from './mention.ts';
import { anyOf, phrase } from './phrases.ts';
import { sentences } from './sentences.ts';
import { statedType } from './types.ts';
import { readChoices } from './values.ts';
import {
  CHECKPOINT_VERBS,
  CONTINUES,
  DEMANDS,
  FILLERS,
  NAMING,
  NON_EMPTY,
  NON_ZERO,
  OPTIONAL,
  PREDICATES,
  REFUSALS,
  SAID_OF_A_FIELD,
  TYPE_HINTS,
} from './wording.ts';

export type Place = 'item' | 'paragraph';

const BEFORE_LEADING = new RegExp(`^(?:[^\\p{L}\\p{N}_]|${anyOf(FILLERS)}\\s)*$`, 'iu');
const BETWEEN_LEADING = /^\s*(?:,|\/|&|\+|,?\s*(?:and|и|y)\s)\s*$/iu;
const SEPARATOR = /^[*\s]*(?:[:(—–=]|-\s)/u;
const PREDICATE = new RegExp(`^\\s*(?:${anyOf(FILLERS)}\\s*)*${anyOf(PREDICATES)}`, 'iu');
const SAID = phrase(SAID_OF_A_FIELD);
const ASKED = new RegExp(`^[\\s:(—–-]*${anyOf(DEMANDS)}`, 'iu');
const MUST_BE = phrase(['must be', 'should be', 'debe ser']);
const BOUND_WORDS = /\b(?:at (?:least|most)|(?:no )?more than|greater than|minimum|exactly)\b(?! as many)/giu;
const REFUSED = new RegExp(
  `${anyOf(REFUSALS)}\\s+(?:be\\s+)?(?:provided?|submit(?:ted)?|include[d]?)(?!\\p{L})`,
  'iu',
);
const ADJECTIVE = new RegExp(`(?:${anyOf([...NON_EMPTY, ...NON_ZERO, ...OPTIONAL])})\\s*$`, 'iu');
const NAMED_LAST = new RegExp(`(?:[(:—–]|${anyOf(['as', 'как', 'como'])})\\s*$`, 'iu');
const KINDS = Object.values(TYPE_HINTS).flat();
const NAME_OF = new RegExp(
  `^(?:[^\\p{L}]|${anyOf(FILLERS)}\\s)*${anyOf(KINDS)}(?:\\s+${anyOf(NAMING)})?\\s*$`,
  'iu',
);
const CHECKPOINT_VERB = new RegExp(`^[^\\p{L}]*${anyOf(CHECKPOINT_VERBS)}`, 'iu');
const RULE_FOLLOWS = /^\s*[,;:(—–]/u;
const CONTINUED = new RegExp(`^\\s*${anyOf(CONTINUES)}`, 'iu');

/** Everything a line asks for; `line` is its number in the document. */
export function readLine(said: Line, scope: Scope, place: Place, line: number): Mention[] {
  if (scope.section === 'example') return [];
  const whole = place === 'item' ? leading(said, scope, place, line) : [];
  const mentions = whole.length > 0 ? whole : readSentences(said, scope, place, line);
  if (scope.optional) for (const each of mentions) each.facts.required ??= false;
  return mentions;
}

function readSentences(said: Line, scope: Scope, place: Place, line: number): Mention[] {
  const mentions: Mention[] = [];
  for (const sentence of sentences(said)) {
    const at = line + sentence.linesBefore;
    const led = leading(sentence, scope, place, at);
    const found = led.length > 0 ? led : asked(sentence, scope, at);
    const last = mentions.at(-1);
    if (found.length === 0 && last !== undefined && CONTINUED.test(sentence.text)) addDetail(last, sentence);
    mentions.push(...found);
  }
  if (mentions.length === 1 && mentions[0]) mentions[0].alone = true;
  return mentions;
}

/** L1 */
function leading(said: Line, scope: Scope, place: Place, line: number): Mention[] {
  const group = leadingGroup(said, scope.section === 'checkpoint');
  const last = group.at(-1);
  if (last === undefined) return [];
  const rest = sliceLine(said, last.end);
  if (!isAsked(group, rest, scope, place) || REFUSED.test(rest.text)) return [];
  const mentions = group.map((field) => mention(field, rest, { line }));
  if (mentions.length === 1 && mentions[0]) mentions[0].alone = true;
  return mentions;
}

function isAsked(group: readonly NamedField[], rest: Line, scope: Scope, place: Place): boolean {
  const separated = SEPARATOR.test(rest.text) || rest.text.trim() === '';
  if (group.some((field) => field.doubtful) && !(separated && scope.section === 'checkpoint')) return false;
  if (scope.section === 'checkpoint' && (place === 'item' || separated)) return true;
  const name = group[0]?.name ?? '';
  const says = saysSomething(rest);
  if (!says || separated) return says;
  return place === 'item' || PREDICATE.test(rest.text) || (name.includes('_') && group[0]?.kind !== 'bold');
}

/** A limit, a choice or a type counts; the bare words "at least" or "must be" say nothing. */
function saysSomething(rest: Line): boolean {
  if (SAID.test(rest.text.replace(BOUND_WORDS, '')) || ASKED.test(rest.text)) return true;
  if (readBounds(rest.text).length > 0 || readChoices(rest).length > 0) return true;
  return MUST_BE.test(rest.text) && statedType(rest.text) !== undefined;
}

/** The field, or the fields joined by nothing but commas, that a line opens with. */
function leadingGroup(said: Line, inCheckpoint: boolean): NamedField[] {
  const fields = namedFields(said, inCheckpoint);
  const [first, second] = fields;
  if (first === undefined || !BEFORE_LEADING.test(said.text.slice(0, first.start))) return [];
  if (first.kind === 'bold' && second?.kind === 'code') {
    // "**Function Count** (`function_count`)": the bold text describes, the code names.
    const between = said.text.slice(first.end, second.start);
    if (/^\s*\(\s*$/.test(between) || (/^\W{1,4}$/.test(between) && second.name.includes('_')))
      return [second];
  }
  const group = [first];
  for (const next of fields.slice(1)) {
    const last = group.at(-1) ?? first;
    if (next.kind !== first.kind || !BETWEEN_LEADING.test(said.text.slice(last.end, next.start))) break;
    group.push(next);
  }
  return group;
}

/** L2, then L3, then a rule that stands right before a name: "a non-empty `functions_list`". */
function asked(said: Line, scope: Scope, line: number): Mention[] {
  const inCheckpoint = scope.section === 'checkpoint';
  const fields = namedFields(said, inCheckpoint).filter(
    (field) => !field.doubtful && field.rule === undefined,
  );
  const demanded = demandedFields(said, fields, line);
  if (demanded.length > 0) return demanded;
  for (const field of fields) {
    const before = sliceLine(said, 0, field.start);
    const snake = field.name.includes('_') && field.kind !== 'bold';
    const after = sliceLine(said, field.end);
    const named =
      inCheckpoint &&
      snake &&
      (NAMED_LAST.test(before.text) ||
        CHECKPOINT_VERB.test(before.text) ||
        (NAME_OF.test(before.text) && RULE_FOLLOWS.test(after.text) && saysSomething(after)));
    if (named || (snake && ADJECTIVE.test(before.text))) {
      const description = before.text + after.text;
      return [mention(field, joinLines(after, before, ' | '), { line, description })];
    }
  }
  return [];
}
