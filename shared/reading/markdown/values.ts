// Values a description names one after another: "`a`, `b` or `c`", "low, medium, high"; and examples.
import { type Line, markText } from './inline.ts';
import { anyOf, phrase } from './phrases.ts';
import { valueFromText } from './types.ts';
import { AND_WORDS, EXAMPLE_MARKERS, MUST_CONTAIN, ONE_OF, OR_WORDS, VALUE_FILLERS } from './wording.ts';

export interface Example {
  value: unknown;
  /** JSON tells the type of the field; words do not. */
  telling: boolean;
  /** Every value named, for a field that turns out to be a list. */
  all: string[];
}

interface Named {
  values: string[];
  joined: 'and' | 'or' | 'none';
}

const FILLERS = new RegExp(`\\s*(?::\\s*)?(?:${anyOf(VALUE_FILLERS)}\\s+)*`, 'iuy');
const QUOTED = /"([^"\n]{1,200})"|“([^”\n]{1,200})”|«([^»\n]{1,200})»|(?<!\p{L})'([^'\n]{1,200})'(?!\p{L})/uy;
const JOINER = new RegExp(`\\s*(?:,\\s*)?(?:(${anyOf(OR_WORDS)}|\\||/)|(${anyOf(AND_WORDS)})|,)?\\s*`, 'iuy');
const CONTAIN = phrase(MUST_CONTAIN, 'giu');
const CHOICE = phrase(ONE_OF, 'giu');
const MARKER = phrase(EXAMPLE_MARKERS);
const BARE_CHOICE = /^[\p{L}\p{N}_+.-]+(?: [\p{L}\p{N}_+.-]+){0,2}$/u;
const LITERAL =
  /^(?:-?\d+(?:\.\d+)?(?![\p{L}\d%])|(?:true|false)(?!\p{L})|"[^"\n]*"|\[[^\]\n]*\]|\{[^}\n]*\})/iu;

/** The quoted or code values that follow a place in the line, if they follow it at once. */
function namedValues(line: Line, from: number): Named {
  const named: Named = { values: [], joined: 'none' };
  let at = from;
  const skip = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(line.text);
    if (match !== null) at += match[0].length;
    return match;
  };
  skip(FILLERS);
  // `a` in backticks is a value, not an article.
  at = line.marks.find((mark) => mark.kind === 'code' && mark.start >= from && mark.start < at)?.start ?? at;
  for (;;) {
    const code = line.marks.find((mark) => mark.kind === 'code' && mark.start === at);
    const quoted = code === undefined ? skip(QUOTED) : null;
    const value =
      code === undefined ? quoted?.slice(1).find((group) => group !== undefined) : markText(line, code);
    if (value === undefined) return named;
    if (code !== undefined) at = code.end;
    named.values.push(value);
    const joiner = skip(JOINER);
    if (joiner?.[1] !== undefined) named.joined = 'or';
    else if (joiner?.[2] !== undefined && named.joined === 'none') named.joined = 'and';
    if (joiner === null || joiner[0].trim() === '') return named;
  }
}

/** "must contain `def`": the texts, or none where only "something" is asked for. Nothing if it does not say so. */
export function readContains(line: Line): string[] | undefined {
  const matches = [...line.text.matchAll(CONTAIN)];
  if (matches.length === 0) return undefined;
  return matches.flatMap((match) => {
    const named = namedValues(line, match.index + match[0].length);
    return named.joined === 'or' ? [] : named.values; // "a or b" is more than the rule can say
  });
}

export function readChoices(line: Line): string[] {
  for (const match of line.text.matchAll(CHOICE)) {
    const words = match[0].toLowerCase();
    const exact = words === 'must be' || words === 'debe ser';
    const from = match.index + match[0].length;
    const named = namedValues(line, from);
    if (named.values.length >= (exact ? 1 : 2) && named.joined !== 'and') return named.values;
    if (exact) continue;
    const clause = /^[^.;)\n]{0,200}/.exec(line.text.slice(from).replace(/^\s*:?\s*/, ''))?.[0] ?? '';
    const options = clause
      .split(new RegExp(`,|\\||/|${anyOf(OR_WORDS)}`, 'iu'))
      .map((option) => option.trim());
    const filled = options.filter((option) => option !== '');
    const plain = filled.every(
      (option) => BARE_CHOICE.test(option) && !/^(?:the|these|those|your|its)\s/i.test(option),
    );
    if (filled.length >= 2 && plain) return filled;
  }
  return [];
}

/** "example: 21", "e.g. `["a"]`", "for instance `true`". */
export function readExample(line: Line): Example | undefined {
  const marker = MARKER.exec(line.text);
  if (marker === null) return undefined;
  const from = marker.index + marker[0].length;
  const gap = /^[\s,:=—–-]*/u.exec(line.text.slice(from))?.[0].length ?? 0;
  const named = namedValues(line, from + gap);
  const [first] = named.values;
  if (first !== undefined) return { ...valueFromText(first), all: named.values };
  const literal = LITERAL.exec(line.text.slice(from + gap))?.[0];
  return literal === undefined ? undefined : { ...valueFromText(literal), all: [literal] };
}
