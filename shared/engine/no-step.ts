// What is answered to a name that no step has. The ids of steps are nobody's secret.
import type { Refusal } from '../faults.ts';
import type { Workflow } from './model/workflow.ts';

const NAMED = 20;

export function noStep({ id, steps }: Workflow, name: string | number): Refusal {
  const known = steps.filter(({ final }) => final === null).map((step) => step.id);
  const some = known.slice(0, NAMED).map((step, i) => `${i + 1} ${step}`);
  const message = `"${id}" has no step "${name}". It has ${some.join(', ')}${known.length > NAMED ? ', …' : ''}.`;
  return { code: 'not_found', message, details: { steps: known } };
}
