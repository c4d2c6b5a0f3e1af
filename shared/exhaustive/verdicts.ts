// Why a transition was never taken: a fault of the definition, or something a walk cannot make happen by itself.
import { CHECKERS } from '../engine/criteria/registry.ts';
import type { Step, Transition } from '../engine/model/workflow.ts';
import type { Coverage, Row } from './coverage.ts';

const BUILT_IN: ReadonlySet<string> = new Set(CHECKERS.map(({ type }) => type));

export function settleRows(coverage: Coverage, exhausted: boolean): readonly Row[] {
  const { workflow, rows } = coverage;
  const skippedSteps = new Set<number>();
  // A step behind skipped ways only is skipped as well, so go on until nothing changes.
  for (let changed = true; changed; ) {
    changed = false;
    for (const step of workflow.steps) {
      for (const way of step.transitions) {
        const row = rows.get(way);
        if (!row || row.status !== 'never' || row.reason !== null) continue;
        if (row.taken > 0) row.status = 'taken';
        else {
          const reason = reasonFor(coverage, step, way, skippedSteps, exhausted);
          if (reason === null) continue;
          row.status = 'skipped';
          row.reason = reason;
        }
        changed = true;
      }
    }
    for (const { index, id } of workflow.steps) {
      const inward = [...rows].filter(([way]) => way.to === index);
      const shut = inward.length > 0 && inward.every(([, row]) => row.status === 'skipped');
      if (shut && !coverage.entered.has(id) && index !== workflow.entry && !skippedSteps.has(index)) {
        skippedSteps.add(index);
        changed = true;
      }
    }
  }
  for (const row of rows.values())
    if (row.status === 'never')
      row.reason = coverage.entered.has(row.step)
        ? `tried, but never taken (${row.blocked} blocked, ${row.refused} refused)`
        : 'its step was never entered';
  return [...rows.values()];
}

function reasonFor(
  { unsolved, entered }: Coverage,
  step: Step,
  way: Transition,
  skippedSteps: ReadonlySet<number>,
  exhausted: boolean,
): string | null {
  const tried = unsolved.get(way);
  if (tried !== undefined) return tried;
  const outside = step.criteria.find(({ type }) => !BUILT_IN.has(type));
  if (outside) return `the criterion "${outside.type}" is not built in, so no sample is known to meet it`;
  if (step.handler.kind === 'function' && entered.has(step.id))
    return `the function "${step.handler.name}" never answered ${way.on} to what was tried`;
  if (way.guard && (way.auto || step.automatic))
    return `no values were found for the automatic \`${way.guard.source}\``;
  if (step.handler.kind === 'decide' && step.automatic)
    return `no values were found for which \`${step.handler.outcome.source}\` gives ${way.on}`;
  if (skippedSteps.has(step.index)) return 'every way to its step was skipped';
  return exhausted ? 'the limit of situations was reached first' : null;
}
