// One place in the document that asks for a field, and what it says about it.
import type { NamedField } from './field-names.ts';
import { type Facts, mergeFacts, readFacts } from './facts.ts';
import { joinLines, type Line } from './inline.ts';

export interface Mention {
  name: string;
  line: number;
  description: string;
  facts: Facts;
  /** The item asked for one field and no more, so what is nested below it speaks of that field. */
  alone: boolean;
  kind: NamedField['kind'];
}

export function mention(
  field: NamedField,
  said: Line,
  options: { line: number; description?: string },
): Mention {
  const all = field.rule === undefined ? said : joinLines({ text: field.rule, marks: [] }, said, ', ');
  const facts = readFacts(all);
  if (field.type !== undefined) facts.stated = field.type;
  if (field.example !== undefined) facts.example = { value: field.example.value, telling: true, all: [] };
  if (field.optional) facts.required = false;
  const description = describe(options.description ?? said.text);
  return { name: field.name, line: options.line, description, facts, alone: false, kind: field.kind };
}

/** A later line about the same field, an attribute nested below it or "It must be non-empty.": it says more exactly. */
export function addDetail(to: Mention, said: Line): void {
  const detail = readFacts(said);
  const text = `${to.facts.text}\n${detail.text}`;
  to.facts = { ...mergeFacts(detail, to.facts), text };
  const told = describe(said.text);
  to.description = [to.description, told].filter((part) => part !== '').join('. ');
}

/** The human text around a field: no separators at its ends, no parentheses around the whole of it. */
function describe(text: string): string {
  let told = text
    .replace(/\s+/g, ' ')
    .replace(/^[\s:—–\-,;.=→|)\]]+/u, '')
    .replace(/\(\s*\)/g, '')
    .replace(/\s+(?=[.,;:])/g, '')
    .replace(/[\s,;:—–(-]+$/u, '')
    .replace(/(?<!\.\p{L})\.$/u, '')
    .replace(/^(?:field )?(?:is|are) /i, '')
    .replace(/^\(([^()]*)\)\s*[:—–-]\s*/u, '$1: ');
  if (/^\([^()]*\)\.?$/.test(told)) told = told.replace(/^\(|\)\.?$/g, '');
  if (told.endsWith(')') && !told.includes('(')) told = told.slice(0, -1);
  return told;
}
