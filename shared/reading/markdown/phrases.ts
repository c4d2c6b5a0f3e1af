// Turns lists of words into patterns that respect word edges in any alphabet (\b knows only ASCII).
// The letters of the alphabets in wording.ts, spelt out: \p{L} in hundreds of places takes a second to compile.
const EDGE = '[0-9A-Za-z_\\u00C0-\\u024F\\u0400-\\u052F]';
const LETTER = new RegExp(EDGE);

/** The alternation of some wordings, longest first, held by word edges; no capturing group inside. */
export function anyOf(words: readonly string[]): string {
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  // Wordings that end in a symbol go first: "e.g." before "e.g".
  const groups = [...new Set(longestFirst.map(shape))].sort().map((each) => {
    const alternatives = longestFirst.filter((word) => shape(word) === each).map(escape);
    const before = each.startsWith('w') ? `(?<!${EDGE})` : '';
    return `${before}(?:${alternatives.join('|')})${each.endsWith('w') ? `(?!${EDGE})` : ''}`;
  });
  return `(?:${groups.join('|')})`;
}

export function phrase(words: readonly string[], flags = 'iu'): RegExp {
  return new RegExp(anyOf(words), flags);
}

/** Which ends of a wording are letters and so need a word edge. */
function shape(word: string): 'ss' | 'sw' | 'ws' | 'ww' {
  const end = LETTER.test(word.slice(-1)) ? 'w' : 's';
  return LETTER.test(word.slice(0, 1)) ? `w${end}` : `s${end}`;
}

function escape(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+');
}

/** What a label says, without emoji, punctuation around it and capitals. */
export function bare(text: string): string {
  return text
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}
