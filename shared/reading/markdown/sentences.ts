// Cuts a paragraph into sentences, never inside code or bold, never after "e.g.", and at a line that opens anew.
import { type Line, sliceLine } from './inline.ts';
import { anyOf } from './phrases.ts';
import { COLON_DEMANDS, DEMANDS } from './wording.ts';

export interface Sentence extends Line {
  /** Line ends between the start of the paragraph and this sentence. */
  linesBefore: number;
}

const END = /[.!?][)"'”»]*\s+/gu;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|no|approx|p|ej|напр|т\.е|т\.д)\.$/iu;
const OPENS_ANEW = new RegExp(
  `^\\s*(?:(?:you|we)\\s+)?(?:${anyOf(DEMANDS)}|${anyOf(COLON_DEMANDS)}\\s*:)`,
  'iu',
);

export function sentences(line: Line): Sentence[] {
  const cuts = [...new Set([...sentenceEnds(line), ...lineStarts(line)])].sort((a, b) => a - b);
  const bounds = [0, ...cuts, line.text.length];
  return bounds.slice(1).flatMap((to, index) => {
    const from = bounds[index] ?? 0;
    const part = sliceLine(line, from, to);
    if (part.text.trim() === '') return [];
    const leadingSpace = part.text.length - part.text.trimStart().length;
    return [{ ...part, linesBefore: line.text.slice(0, from + leadingSpace).split('\n').length - 1 }];
  });
}

function sentenceEnds(line: Line): number[] {
  return [...line.text.matchAll(END)]
    .filter((match) => !ABBREVIATION.test(line.text.slice(Math.max(0, match.index - 8), match.index + 1)))
    .map((match) => match.index + match[0].length)
    .filter((at) => isOutsideMarks(line, at));
}

/** A new line starts a new sentence if it opens with a mark or a demand; otherwise it is only wrapped. */
function lineStarts(line: Line): number[] {
  return [...line.text.matchAll(/\n/g)]
    .map((match) => match.index + 1)
    .filter((at) => isOutsideMarks(line, at))
    .filter((at) => {
      const before = line.text.slice(0, at).trimEnd();
      const wrapped = /(?:[,&:]|(?<!\p{L})(?:and|or|the|a|of|provide|и|y))$/iu.test(before);
      const opens =
        line.marks.some((mark) => mark.start === at) && /^[^\n]*?[:(—–]/u.test(line.text.slice(at));
      return (opens && !wrapped) || OPENS_ANEW.test(line.text.slice(at, at + 80));
    });
}

function isOutsideMarks(line: Line, at: number): boolean {
  return !line.marks.some((mark) => mark.start < at && mark.end > at);
}
