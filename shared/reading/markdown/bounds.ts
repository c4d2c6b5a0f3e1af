// Numbers a description sets limits with: "at least 3 entries", "greater than zero", "between 1 and 5", "3 or more".
import { anyOf, bare } from './phrases.ts';
import {
  BOUND_OF_ANOTHER,
  BOUNDS,
  LIST_UNITS,
  LOOSE_TYPE_WORDS,
  NUMBER_WORDS,
  OR_FEWER,
  OR_MORE,
  RANGE_MIDDLES,
  RANGE_STARTS,
  TYPE_WORDS,
} from './wording.ts';

export interface Bound {
  kind: 'at_least' | 'above' | 'at_most' | 'below' | 'exactly';
  value: number;
  /** What is counted: "entries" in "at least 3 entries". */
  unit: string;
  percent: boolean;
}

const NUMBER = `(-?\\d+(?:[.,]\\d+)*|${anyOf(['zero', ...NUMBER_WORDS.keys()])})`;
/** The unit is only looked at, so that a limit which follows at once is still read. */
const COUNTED = `(?:\\s*(%|percent|per cent))?(?=\\s+(?:non-empty\\s+)?(\\p{L}[\\p{L}-]*)|)`;
const RANGE = new RegExp(
  `${anyOf(RANGE_STARTS)}\\s+${NUMBER}\\s*%?\\s*${anyOf(RANGE_MIDDLES)}\\s*${NUMBER}${COUNTED}`,
  'giu',
);
const KINDS = new Map(
  // Object.entries forgets the key type; BOUNDS' own type guarantees it.
  (Object.entries(BOUNDS) as [Bound['kind'], readonly string[]][]).flatMap(([kind, words]) =>
    words.map((word) => [word, kind] as const),
  ),
);
const LEADING = new RegExp(
  `(?<![-=<])(${anyOf([...KINDS.keys()])})\\s*(?:of|:|=)?\\s*${NUMBER}${COUNTED}`,
  'giu',
);
const TRAILING = new RegExp(
  `${NUMBER}\\s*(%)?(?:\\s+(\\p{L}+))??\\s*(?:(\\+)(?=\\s|$|[,.;)])|(${anyOf(OR_MORE)})|(${anyOf(OR_FEWER)}))(?:\\s+(\\p{L}+))?`,
  'giu',
);
const ANOTHER = new RegExp(`(?:(\\S+)\\s+)?${anyOf(BOUND_OF_ANOTHER)}\\s*$`, 'iu');
/** Before "with at least 3 …" these mean the field itself: "a list with at least 3 entries". */
const ITSELF = new Set([
  'must',
  'should',
  'debe',
  'and',
  ...Object.values(TYPE_WORDS).flat(),
  ...Object.values(LOOSE_TYPE_WORDS).flat(),
]);

/** The limits a text sets on the field it is about. */
export function readBounds(text: string): Bound[] {
  const bounds: Bound[] = [];
  let rest = text;
  const take = (pattern: RegExp, read: (match: RegExpMatchArray, before: string) => Bound[]) => {
    rest = rest.replace(pattern, (...found: unknown[]) => {
      const index = found.findIndex((part) => typeof part === 'number');
      // String.replace passes match, groups, offset, text: the groups are strings or undefined.
      const groups = found.slice(0, index) as unknown as RegExpMatchArray;
      const before = text.slice(0, Number(found[index]));
      bounds.push(...read(groups, before).filter((bound) => meansTheField(bound, before)));
      return ' '.repeat(String(groups[0]).length); // what was read is not read again; offsets stay
    });
  };
  take(RANGE, ([, low, high, percent, unit]) => [
    bound('at_least', low, percent, unit),
    bound('at_most', high, percent, unit),
  ]);
  take(LEADING, ([, words, value, percent, unit]) => {
    const kind = KINDS.get((words ?? '').toLowerCase().replace(/\s+/g, ' '));
    return kind === undefined ? [] : [bound(kind, value, percent, unit)];
  });
  take(TRAILING, ([, value, percent, unit, plus, more, , laterUnit]) => [
    bound((plus ?? more) ? 'at_least' : 'at_most', value, percent, unit ?? laterUnit),
  ]);
  return bounds;
}

export function sameBound(a: Bound, b: Bound): boolean {
  return a.kind === b.kind && a.value === b.value && a.unit === b.unit && a.percent === b.percent;
}

function bound(kind: Bound['kind'], value = '', percent = '', unit = ''): Bound {
  return { kind, value: toNumber(value), unit: unit.toLowerCase(), percent: percent !== '' };
}

function toNumber(text: string): number {
  const word = text.toLowerCase();
  if (word === 'zero') return 0;
  const counted = NUMBER_WORDS.get(word);
  if (counted !== undefined) return counted;
  const thousands = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text);
  return Number(thousands ? text.replaceAll(',', '') : text.replace(',', '.'));
}

/** "functions with more than one caller" limits the callers, not the functions. */
function meansTheField(bound: Bound, before: string): boolean {
  if (!(Math.abs(bound.value) < Number.MAX_SAFE_INTEGER)) return false; // not a number anyone can mean
  if (LIST_UNITS.includes(bound.unit)) return true;
  const another = ANOTHER.exec(before.slice(-60));
  return another === null || another[1] === undefined || ITSELF.has(bare(another[1]));
}
