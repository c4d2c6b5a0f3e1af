// "You must provide `a`, a non-empty list, and `b`": the fields that follow a demand, and what is said of each.
import type { NamedField } from './field-names.ts';
import { joinLines, type Line, sliceLine } from './inline.ts';
import { type Mention, mention } from './mention.ts';
import { anyOf, phrase } from './phrases.ts';
import {
  COLON_DEMANDS,
  CONNECTORS,
  DEMANDS,
  EXAMPLE_MARKERS,
  FILLERS,
  MUST_CONTAIN,
  NON_EMPTY,
  NON_ZERO,
  OF_SEVERAL,
  OFFERS,
  ONE_OF,
  OPTIONAL,
  PREPOSITIONS,
  REFUSALS,
  SOFT_PREPOSITIONS,
} from './wording.ts';

interface Demand {
  start: number;
  end: number;
  optional: boolean;
}

const DEMAND = new RegExp(
  `${anyOf(DEMANDS)}|${anyOf(COLON_DEMANDS)}(?:\\s*(?:evidence|fields))?\\s*[:)—–]`,
  'giu',
);
const REFUSED = new RegExp(`${anyOf(REFUSALS)}\\s*$`, 'iu');
/** "Use mocks to provide `response`" describes a means. */
const MEANS = /(?<!\p{L})(?:use[sd]?|using|mocks?|patch)(?!\p{L})[^.]*\bto\s+$/iu;
const OFFERED = new RegExp(`${anyOf(OFFERS)}\\s*$`, 'iu');
const OPTIONAL_WORD = phrase(OPTIONAL);
const CONNECTOR = phrase(CONNECTORS, 'giu');
const ONLY_FILLERS = new RegExp(
  `^(?:\\s|${anyOf([...FILLERS, ...NON_EMPTY, ...NON_ZERO, ...OPTIONAL])})*$`,
  'iu',
);
const FILLER = phrase(FILLERS, 'giu');
const PREPOSITION = phrase(PREPOSITIONS);
const LAST_WORD_TAKES = new RegExp(`${anyOf(PREPOSITIONS)}\\.?\\s*$`, 'iu');
const LAST_WORD_MAY_TAKE = new RegExp(`${anyOf(SOFT_PREPOSITIONS)}\\s*$`, 'iu');
const VALUES_FOLLOW = phrase([...ONE_OF, ...EXAMPLE_MARKERS, ...MUST_CONTAIN]);
const CONTAIN = phrase(MUST_CONTAIN);
const SHARED = phrase(OF_SEVERAL);
const MAX_WORDS_BETWEEN = 8;

export function demandedFields(said: Line, fields: readonly NamedField[], line: number): Mention[] {
  const first = fields[0]?.start ?? 0;
  // "`x`, which must contain …" is a rule about x; "the report must contain `x`" asks for x.
  const demands = findDemands(said.text).filter(
    ({ start, end }) => start < first || !CONTAIN.test(said.text.slice(start, end)),
  );
  return demands.flatMap((demand, index) => {
    const end = demands[index + 1]?.start ?? said.text.length;
    const within = fields.filter((field) => field.start >= demand.end && field.end <= end);
    const outside = within.filter((field) => !inParentheses(said.text, demand.end, field.start));
    const chosen = chain(said.text, demand.end, outside);
    const found = chosen.length > 0 ? chosen : chain(said.text.replace(/[()]/g, ' '), demand.end, within);
    const mentions = split(said, found, demand.end, end, line);
    if (demand.optional) for (const each of mentions) each.facts.required ??= false;
    return mentions;
  });
}

function findDemands(text: string): Demand[] {
  return [...text.matchAll(DEMAND)]
    .map((match) => ({ start: match.index, end: match.index + match[0].length, words: match[0] }))
    .filter(({ start }) => !REFUSED.test(text.slice(0, start)) && !MEANS.test(text.slice(0, start)))
    .map(({ start, end, words }) => ({
      start,
      end,
      optional: OPTIONAL_WORD.test(words) || OFFERED.test(text.slice(0, start)),
    }));
}

/** The first field close behind the demand, and each one that is joined to the one before it. */
function chain(text: string, from: number, fields: readonly NamedField[]): NamedField[] {
  const chosen: NamedField[] = [];
  let cursor = from;
  for (const field of fields) {
    const gap = text.slice(cursor, field.start).replace(/\([^()]*\)/g, ' ');
    const joined = chosen.length === 0 ? followsDemand(gap, field) : followsField(gap, field);
    if (joined) chosen.push(field);
    else if (VALUES_FOLLOW.test(gap) || chosen.length === 0) break;
    cursor = field.end;
  }
  return chosen;
}

function followsDemand(gap: string, field: NamedField): boolean {
  if (wordCount(gap) > MAX_WORDS_BETWEEN && !field.name.includes('_')) return false;
  if (LAST_WORD_MAY_TAKE.test(gap)) return field.name.includes('_');
  return !LAST_WORD_TAKES.test(gap);
}

function followsField(gap: string, field: NamedField): boolean {
  const connector = lastConnector(gap);
  if (connector === undefined) return false;
  const between = gap.slice(connector.end);
  if (ONLY_FILLERS.test(between)) return true;
  return field.name.includes('_') && wordCount(between) <= 4 && !PREPOSITION.test(between);
}

/** Cuts the text into what is said of each field; what is said of "both" or "all" is said of each. */
function split(said: Line, fields: readonly NamedField[], from: number, to: number, line: number): Mention[] {
  const parts: { field: NamedField; before: Line; after: Line }[] = [];
  let before = sliceLine(said, from, fields[0]?.start ?? from);
  fields.forEach((field, index) => {
    const gap = sliceLine(said, field.end, fields[index + 1]?.start ?? to);
    const connector = index + 1 < fields.length ? lastConnector(gap.text) : undefined;
    const after = connector === undefined ? gap : sliceLine(gap, 0, connector.start);
    parts.push({ field, before, after });
    before = connector === undefined ? { text: '', marks: [] } : sliceLine(gap, connector.end);
  });
  const shared = [parts[0]?.before, parts.at(-1)?.after].filter(
    (text) => parts.length > 1 && text && SHARED.test(text.text),
  );
  return parts.map((part) => {
    let all = joinLines(part.after, part.before, ' | ');
    for (const extra of shared)
      if (extra && extra !== part.before && extra !== part.after) all = joinLines(all, extra, ' | ');
    const hasText = /\p{L}/u.test(part.after.text);
    const before = part.before.text.replace(LAST_WORD_MAY_TAKE, '');
    const description = hasText
      ? part.after.text
      : ONLY_FILLERS.test(before)
        ? before.replace(FILLER, '')
        : before;
    return mention(part.field, all, { line, description: balanced(description) });
  });
}

/** A field inside parentheses leaves one of them behind. */
function balanced(text: string): string {
  return text.includes(')') && !text.includes('(') ? text.replace(')', '') : text;
}

function lastConnector(text: string): { start: number; end: number } | undefined {
  const flat = text.replace(/\([^()]*\)/g, (group) => ' '.repeat(group.length));
  const last = [...flat.matchAll(CONNECTOR)].at(-1);
  return last === undefined ? undefined : { start: last.index, end: last.index + last[0].length };
}

function inParentheses(text: string, from: number, to: number): boolean {
  let depth = 0;
  for (const character of text.slice(from, to)) {
    if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
  }
  return depth > 0;
}

function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
}
