// The parts of a step that are locked until it is reached, in the shape callers read them.
import type { EvidenceField } from '../model/evidence.ts';
import type { Step } from '../model/workflow.ts';

/** Roughly what a tokenizer makes of prose. */
export const CHARACTERS_PER_TOKEN = 4;
export const tokensIn = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

export function criteriaOf(step: Step): Readonly<Record<string, unknown>>[] {
  return step.criteria.map(({ type, params }) => ({
    type,
    ...Object.fromEntries(Object.entries(params).filter(([key]) => key !== 'compiled')),
    ...(type === 'evidence' ? { required_evidence: evidenceFormat(step) } : {}),
  }));
}

/** Each field as it was defined, with an example of a value that fits. */
export function evidenceFormat(step: Step): Readonly<Record<string, EvidenceField>> {
  return Object.fromEntries(
    Object.entries(step.evidence).map(([name, field]) => [
      name,
      { ...field, required: field.required ?? true, example: field.example ?? exampleOf(field) },
    ]),
  );
}

function exampleOf(field: EvidenceField): unknown {
  const { type, choices, contains = [], min_length = 0 } = field;
  if (type === 'boolean') return true;
  if (type === 'object') return {};
  if (type === 'integer' || type === 'number') return numberFor(field);
  if (type === 'list') {
    const items = contains.length > 0 ? [...contains] : [choices?.[0] ?? 'an item'];
    while (items.length < min_length) items.push(choices?.[0] ?? `item ${items.length + 1}`);
    return items;
  }
  return (choices?.[0] ?? (contains.length > 0 ? contains.join(' ') : 'some text')).padEnd(min_length, '.');
}

/** The least positive number within the bounds, else the nearest to it. */
function numberFor({ type, min, max, above }: EvidenceField): number {
  let value = Math.max(1, min ?? 1, above === undefined ? 1 : above + 1);
  if (type === 'integer') value = Math.ceil(value);
  if (max === undefined || value <= max) return value;
  return above !== undefined && above < max && type === 'number' ? (above + max) / 2 : max;
}
