// Work that passes: evidence that fits its formats, outputs, findings, widgets' items and facts in plenty.
import { whatIsWrong } from '../engine/criteria/evidence.ts';
import type { EvidenceField } from '../engine/model/evidence.ts';
import type { Facts } from '../engine/model/facts.ts';
import type { Json } from '../engine/model/json.ts';
import type { Step, Workflow } from '../engine/model/workflow.ts';

export type Values = Record<string, Json>;
export interface Supply {
  readonly data: Values;
  readonly evidence: Values;
  readonly artifacts: Values;
  readonly shared: Values;
}

const PLENTY = 1_000;

/** Undefined if no sample fits the format. */
export function sampleOf(format: EvidenceField): Json | undefined {
  const candidates: unknown[] = [format.example, ...(format.choices ?? []), ...madeFor(format)];
  return candidates.find((value) => value !== undefined && whatIsWrong(format, value) === null) as
    | Json
    | undefined; // examples were read from JSON or YAML
}

function madeFor({ type, min, max, above, min_length = 1, contains = [] }: EvidenceField): Json[] {
  if (type === 'boolean') return [true];
  if (type === 'object') return [{ sample: true }];
  if (type === 'integer' || type === 'number') {
    const low = [min, above].filter((value) => value !== undefined);
    const near = [...low, ...(max === undefined ? [] : [max]), 1];
    return near.flatMap((value) => [value, Math.ceil(value), Math.floor(value) + 1, value + 0.01, value - 1]);
  }
  const filled = Array.from({ length: Math.max(0, min_length - contains.length) }, () => 'sample');
  if (type === 'list') return [[...contains, ...filled], []];
  const text = contains.join(' ');
  return [text || 'sample', `${text} sample`, text.padEnd(min_length, 'x'), 'x'.repeat(min_length), ''];
}

/** All a step asks for. `failing` makes a review find something. */
export function fullSupply({ artifacts }: Workflow, step: Step, failing: boolean): Supply {
  const evidence: Values = {};
  for (const [name, format] of Object.entries(step.evidence)) {
    const value = sampleOf(format);
    if (value !== undefined) evidence[name] = value;
  }
  if (step.criteria.some(({ type }) => type === 'qr_gate'))
    evidence['findings'] = failing ? [{ severity: 'MUST', finding: 'sample' }] : [];
  const listed = step.criteria.flatMap(({ params }) =>
    Array.isArray(params['names']) ? params['names'] : [],
  );
  const outputs = [...artifacts, ...step.outputs, ...listed.map(String)];
  return {
    data: {},
    evidence,
    artifacts: Object.fromEntries(outputs.map((name) => [name, `sample ${name}`])),
    shared: {},
  };
}

export function widgetsOf(step: Step): { widget_type: string; items: Json[] }[] {
  return step.criteria
    .filter(({ type }) => type === 'widget_completed')
    .map(({ params }) => ({
      widget_type: String(params['widget_type']),
      items: Array.from({ length: Math.max(1, Number(params['min_items'] ?? 1)) }, (_, i) => `item ${i + 1}`),
    }));
}

export function plentyOfFacts({ steps }: Workflow): Facts {
  const checks = steps.flatMap(({ criteria }) => criteria.filter(({ type }) => type === 'memory_check'));
  return {
    memory: Object.fromEntries(
      checks.map(({ params }) => [String(params['category']), Math.max(PLENTY, Number(params['min_facts']))]),
    ),
  };
}
