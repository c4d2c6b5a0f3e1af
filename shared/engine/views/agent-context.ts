// GET /workflows/{id}/context: what an agent needs to know to do the current step well.
import { assignees, emphasisOf } from '../decide/assign.ts';
import { approvalsGiven } from '../decide/approvals-given.ts';
import { artifactsOf } from '../decide/artifacts.ts';
import { backingOff } from '../decide/attempts.ts';
import { liveClaim } from '../decide/claims.ts';
import { judge } from '../decide/check.ts';
import { Draft } from '../decide/draft.ts';
import { actingAnyhow } from '../decide/legal.ts';
import type { Missing } from '../criteria/checker.ts';
import type { Actor } from '../model/actor.ts';
import type { Facts } from '../model/facts.ts';
import { isFinished, type State } from '../model/state.ts';
import type { Step, Workflow } from '../model/workflow.ts';
import { inCharge, peopleOf } from './in-charge.ts';
import { currentStep, recordOf } from './locks.ts';
import { coordinationProtocol } from './protocol.ts';
import { nextResting } from './routes.ts';

/** Met by the signal itself, or by a person afterwards. */
const NOT_YET: readonly string[] = ['agent_signal', 'human_approval'];

export type AgentContext = ReturnType<typeof agentContext>;

export function agentContext(workflow: Workflow, state: State, actor: Actor, facts: Facts, now: string) {
  const step = currentStep(workflow, state);
  const record = recordOf(state, step);
  const acting = inCharge(workflow, state);
  const role = actingAnyhow(workflow, state, step, actor) ?? acting?.role ?? acting?.agent ?? null;
  const missing = missingIn(new Draft(workflow, state, actor, facts, now), step);
  const next = isFinished(state) ? null : nextResting(workflow, step);
  const your_responsibilities = responsibilitiesOf(step, role);
  return {
    instance_id: state.instance_id,
    workflow_id: state.workflow_id,
    version: state.seq,
    subject: state.subject,
    params: state.params,
    status: state.status,
    current_step: step.id,
    current_step_name: step.title,
    turn: record?.turn ?? state.turn,
    step_context: record?.data ?? {},
    shared: state.shared,
    instructions: step.instructions || step.content,
    actions: step.actions,
    can_complete: state.status === 'in_progress' && missing.length === 0,
    missing_criteria: missing,
    role,
    assigned_to: state.status === 'in_progress' && record ? assignees(step, record) : [],
    required_action: acting?.action ?? null,
    artifacts: artifactsOf(state, record ?? undefined),
    previous_feedback: state.feedback,
    approvals: approvalsGiven(workflow, state.steps),
    deferred: record?.deferred ?? [],
    answers: record?.answers ?? [],
    messages: record?.messages ?? [],
    ...dispatchOf(step),
    ...leaseOf(state, actor, now),
    ...attemptOf(step, record?.attempts ?? null),
    your_responsibilities,
    next_validator: next === null ? null : (peopleOf(next)[0] ?? null),
    coordination_protocol: isFinished(state)
      ? [`The instance is ${state.status}; there is nothing left to do.`]
      : coordinationProtocol(workflow, step, your_responsibilities),
  };
}

function missingIn(draft: Draft, step: Step): readonly Missing[] {
  const { record } = draft;
  if (step.final !== null || record.completed_at !== null) return [];
  const early = backingOff(record, draft.now);
  const missing = judge(draft, step, record).missing.filter(({ type }) => !NOT_YET.includes(type));
  return early ? [early, ...missing] : missing;
}

/** The current step's own words, for the role or for all. */
function responsibilitiesOf(step: Step, role: string | null): string | null {
  const { responsibilities } = step;
  if (typeof responsibilities === 'string') return responsibilities;
  if (responsibilities !== null && role !== null && Object.hasOwn(responsibilities, role))
    return responsibilities[role] ?? null;
  return step.description || null;
}

/** What a sub-agent is to run, where the step is handed to one. */
function dispatchOf({ handler }: Step): { dispatch?: { agent: string; script: string | null } } {
  return handler.kind === 'dispatch' ? { dispatch: { agent: handler.agent, script: handler.script } } : {};
}

/** Until when the task is the caller's own, if it is. */
function leaseOf(state: State, actor: Actor, now: string): { lease_until?: string } {
  const claim = liveClaim(state, now);
  return claim?.by === actor.sub ? { lease_until: claim.until } : {};
}

interface Attempt {
  readonly attempt?: number;
  readonly max_attempts?: number;
  readonly emphasis?: string | null;
  readonly failures?: readonly { attempt: number; result: string; reason: string | null }[];
  readonly not_before?: string;
  readonly heartbeat_seconds?: number;
}

function attemptOf(step: Step, attempts: NonNullable<State['steps'][number]>['attempts']): Attempt {
  if (attempts === null) return {};
  const beat = step.attempts?.heartbeat_seconds ?? null;
  return {
    attempt: attempts.current,
    max_attempts: attempts.max,
    emphasis: emphasisOf(step, attempts.current),
    failures: attempts.history
      .filter(({ result }) => result !== 'passed')
      .map(({ attempt, result, reason }) => ({ attempt, result, reason })),
    ...(attempts.opened_at === null ? { not_before: attempts.opens_at } : {}),
    ...(beat === null ? {} : { heartbeat_seconds: beat }),
  };
}
