// Objects that refuse unknown keys, and say which known key was probably meant.
import * as z from 'zod';

export function strict<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys ?? [], known) : undefined),
  });
}

function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  return keys.map((key) => `unknown key "${key}"${didYouMean(key, known)}`).join('; ');
}

/** Beyond this a word is not a slip of the pen, and comparing it would cost its length squared. */
const LONGEST_WORD = 100;

/** " (did you mean "x"?)" for the nearest known name, or the list of names when none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (word.length > LONGEST_WORD) return '';
  let best: string | undefined;
  // A suggestion shares at least a letter with the word.
  let bestDistance = Math.min(word.length, Math.max(2, Math.floor(word.length / 3)) + 1);
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  if (best !== undefined) return ` (did you mean "${best}"?)`;
  return known.length > 0 && known.length <= 40 ? ` (known: ${known.join(', ')})` : '';
}

/** Levenshtein distance, given up once it must reach `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) >= limit) return limit;
    row = next;
  }
  return row[b.length] ?? limit;
}
