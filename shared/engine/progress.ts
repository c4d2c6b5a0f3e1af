// How far an instance is: counted over the steps that every way to completion passes.
import type { Progress } from './model/event.ts';
import type { State } from './model/state.ts';
import type { Workflow } from './model/workflow.ts';
import { count, type Tally, tallyOf } from './tally.ts';

type Counted = Pick<State, 'status' | 'steps' | 'current_step' | 'params'>;

export function progressOf(
  workflow: Workflow,
  state: Counted,
  known: Tally | null = tallyOf(workflow, state),
): Progress {
  const { completed_steps, milestones } = known ?? count(workflow, state.steps);
  const total = workflow.milestones.length;
  const whole = state.status === 'completed';
  return {
    current_step: state.current_step,
    completed_steps,
    completed: whole ? total : milestones,
    total,
    percent: whole ? 100 : total === 0 ? 0 : Math.floor((milestones * 100) / total),
  };
}
