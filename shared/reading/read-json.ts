// JSON as plain data. The text is checked by a scanner of our own, which knows lines, finds a key that is there
// twice (JSON.parse keeps the last in silence) and does not recurse; JSON.parse then only makes the value.
//   J1  Whatever the text, the answer is a value or a problem; nothing is thrown.
import { MAX_NESTING, type ReadText, refuse } from './text-problem.ts';

type Expected =
  | 'a value'
  | 'a value or "]"'
  | 'a key'
  | 'a key or "}"'
  | 'a colon'
  | 'a comma or the end'
  | 'nothing';
/** An open object holds the keys it has; an open list holds none. */
type Open = Set<string> | null;

const SPACE = /[ \t\r\n]*/y;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const [QUOTE, BACKSLASH, FIRST_PRINTABLE] = [0x22, 0x5c, 0x20];
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

export function readJson(text: string): ReadText {
  const wrong = scan(text);
  if (wrong) return refuse(wrong.message, wrong.fix, lineAt(text, wrong.at));
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    // The scanner lets only JSON pass; should it ever be wrong, the parser has the last word.
    return refuse(
      `it is not JSON (${error instanceof Error ? error.message : 'unknown'})`,
      'Correct the JSON.',
    );
  }
}

function scan(text: string): { at: number; message: string; fix: string } | null {
  const open: Open[] = [];
  const after = (): Expected => (open.length === 0 ? 'nothing' : 'a comma or the end');
  let expected: Expected = 'a value';
  for (let at = skip(SPACE, text, 0); at < text.length; at = skip(SPACE, text, at)) {
    const sign = text.charAt(at);
    const inside = open.at(-1);
    const end =
      sign === '"' ? stringEnd(text, at) : '[]{}:,'.includes(sign) ? at + 1 : skip(LITERAL, text, at);
    const isWhole = end > at;
    const wantsValue = expected === 'a value' || expected === 'a value or "]"';
    if (isWhole && sign === '"' && inside && (expected === 'a key' || expected === 'a key or "}"')) {
      const key = JSON.parse(text.slice(at, end)) as string; // a whole JSON string
      if (inside.has(key))
        return { at, message: `the key "${key.slice(0, 80)}" is there twice`, fix: 'Keep one of the two.' };
      inside.add(key);
      expected = 'a colon';
    } else if (wantsValue && (sign === '{' || sign === '[')) {
      open.push(sign === '{' ? new Set() : null);
      if (open.length > MAX_NESTING)
        return { at, message: `this is nested deeper than ${MAX_NESTING} levels`, fix: 'Flatten it.' };
      expected = sign === '{' ? 'a key or "}"' : 'a value or "]"';
    } else if (isWhole && wantsValue && !']}:,'.includes(sign)) expected = after();
    else if (closes(sign, inside, expected)) {
      open.pop();
      expected = after();
    } else if (sign === ':' && expected === 'a colon') expected = 'a value';
    else if (sign === ',' && expected === 'a comma or the end') expected = inside ? 'a key' : 'a value';
    else return { at, ...unexpected(text, at, expected) };
    at = end;
  }
  return expected === 'nothing' ? null : { at: text.length, ...unexpected(text, text.length, expected) };
}

function closes(sign: string, inside: Open | undefined, expected: Expected): boolean {
  if (sign === '}')
    return inside instanceof Set && (expected === 'a key or "}"' || expected === 'a comma or the end');
  return (
    sign === ']' && inside === null && (expected === 'a value or "]"' || expected === 'a comma or the end')
  );
}

function unexpected(text: string, at: number, expected: Expected): { message: string; fix: string } {
  const shown = /^\S{1,20}/.exec(text.slice(at, at + 20))?.[0];
  const found = shown === undefined ? 'the text ends' : `there is ${JSON.stringify(shown)}`;
  const fix = 'Correct the JSON there; often it is a comma, a quote or a comment.';
  return { message: `${found} where ${expected} is expected`, fix };
}

/** Where the pattern's match ends; the same place if there is none. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Just after the closing quote; the string's own place if it never closes or holds what it may not. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    const after = code === BACKSLASH ? skip(ESCAPE, text, at) : at + 1;
    if (after === at || code < FIRST_PRINTABLE) return start;
    at = after;
  }
  return start;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
  return line;
}
