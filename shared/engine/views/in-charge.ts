// Who is to act on an instance as it rests now, and with what.
import { assignees, requiredAction } from '../decide/assign.ts';
import { isFinished, type State } from '../model/state.ts';
import type { Step, Workflow } from '../model/workflow.ts';
import { currentStep, recordOf } from './locks.ts';

export interface InCharge {
  readonly role: string | null;
  readonly action: string | null;
  readonly agent: string | null;
}

/** Null when the instance is finished: no one is. */
export function inCharge(workflow: Workflow, state: State): InCharge | null {
  if (isFinished(state)) return null;
  const step = currentStep(workflow, state);
  if (state.status === 'waiting_approval')
    return { role: step.approval?.roles[0] ?? 'owner', action: 'approve', agent: null };
  if (state.status === 'waiting_input') return { role: 'owner', action: 'answer', agent: null };
  const action = requiredAction(step);
  const [role] = step.roles_in_charge;
  if (role !== undefined) return { role, action, agent: null };
  const [assignee] = assignees(step, recordOf(state, step) ?? { agents_done: [] });
  if (assignee === undefined || assignee === 'owner') return { role: 'owner', action, agent: null };
  return { role: null, action, agent: assignee };
}

/** Everyone a step is for: roles, agents, or the owner. */
export const peopleOf = (step: Step): readonly string[] => assignees(step, { agents_done: [] });
