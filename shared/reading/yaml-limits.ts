// Looks through YAML, token by token, before it is parsed. The parser recurses, and one that runs out of stack
// takes the whole process with it (V8 aborts when it compiles a pattern there), so depth cannot be left to a catch.
//   L1  Within the limits, parsing needs a bounded stack and bounded memory.
//   L2  A block collection is deeper than another only if it stands further to the right, so columns bound depth.
import { Lexer } from 'yaml';
import { MAX_NESTING, refuse, type TextProblem } from './text-problem.ts';

/** About 3,000 full steps. A token that is an error costs the parser a kilobyte and some microseconds. */
const MAX_TOKENS = 300_000;
const SCALAR_FOLLOWS = '\u001F';
const DOCUMENT_STARTS = '\u0002';
const FLOW_BROKEN = '\u0018';

export function beyondLimits(text: string): { problems: TextProblem[] } | null {
  const columns: number[] = [];
  let [line, column, flow, tokens] = [1, 0, 0, 0];
  let atStart = true;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (++tokens > MAX_TOKENS)
      return refuse(`there are more than ${MAX_TOKENS} words and signs`, 'Split it, or write it as JSON.');
    if (token === SCALAR_FOLLOWS) {
      isScalar = true;
      continue;
    }
    if (token === DOCUMENT_STARTS || token === FLOW_BROKEN) continue;
    const sign = isScalar ? '' : token;
    isScalar = false;
    const opensItem = sign === '-' || sign === '?' || sign === ':';
    const isBlank = sign !== '' && /^(?:[ \t\r\n]*$|#)/.test(sign);
    if (sign === '[' || sign === '{') flow++;
    else if (sign === ']' || sign === '}') flow = Math.max(0, flow - 1);
    else if (flow === 0 && !isBlank && (atStart || opensItem)) {
      while ((columns.at(-1) ?? -1) >= column) columns.pop();
      columns.push(column);
    }
    if (flow > MAX_NESTING || columns.length > MAX_NESTING)
      return refuse(`this is nested deeper than ${MAX_NESTING} levels`, 'Flatten it.', line);
    if (!isBlank) atStart = opensItem;
    const lastBreak = token.lastIndexOf('\n');
    if (lastBreak >= 0) {
      for (const character of token) if (character === '\n') line++;
      column = token.length - lastBreak - 1;
      atStart = true;
    } else column += token.length;
  }
  return null;
}
