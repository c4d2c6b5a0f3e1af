// Decides whether a heading opens a phase: "Phase 3", "Phase 3: Title", "📌 Phase 3. Title", "Фаза 3 — …".
import { anyOf } from './phrases.ts';
import { readInline } from './inline.ts';
import { NUMBER_WORDS, PHASE_WORDS } from './wording.ts';

export interface PhaseHeading {
  number: number;
  title: string;
  /** Whether a colon, dash or dot stands between number and title (or there is no title). */
  separated: boolean;
}
/** Looks like a phase, but its number is not one: "Phase II", "Phase 2b", "Phase 3.1". */
export interface AlmostPhase {
  almost: true;
}

// Emoji, keycaps and outline numbers ("2.1 Phase 3") may come first.
const OPENING = '^(?:[^\\p{L}\\p{N}]|\\d\\uFE0F?\\u20E3|\\d+(?:\\.\\d+)*[.)]?\\s)*';
const NUMBERED = new RegExp(`${OPENING}(?:${PHASE_WORDS.join('|')})[\\s#№_:-]*(\\d+)(.*)$`, 'isu');
const UNNUMBERED = new RegExp(
  `${OPENING}(?:${PHASE_WORDS.join('|')})\\s+(?:[ivxl]+|[a-z]|${anyOf([...NUMBER_WORDS.keys()])})(?=$|\\s*[:.—–|-])`,
  'isu',
);
const SEVERAL = new RegExp(
  `^(?:[-–—]\\d|\\s*(?:,|&|\\+|→|->|and|or|to|through|vs\\.?|и|y)\\s*(?:${PHASE_WORDS.join('|')})?s?\\s*\\d)`,
  'iu',
);
const OF_TOTAL = /^\s*(?:\/|of\s|из\s|de\s)\s*\d+/iu;
const SEPARATOR = /^[\s)\]]*[:.)\]—–|·•-]+/u;
const MAX_HEADING = 400;

export function headingText(source: string): string {
  return readInline(source.slice(0, MAX_HEADING)).text.replace(/\s+/g, ' ').trim();
}

export function readPhaseHeading(text: string): PhaseHeading | AlmostPhase | undefined {
  const match = NUMBERED.exec(text);
  if (match === null) return UNNUMBERED.test(text) ? { almost: true } : undefined;
  const digits = match[1] ?? '';
  const after = match[2] ?? '';
  if (SEVERAL.test(after)) return undefined; // "Phases 1–3 at a glance" speaks about phases
  if (/^(?:\.\d|[\p{L}_])/u.test(after) || digits.length > 6) return { almost: true };
  const rest = after.replace(OF_TOTAL, '');
  const separator = SEPARATOR.exec(rest)?.[0];
  const title = rest.slice(separator?.length ?? 0).trim();
  return { number: Number(digits), title, separated: separator !== undefined || title === '' };
}
