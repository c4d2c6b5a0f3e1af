// How far an instance is: counted over the steps that every way to completion passes.
import type { Progress } from './model/event.ts';
import type { State } from './model/state.ts';
import type { Workflow } from './model/workflow.ts';

export function progressOf(
  workflow: Workflow,
  state: Pick<State, 'status' | 'steps' | 'current_step'>,
): Progress {
  const { steps, is_milestone } = workflow;
  const total = workflow.milestones.length;
  const completed_steps: string[] = [];
  let completed = 0;
  for (let i = 0; i < state.steps.length; i++) {
    const record = state.steps[i];
    if (!record) continue;
    const { status } = record;
    const done = status === 'completed' || status === 'skipped';
    if (done && steps[i]?.final === null) completed_steps.push(record.id);
    // A step that only waits for its approval has delivered its work.
    if ((done || status === 'waiting_approval') && is_milestone[i]) completed++;
  }
  if (state.status === 'completed') completed = total;
  const percent =
    state.status === 'completed' ? 100 : total === 0 ? 0 : Math.floor((completed * 100) / total);
  return { current_step: state.current_step, completed_steps, completed, total, percent };
}
