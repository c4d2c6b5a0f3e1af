// One stretch of prose as plain text, with the places that were code or bold. Struck-out text, HTML and images
// are left out; a link is its text. The only file that knows marked's inline tokens.
import { Lexer, type MarkedToken, type Token } from 'marked';

export interface Mark {
  start: number;
  end: number;
  kind: 'code' | 'bold';
}
export interface Line {
  text: string;
  marks: Mark[];
}

/** Longer paragraphs are prose; the parser's inline patterns would take too long on hostile ones. */
export const MAX_INLINE = 8_000;

const ENTITIES: Readonly<Record<string, string>> = {
  gt: '>',
  lt: '<',
  amp: '&',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
};

export function readInline(source: string): Line {
  const line: Line = { text: '', marks: [] };
  if (source.length > MAX_INLINE) return { text: source, marks: [] };
  try {
    append(line, Lexer.lexInline(source, { gfm: true }));
    return line;
  } catch (error) {
    if (error instanceof RangeError) return { text: source, marks: [] }; // emphasis nested beyond the stack
    throw error;
  }
}

/** A part of a line, its marks moved along; marks that are cut through are dropped. */
export function sliceLine(line: Line, from: number, to = line.text.length): Line {
  const marks = line.marks
    .filter((mark) => mark.start >= from && mark.end <= to)
    .map((mark) => ({ ...mark, start: mark.start - from, end: mark.end - from }));
  return { text: line.text.slice(from, to), marks };
}

export function markText(line: Line, mark: Mark): string {
  return line.text.slice(mark.start, mark.end);
}

export function joinLines(first: Line, second: Line, between = ' '): Line {
  const shift = first.text.length + between.length;
  const moved = second.marks.map((mark) => ({ ...mark, start: mark.start + shift, end: mark.end + shift }));
  return { text: first.text + between + second.text, marks: [...first.marks, ...moved] };
}

function append(line: Line, tokens: readonly Token[]): void {
  for (const generic of tokens) {
    const token = generic as MarkedToken; // no extension is installed, so there are no other tokens
    const start = line.text.length;
    switch (token.type) {
      case 'codespan':
        line.text += token.text;
        line.marks.push({ start, end: line.text.length, kind: 'code' });
        break;
      case 'strong': {
        const before = line.marks.length;
        append(line, token.tokens);
        // Bold around code only stresses it: the code keeps its own mark.
        if (line.marks.length === before) line.marks.push({ start, end: line.text.length, kind: 'bold' });
        break;
      }
      case 'em':
      case 'link':
        append(line, token.tokens);
        break;
      case 'br':
        line.text += '\n';
        break;
      case 'html':
        if (/^<br\b/i.test(token.raw)) line.text += '\n';
        break;
      case 'text':
      case 'escape':
        line.text += plain(token.text);
        break;
      default:
        break; // struck out, images, check boxes
    }
  }
}

/** Typographic variants as the characters our wordings are written in. */
function plain(text: string): string {
  return text
    .replace(/&(gt|lt|amp|quot|nbsp|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u2010\u2011]/g, '-')
    .replace(/[\u00A0\u202F\u2009]/g, ' ');
}
