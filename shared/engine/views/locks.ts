// What of a step may be shown to whom.
//   V1  A step is unlocked while it is the current one and once it is done; undone by a way back, it locks again.
//   V2  Of a locked step only its id, its roles and its place in the graph show; its title too, unless the
//       workflow is strict. A person who is an admin sees all.
import { seesLocked } from '../decide/permissions.ts';
import type { Actor } from '../model/actor.ts';
import type { State, StepRecord } from '../model/state.ts';
import { type Step, stepAt, type Workflow } from '../model/workflow.ts';

export function currentStep(workflow: Workflow, state: Pick<State, 'current_step'>): Step {
  return stepAt(workflow, workflow.index.get(state.current_step) ?? workflow.entry);
}

export const recordOf = (state: Pick<State, 'steps'>, step: Step): StepRecord | null =>
  state.steps[step.index] ?? null;

export const isDone = (record: StepRecord | null): boolean =>
  record?.status === 'completed' || record?.status === 'skipped';

export function isUnlocked(state: Pick<State, 'current_step' | 'steps'>, step: Step): boolean {
  const record = recordOf(state, step);
  return step.id === state.current_step || isDone(record) || record?.status === 'failed';
}

/** Without an actor: as anyone may see it. */
export function titleFor(workflow: Workflow, state: State, step: Step, actor?: Actor): string | null {
  const hidden = workflow.visibility === 'strict' && !isUnlocked(state, step);
  return hidden && !(actor && seesLocked(actor)) ? null : step.title;
}

/** The steps that people count: all but the final ones. */
export const countedSteps = (workflow: Workflow): readonly Step[] =>
  workflow.steps.filter(({ final }) => final === null);
