// How far an instance is: counted over the steps that every way to completion passes.
import type { Progress } from './model/event.ts';
import type { State, StepRecord } from './model/state.ts';
import type { Workflow } from './model/workflow.ts';

export function progressOf(
  workflow: Workflow,
  state: Pick<State, 'status' | 'steps' | 'current_step'>,
): Progress {
  const total = workflow.milestones.length;
  let completed = 0;
  for (const milestone of workflow.milestones) if (isDelivered(state.steps[milestone])) completed++;
  if (state.status === 'completed') completed = total;
  const completed_steps: string[] = [];
  for (const record of state.steps) {
    if (
      record &&
      (record.status === 'completed' || record.status === 'skipped') &&
      workflow.steps[workflow.index.get(record.id) ?? -1]?.final === null
    ) {
      completed_steps.push(record.id);
    }
  }
  const percent =
    state.status === 'completed' ? 100 : total === 0 ? 0 : Math.floor((completed * 100) / total);
  return { current_step: state.current_step, completed_steps, completed, total, percent };
}

/** Done, or done but for a person's approval. */
function isDelivered(record: StepRecord | null | undefined): boolean {
  return (
    record?.status === 'completed' || record?.status === 'skipped' || record?.status === 'waiting_approval'
  );
}
