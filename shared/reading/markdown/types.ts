// Which type a field has: said outright, else shown by its example, else told by its name, else by its description.
import { parseJson } from './json-text.ts';
import { anyOf, phrase } from './phrases.ts';
import {
  AFTER_TYPE,
  BEFORE_TYPE,
  COVERAGE,
  type EvidenceType,
  LOOSE_TYPE_WORDS,
  NAME_ENDS,
  NAME_STARTS,
  TYPE_ADJECTIVES,
  TYPE_HINTS,
  TYPE_WORDS,
} from './wording.ts';

const strictTypes = byWord(TYPE_WORDS);
const looseTypes = byWord(TYPE_WORDS, LOOSE_TYPE_WORDS);
const nameEnds = byWord(NAME_ENDS);
const nameStarts = byWord(NAME_STARTS);
const hints = byWord(TYPE_HINTS);

const ADJECTIVES = `(?:${anyOf(TYPE_ADJECTIVES)}[\\s,]+)*`;
const FOLLOWED = `(?=\\s*(?:$|[^\\p{L}\\p{N}\\s/]|${anyOf(AFTER_TYPE)}|\\d))`;
const STRICT = `(${anyOf([...strictTypes.keys()])})${FOLLOWED}`;
const OPENING = new RegExp(`^[^\\p{L}\\p{N}]*${ADJECTIVES}${STRICT}`, 'iu');
const STATED = new RegExp(`${anyOf(BEFORE_TYPE)}\\s*[:=]?\\s*${ADJECTIVES}${STRICT}`, 'giu');
const LOOSE = new RegExp(`^\\s*${ADJECTIVES}(${anyOf([...looseTypes.keys()])})${FOLLOWED}`, 'iu');
const HINT = phrase([...hints.keys()], 'giu');

/** The type in a type column, or after a colon in code: "int", "list[str]", "string (non-empty)". */
export function typeFromWord(text: string): EvidenceType | undefined {
  if (/^[\w.]+\s*\[\s*\]$/.test(text.trim())) return 'list'; // string[]
  return notACount(text, LOOSE.exec(text), looseTypes);
}

/** The type a description states outright; nothing if it only hints at one. */
export function statedType(text: string): EvidenceType | undefined {
  const opening = notACount(text, OPENING.exec(text), strictTypes);
  if (opening !== undefined) return opening;
  for (const group of text.matchAll(/\(([^()]*)\)/g)) {
    for (const piece of (group[1] ?? '').split(/[,;]/)) {
      const type = typeFromWord(piece);
      if (type !== undefined) return type;
    }
  }
  for (const match of text.matchAll(STATED)) {
    const type = notACount(text, match, strictTypes);
    if (type !== undefined) return type;
  }
  return undefined;
}

/** "number of branches" is a count, not the type number. */
function notACount(
  text: string,
  match: RegExpExecArray | null,
  types: ReadonlyMap<string, EvidenceType>,
): EvidenceType | undefined {
  const word = match?.[1];
  if (!match || word === undefined) return undefined;
  const type = types.get(word.toLowerCase().replace(/\s+/g, ' '));
  const after = text.slice(match.index + match[0].length);
  return type === 'number' && /^\s*(?:of|de)\s/iu.test(after) ? undefined : type;
}

export function typeOfValue(value: unknown): EvidenceType {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'string' : 'object';
}

/** function_count, functions_list, ast_command_output, is_valid, branchCount */
export function typeFromName(name: string): EvidenceType | undefined {
  const parts = name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .split('_')
    .filter((part) => part !== '');
  const first = parts.length > 1 ? nameStarts.get(parts[0] ?? '') : undefined;
  return (first === 'boolean' ? first : undefined) ?? nameEnds.get(parts.at(-1) ?? '') ?? first;
}

/** The earliest telling word decides: "the output of the command that counts" is an output. */
export function typeFromHints(text: string): EvidenceType | undefined {
  const coverage = COVERAGE.exec(text);
  for (const match of text.matchAll(HINT)) {
    if (coverage !== null && coverage.index < match.index) return 'number';
    return hints.get(match[0].toLowerCase().replace(/\s+/g, ' '));
  }
  return coverage === null ? undefined : 'number';
}

/** What a piece of example text is worth as a type: JSON tells, words do not. */
export function valueFromText(text: string): { value: unknown; telling: boolean } {
  const parsed = parseJson(text);
  return parsed === undefined ? { value: text, telling: false } : { value: parsed.value, telling: true };
}

function byWord(
  ...tables: readonly Readonly<Partial<Record<EvidenceType, readonly string[]>>>[]
): Map<string, EvidenceType> {
  const types = new Map<string, EvidenceType>();
  for (const table of tables) {
    // Object.entries forgets the key type; the tables' own type guarantees it.
    for (const [type, words] of Object.entries(table) as [EvidenceType, readonly string[]][]) {
      for (const word of words) types.set(word, type);
    }
  }
  return types;
}
