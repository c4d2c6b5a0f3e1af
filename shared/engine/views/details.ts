// GET /workflows/{id}: an instance with its context, as one caller may see it.
import { artifactsOf } from '../decide/artifacts.ts';
import { allowedActions } from '../decide/legal.ts';
import type { Actor } from '../model/actor.ts';
import type { JsonObject } from '../model/json.ts';
import type { State } from '../model/state.ts';
import type { Workflow } from '../model/workflow.ts';
import { progressOf } from '../progress.ts';
import { inCharge } from './in-charge.ts';
import { countedSteps, currentStep, recordOf, titleFor } from './locks.ts';
import { phaseArtifacts } from './phase-artifacts.ts';
import { approvalOf, attemptsOf, stateBlock, timesOf } from './state-block.ts';

export function instanceDetails(workflow: Workflow, state: State, actor: Actor) {
  const step = currentStep(workflow, state);
  const record = recordOf(state, step);
  const acting = inCharge(workflow, state);
  return {
    instance_id: state.instance_id,
    workflow_id: state.workflow_id,
    version: state.seq,
    definition_version: state.definition,
    status: state.status,
    current_step: step.id,
    current_step_name: step.title,
    progress: progressOf(workflow, state),
    turn: record?.turn ?? state.turn,
    owner: state.owner,
    subject: state.subject,
    session_name: state.session_name,
    created_at: state.created_at,
    updated_at: state.updated_at,
    params: state.params,
    context: contextOf(workflow, state),
    steps: stepsOf(workflow, state, actor),
    role_in_charge: acting === null ? null : (acting.role ?? acting.agent),
    required_action: acting?.action ?? null,
    feedback: state.feedback,
    retry_count: state.retry_count,
    last_error: state.last_error,
    artifacts: artifactsOf(state, record ?? undefined),
    ...(workflow.steps.some(({ evidence }) => Object.keys(evidence).length > 0)
      ? phaseArtifacts(workflow, state)
      : {}),
    ...waitingOf(state, step.approval, record?.approval ?? null),
    ...(state.forked_from ? { forked_from: state.forked_from } : {}),
    ...(state.forks ? { forks: state.forks } : {}),
    allowed_actions: state.status === 'in_progress' ? allowedActions(workflow, state, actor) : [],
    ...stateBlock(workflow, state, actor),
  };
}

function contextOf(workflow: Workflow, state: State) {
  const step_data: Record<string, JsonObject> = {};
  for (const record of state.steps) {
    if (!record || record.status === 'pending') continue;
    step_data[record.id] = {
      ...record.data,
      started_at: record.started_at,
      ...(record.completed_at === null ? {} : { completed_at: record.completed_at }),
    };
  }
  return {
    workflow_id: state.workflow_id,
    current_step: state.current_step,
    started_at: state.created_at,
    steps_completed: progressOf(workflow, state).completed_steps,
    step_data,
    shared: state.shared,
  };
}

function stepsOf(workflow: Workflow, state: State, actor: Actor) {
  return countedSteps(workflow).map((step) => {
    const record = recordOf(state, step);
    return {
      step: step.number,
      id: step.id,
      name: titleFor(workflow, state, step, actor),
      status: record?.status ?? 'pending',
      ...timesOf(record),
      required: step.required,
      roles: step.roles_in_charge,
      agents: step.agents,
      outcome: record?.outcome ?? null,
      visits: record?.visits ?? 0,
      artifacts: record?.artifacts ?? {},
      ...approvalOf(step, record),
      ...attemptsOf(step, record),
      ...(record?.overridden ? { overridden: record.overridden } : {}),
    };
  });
}

/** What the instance waits for, or who holds it. */
function waitingOf(
  state: State,
  asked: Workflow['steps'][number]['approval'],
  given: NonNullable<State['steps'][number]>['approval'],
) {
  if (state.status === 'waiting_approval') {
    const { type = 'approve', roles = [], variants = [], prompt = '' } = asked ?? {};
    return { approval: { type, roles, variants, prompt, pending: state.pending, ...given } };
  }
  if (state.status === 'waiting_input') return { questions: state.input.questions, input: state.input };
  if (state.status === 'in_progress' && state.claim !== null) return { claim: state.claim };
  if (state.status === 'cancelled') return { cancelled_at: state.cancelled_at, reason: state.reason };
  if (state.status === 'completed') return { completed_at: state.completed_at };
  return state.status === 'failed' ? { failed_at: state.failed_at } : {};
}
