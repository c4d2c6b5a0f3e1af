// Walks the blocks of one phase and collects the fields it asks for, with the section each line stands in.
//   R1  A heading's scope lasts until a heading of its level or above; a lead-in's until the list or table after it.
//   R2  Code blocks ask for nothing; under an "Example" label they show what evidence looks like.
import type { Block, Item } from './blocks.ts';
import { namedFields } from './field-names.ts';
import { type Line, MAX_INLINE, readInline } from './inline.ts';
import { parseJson } from './json-text.ts';
import { leadIn, type Scope, saysNoEvidence, scopeOfLabel } from './labels.ts';
import { type Place, readLine } from './line-fields.ts';
import { addDetail, type Mention } from './mention.ts';
import { bare, phrase } from './phrases.ts';
import { readTable } from './tables.ts';
import { ATTRIBUTES, DEMANDS } from './wording.ts';

export interface Found {
  mentions: Mention[];
  /** Values shown in JSON examples, by field. */
  shown: Map<string, unknown>;
  /** The line that says there is nothing to provide. */
  noEvidence?: number;
  /** Paragraphs too long to be searched for requirements. */
  tooLong: number[];
}

/** No requirement names so many things; reading takes quadratic time in them. */
const MAX_MARKS = 200;
const DEMAND = phrase(DEMANDS);
const TEXT: Scope = { section: 'text', optional: false };

export function findRequirements(blocks: readonly Block[]): Found {
  const found: Found = { mentions: [], shown: new Map(), tooLong: [] };
  walk(blocks, TEXT, found);
  return found;
}

function walk(blocks: readonly Block[], outer: Scope, found: Found): void {
  const headings: { depth: number; scope: Scope }[] = [];
  let lead: Scope | undefined;
  let leadUsed = false;
  for (const [at, block] of blocks.entries()) {
    const around = headings.at(-1)?.scope ?? outer;
    const scope = lead ?? around;
    switch (block.kind) {
      case 'heading': {
        while ((headings.at(-1)?.depth ?? 0) >= block.depth) headings.pop();
        const opened = scopeOfLabel(readInline(block.text).text);
        headings.push({ depth: block.depth, scope: opened ?? headings.at(-1)?.scope ?? outer });
        lead = undefined;
        break;
      }
      case 'paragraph': {
        const said = proseOf(block.text, block.line, found);
        const label = leadIn(said);
        if (label !== undefined) {
          lead = scopeOfLabel(label);
          leadUsed = false;
        } else if (leadUsed) lead = undefined;
        const opens = label !== undefined && lead !== undefined && introduces(said, blocks[at + 1]);
        read(opens ? withoutBold(said) : said, lead ?? around, 'paragraph', block.line, found);
        break;
      }
      case 'list':
        for (const item of block.items) readItem(item, scope, found);
        leadUsed = true;
        break;
      case 'table':
        found.mentions.push(...readTable(block, scope));
        leadUsed = true;
        break;
      case 'quote':
        walk(block.blocks, scope, found);
        break;
      case 'code':
        if (scope.section === 'example' || scope.section === 'checkpoint') readJsonExample(block.text, found);
        leadUsed = true;
        break;
      case 'break':
        lead = undefined;
    }
  }
}

function readItem(item: Item, scope: Scope, found: Found): void {
  const [first, ...rest] = item.blocks;
  if (first?.kind !== 'paragraph') return walk(item.blocks, scope, found);
  const said = proseOf(first.text, first.line, found);
  const label = leadIn(said);
  const opened = label === undefined ? undefined : scopeOfLabel(label);
  const mentions = isGroupTitle(said, rest) ? [] : read(said, scope, 'item', item.line, found);
  const [only] = mentions;
  if (only?.alone) readDetails(rest, only, scope, found);
  else walk(rest, opened ?? scope, found);
}

/** What is nested below a field: attributes and rules of it, or, where they have names of their own, more fields. */
function readDetails(blocks: readonly Block[], field: Mention, scope: Scope, found: Found): void {
  const structured = field.facts.stated === 'object' || field.facts.stated === 'list';
  for (const block of blocks) {
    if (block.kind === 'paragraph') addDetail(field, readInline(block.text));
    else if (block.kind !== 'list') walk([block], scope, found);
    else {
      for (const item of block.items) {
        const [first] = item.blocks;
        const said = readInline(first?.kind === 'paragraph' ? first.text : '');
        if (isDetail(said)) addDetail(field, said);
        else if (!structured) readItem(item, scope, found); // else a key of the object, an entry of the list
      }
    }
  }
}

function isDetail(said: Line): boolean {
  const label = bare(said.text.split(/[:=]/)[0] ?? '');
  if (ATTRIBUTES.has(label)) return true;
  const [first] = namedFields(said, true);
  return first === undefined || said.text.slice(0, first.start).trim() !== '';
}

/** "**Checkpoint evidence:**" is a label, and what it is called no field. */
const introduces = (said: Line, next: Block | undefined): boolean =>
  said.text.trim().endsWith(':') || ['list', 'table', 'code'].includes(next?.kind ?? '');

const withoutBold = ({ text, marks }: Line): Line => ({
  text,
  marks: marks.filter(({ kind }) => kind !== 'bold'),
});

/** "**Counts**" above a list of fields is a title, not a field. */
function isGroupTitle(said: Line, below: readonly Block[]): boolean {
  const whole = said.marks.some(
    (mark) => mark.kind === 'bold' && bare(said.text.slice(mark.start, mark.end)) === bare(said.text),
  );
  const items = below.flatMap((block) => (block.kind === 'list' ? block.items : []));
  if (!whole || items.length === 0) return false;
  return items.every(
    ({ blocks: [first] }) => first?.kind === 'paragraph' && !isDetail(readInline(first.text)),
  );
}

function read(said: Line, scope: Scope, place: Place, line: number, found: Found): Mention[] {
  if (saysNoEvidence(said.text, scope)) found.noEvidence ??= line;
  const mentions = readLine(said, scope, place, line);
  found.mentions.push(...mentions);
  return mentions;
}

/** A paragraph as a line; if it is too long to be searched, nothing, and a note where it seems to ask for something. */
function proseOf(source: string, line: number, found: Found): Line {
  const said = source.length > MAX_INLINE ? undefined : readInline(source.replace(/^\[![A-Z]+\]\s*/, '')); // "[!NOTE]"
  if (said !== undefined && said.marks.length <= MAX_MARKS) return said;
  if (/[`_*]/.test(source) && DEMAND.test(source)) found.tooLong.push(line);
  return { text: '', marks: [] };
}

function readJsonExample(text: string, found: Found): void {
  const parsed = parseJson(text)?.value;
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return;
  const inner: unknown = 'evidence' in parsed ? parsed.evidence : parsed;
  if (typeof inner !== 'object' || inner === null) return;
  for (const [name, value] of Object.entries(inner)) if (value !== null) found.shown.set(name, value);
}
