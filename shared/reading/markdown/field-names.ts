// Finds what could be the name of a field in a line: an identifier in backticks, a short phrase in bold, or, where
// nothing is marked, a snake_case word.
import type { EvidenceField } from '../../engine/model/evidence.ts';
import { type Line, markText } from './inline.ts';
import { parseJson } from './json-text.ts';
import { typeFromWord } from './types.ts';
import { LABELS_IN_PROSE, NEVER_FIELDS, NEVER_NAMES } from './wording.ts';

export interface NamedField {
  name: string;
  start: number;
  end: number;
  kind: 'code' | 'bold' | 'word';
  /** `count: int`, `names[]` */
  type?: EvidenceField['type'];
  /** `count = 21` */
  example?: { value: unknown };
  /** `notes?` */
  optional?: true;
  /** `count > 0`: read as if it stood in the text. */
  rule?: string;
  /** `branch-count`: a name only where nothing else can be meant. */
  doubtful?: true;
}

const MAX_NAME = 64;
const NAME = '[\\p{L}_][\\p{L}\\p{N}_]*';
const CODE = new RegExp(
  `^(?:evidence\\.)?["']?(${NAME})["']?(\\?)?(\\[\\])?\\s*(?:[:=](?!=)\\s*(.*))?$`,
  'su',
);
const COMPARED = new RegExp(`^(${NAME})\\s*(>=|<=|==|>|<|≥|≤)\\s*(-?\\d+(?:\\.\\d+)?)$`, 'u');
const HYPHENATED = /^\p{L}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)+$/u;
const BOLD = /^(\p{L}[\p{L}\p{N}]*(?:[ _-]+[\p{L}\p{N}]+)*)\s*(?:\([^()]*\))?[\s:.,;—–-]*$/u;
const SNAKE = /(?<![\p{L}\p{N}_./-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\p{L}\p{N}_/(-]|\.\p{L})/gu;

/** Every candidate of a line in order. Words count only where no mark names a field. */
export function namedFields(line: Line, inCheckpoint: boolean): NamedField[] {
  const marked = line.marks.flatMap((mark): NamedField[] => {
    const text = markText(line, mark);
    if (mark.kind === 'code') {
      const read = fromCode(text);
      return read === undefined ? [] : [{ ...read, start: mark.start, end: mark.end, kind: 'code' }];
    }
    const read = fromBold(text, inCheckpoint);
    return read === undefined
      ? []
      : [{ name: read.name, start: mark.start, end: mark.start + read.length, kind: 'bold' }];
  });
  return marked.length > 0 ? marked : snakeWords(line);
}

function snakeWords(line: Line): NamedField[] {
  return [...line.text.matchAll(SNAKE)]
    .map((match) => ({
      name: match[0],
      start: match.index,
      end: match.index + match[0].length,
      kind: 'word' as const,
    }))
    .filter((word) => word.name.length <= MAX_NAME)
    .filter((word) => !line.marks.some((mark) => word.start < mark.end && word.end > mark.start));
}

function fromCode(source: string): Omit<NamedField, 'start' | 'end' | 'kind'> | undefined {
  const text = source.trim();
  const compared = COMPARED.exec(text);
  if (compared?.[1]) return { name: compared[1], rule: `${compared[2]} ${compared[3]}` };
  if (HYPHENATED.test(text) && text.length <= MAX_NAME)
    return { name: text.replaceAll('-', '_'), doubtful: true };
  const [, name, question, brackets, value] = CODE.exec(text) ?? [];
  if (
    name === undefined ||
    name.length > MAX_NAME ||
    !/\p{L}/u.test(name) ||
    NEVER_NAMES.has(name.toLowerCase())
  ) {
    return undefined;
  }
  const optional = question === undefined ? {} : { optional: true as const };
  if (brackets !== undefined) return { name, type: 'list', ...optional };
  if (value === undefined || value === '') return { name, ...optional };
  const type = typeFromWord(value);
  if (type !== undefined) return { name, type, ...optional };
  const example = parseJson(value);
  return example === undefined ? undefined : { name, example, ...optional };
}

/** `length` is how much of the bold text is the name: what stands in parentheses behind it is description. */
function fromBold(text: string, inCheckpoint: boolean): { name: string; length: number } | undefined {
  const phrase = BOLD.exec(text)?.[1];
  if (phrase === undefined || phrase.length > MAX_NAME) return undefined;
  const words = phrase.toLowerCase().replace(/\s+/g, ' ');
  if (words.split(' ').length > 5 || NEVER_FIELDS.has(words) || /^(?:phase|step)\s*\d/.test(words))
    return undefined;
  if (!inCheckpoint && LABELS_IN_PROSE.has(words)) return undefined;
  return { name: words.replace(/[ -]+/g, '_'), length: phrase.length };
}
