// Opens a Markdown document: refuses what would exhaust the parser, then hands out its blocks with line numbers.
//   D1  Lines are those of the original text, 1-based, whatever its line ends, byte order mark or front matter.
//   D2  Whatever the text, the answer is blocks or a problem; nothing is thrown and nothing takes for ever.
import { type Block, readBlocks } from './blocks.ts';

export interface DocumentProblem {
  line: number;
  heading?: string;
  message: string;
  fix: string;
}

export interface OpenDocument {
  blocks: Block[];
  frontTitle?: string;
  /** The exact source from one line up to, not including, another. */
  slice(fromLine: number, toLine: number): string;
  lineCount: number;
}

const MAX_CHARACTERS = 2_000_000;
/** Some of the parser's patterns take quadratic time in lines (a list of 25,000 tasks: three seconds). */
const MAX_LINES = 20_000;
const MAX_NESTING = 100;
const LINE_END = /\r\n|\r|\n/;

export function openDocument(markdown: string): OpenDocument | { problem: DocumentProblem } {
  if (markdown.length > MAX_CHARACTERS) {
    return refused(1, `the document has ${markdown.length} characters; at most ${MAX_CHARACTERS} are read`);
  }
  const bom = markdown.startsWith('\uFEFF') ? 1 : 0;
  const lines = markdown.slice(bom).split(LINE_END);
  if (lines.length > MAX_LINES) {
    return refused(MAX_LINES, `the document has ${lines.length} lines; at most ${MAX_LINES} are read`);
  }
  const deep = lines.findIndex((line) => nesting(line) > MAX_NESTING);
  if (deep >= 0) return refused(deep + 1, `lists or quotes are nested deeper than ${MAX_NESTING} levels`);

  const front = frontMatterEnd(lines);
  const text = lines.map((line, index) => (index < front ? '' : line.replaceAll('\0', '\uFFFD'))).join('\n');
  const blocks = readBlocks(text);
  if (blocks === undefined) return refused(1, 'the document is nested too deeply to be read');

  const starts = lineStarts(markdown, bom);
  const frontTitle = lines.slice(1, front).find((line) => /^title\s*:/i.test(line));
  return {
    blocks,
    lineCount: lines.length,
    slice: (from, to) =>
      markdown.slice(starts[from - 1] ?? markdown.length, starts[to - 1] ?? markdown.length),
    ...(frontTitle === undefined
      ? {}
      : { frontTitle: unquote(frontTitle.replace(/^title\s*:/i, '').trim()) }),
  };
}

function refused(line: number, message: string): { problem: DocumentProblem } {
  return { problem: { line, message, fix: 'Split the document, or flatten its lists and quotes.' } };
}

/** How many containers a line opens or stands in, judged from its markers and its indentation. */
function nesting(line: string): number {
  const prefix = /^(?:[ \t]|>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$))*/.exec(line)?.[0] ?? '';
  const markers = prefix.match(/[>*+-]|\d+/g) ?? [];
  // "- - - -" is a thematic break, not a list in a list.
  if (prefix.length === line.length && /^[ \t]*(?:(?:-[ \t]*)+|(?:\*[ \t]*)+)$/.test(line)) return 0;
  if (markers.length === 0) return 0;
  const indent = /^[ \t]*/.exec(prefix)?.[0] ?? '';
  return markers.length + Math.floor(indent.replaceAll('\t', '    ').length / 2);
}

/** The index of the first line after YAML front matter; 0 if there is none. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---' || !/^[\w-]+\s*:|^#/.test(lines[1] ?? '')) return 0;
  const close = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  return close < 0 ? 0 : close + 1;
}

function lineStarts(markdown: string, bom: number): number[] {
  const starts = [bom];
  for (const end of markdown.matchAll(new RegExp(LINE_END, 'g'))) starts.push(end.index + end[0].length);
  return starts;
}

function unquote(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}
