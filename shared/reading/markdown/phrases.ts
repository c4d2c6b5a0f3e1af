// Turns lists of words into patterns that respect word edges in any alphabet (\b knows only ASCII).
const EDGE = '[\\p{L}\\p{N}_]';

/** The alternation of some wordings, longest first, each held by word edges; no capturing group inside. */
export function anyOf(words: readonly string[]): string {
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  return `(?:${longestFirst.map(edged).join('|')})`;
}

export function phrase(words: readonly string[], flags = 'iu'): RegExp {
  return new RegExp(anyOf(words), flags);
}

function edged(word: string): string {
  const source = word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+');
  const before = /^[\p{L}\p{N}_]/u.test(word) ? `(?<!${EDGE})` : '';
  const after = /[\p{L}\p{N}_]$/u.test(word) ? `(?!${EDGE})` : '';
  return before + source + after;
}

/** What a label says, without emoji, punctuation around it and capitals. */
export function bare(text: string): string {
  return text
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}
