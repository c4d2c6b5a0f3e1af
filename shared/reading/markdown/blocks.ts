// The block structure of a Markdown text in our own few words; the only file that knows marked's block tokens.
// Only blocks are parsed here. Inline text is parsed later and only where it matters (see inline.ts), because
// the parser's inline patterns can take quadratic time on hostile paragraphs.
import { Lexer, type MarkedToken, type Token } from 'marked';

export interface Item {
  line: number;
  blocks: Block[];
}
export interface Row {
  line: number;
  cells: string[];
}
export interface Table {
  kind: 'table';
  line: number;
  header: string[];
  rows: Row[];
}
export type Block =
  | { kind: 'heading'; line: number; depth: number; text: string }
  | { kind: 'paragraph'; line: number; text: string }
  | { kind: 'list'; line: number; items: Item[] }
  | Table
  | { kind: 'quote'; line: number; blocks: Block[] }
  | { kind: 'code'; line: number; language: string; text: string }
  | { kind: 'break'; line: number };

/** The blocks of a text whose lines end in \n; nothing if it is nested too deeply for the parser. */
export function readBlocks(text: string): Block[] | undefined {
  try {
    return topLevel(new Lexer({ gfm: true }).blockTokens(text, []), text);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the stack: recursion is how the parser nests
    throw error;
  }
}

/** Tokens hold no positions, so each is looked up behind the one before it. */
function topLevel(tokens: readonly Token[], text: string): Block[] {
  const blocks: Block[] = [];
  let position = 0;
  let line = 1;
  for (const token of tokens) {
    const found = text.startsWith(token.raw, position) ? position : text.indexOf(token.raw, position);
    if (found > position) {
      line += lineEnds(text.slice(position, found));
      position = found;
    }
    blocks.push(...convert(token, line));
    if (found >= 0) {
      line += lineEnds(token.raw);
      position += token.raw.length;
    }
  }
  return blocks;
}

/** Inside lists and quotes the parser strips markers and indentation but keeps every line. */
function nested(tokens: readonly Token[], firstLine: number): Block[] {
  let line = firstLine;
  return tokens.flatMap((token) => {
    const blocks = convert(token, line);
    line += lineEnds(token.raw);
    return blocks;
  });
}

function convert(generic: Token, line: number): Block[] {
  const token = generic as MarkedToken; // no extension is installed, so there are no other tokens
  switch (token.type) {
    case 'heading':
      return [{ kind: 'heading', line, depth: token.depth, text: token.text }];
    case 'paragraph':
    case 'text':
      return [{ kind: 'paragraph', line, text: token.text.replace(/^\[[ xX]\]\s+/, '') }];
    case 'list': {
      let itemLine = line;
      const items = token.items.map((item) => {
        const read = { line: itemLine, blocks: nested(item.tokens, itemLine) };
        itemLine += lineEnds(item.raw);
        return read;
      });
      return [{ kind: 'list', line, items }];
    }
    case 'table': {
      const rows = token.rows.map((row, index) => ({
        line: line + 2 + index,
        cells: row.map((cell) => cell.text),
      }));
      return [{ kind: 'table', line, header: token.header.map((cell) => cell.text), rows }];
    }
    case 'blockquote':
      return [{ kind: 'quote', line, blocks: nested(token.tokens, line) }];
    case 'code':
      return [{ kind: 'code', line, language: (token.lang ?? '').toLowerCase(), text: token.text }];
    case 'hr':
      return [{ kind: 'break', line }];
    default:
      return []; // space, HTML, link definitions, check boxes: nothing to read
  }
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
