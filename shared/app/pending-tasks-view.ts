// One task as its role sees it.
import {
  type Actor,
  agentContext,
  currentStep,
  type JsonObject,
  NO_FACTS,
  type State,
  type Workflow,
} from '../engine/index.ts';
import { headOf } from './project.ts';

export type PendingTask = NonNullable<ReturnType<typeof taskFor>>;

/** Null if it does not wait for one of these roles, or not for this caller. */
export function taskFor(
  workflow: Workflow,
  state: State,
  roles: readonly string[],
  caller: Actor,
  now: string,
) {
  const { assigned_to, assigned_at } = headOf(workflow, state);
  const role = roles.find((name) => assigned_to.includes(name));
  if (role === undefined) return null;
  // What only a person may do is no task for an agent.
  if (caller.kind !== 'human' && (state.status === 'waiting_approval' || currentStep(workflow, state).human))
    return null;
  const lease = leaseOf(state, now);
  if (lease !== null && lease.by !== caller.sub) return null;
  const context = agentContext(workflow, state, caller, NO_FACTS, now);
  const { approvals, attempt, emphasis, failures, not_before } = context;
  return {
    task_id: state.instance_id,
    instance_id: state.instance_id,
    workflow_id: state.workflow_id,
    subject: state.subject,
    role,
    current_state: context.current_step,
    required_action: context.required_action,
    turn: context.turn,
    assigned_at,
    work: workOf(context.artifacts),
    context: [context.your_responsibilities, context.instructions].filter(Boolean).join('\n\n'),
    ...(state.feedback === null ? {} : { feedback: state.feedback }),
    ...(state.retry_count === 0 ? {} : { retry_count: state.retry_count }),
    ...(approvals.length === 0 ? {} : { approvals }),
    ...(attempt === undefined ? {} : { attempt, emphasis, failures }),
    ...(not_before === undefined ? {} : { not_before }),
    ...(lease === null ? {} : { claimed_by_you: true as const, lease_until: lease.until }),
  };
}

function leaseOf(state: State, now: string) {
  const claim = state.status === 'in_progress' ? state.claim : null;
  return claim !== null && Date.parse(claim.until) > Date.parse(now) ? claim : null;
}

/** The seed's three are always there. */
const workOf = (artifacts: JsonObject): JsonObject => ({
  commit_sha: null,
  files_changed: [],
  implementation_summary: null,
  ...artifacts,
});
