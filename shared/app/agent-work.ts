// POST /agent-work: the seed's agent.work.completed body, judged as the signal it stands for and answered in the
// seed's words. Work that did not succeed restarts a workflow that recovers so, and fails the step of any other.
import type { Actor, Answer } from '../engine/index.ts';
import { currentStep, isAdmin, liveClaim, recordOf, SYSTEM } from '../engine/index.ts';
import { Fault, type FaultCode } from '../faults.ts';
import type { App } from './app.ts';
import { findInstance } from './find-instance.ts';
import { type AgentWork, readAgentWork } from './schemas-agent-work.ts';
import { tell } from './tell.ts';

/** The work was understood and turned down; anything else is a problem of the request. */
const REJECTED: ReadonlySet<FaultCode> = new Set([
  'role_not_allowed',
  'human_required',
  'self_approval',
  'step_mismatch',
  'workflow_finished',
  'stale_turn',
  'already_claimed',
  'not_holder',
  'invalid_transition',
]);

export interface Reporting {
  readonly body: unknown;
  readonly caller: Actor;
  readonly key?: string | undefined;
}

export async function reportWork(app: App, { body, caller, key }: Reporting) {
  const work = readAgentWork(body);
  try {
    const answer = await (work.success ? succeed(app, work, caller, key) : fail(app, work, caller, key));
    return verdictOn(answer);
  } catch (error) {
    if (!(error instanceof Fault) || !REJECTED.has(error.code)) throw error;
    const { state } = await findInstance(app, work.task_id, caller);
    return {
      status: 'rejected',
      message: error.message,
      code: error.code,
      ...error.details,
      current_state: state.current_step,
      instance_id: state.instance_id,
      version: state.seq,
    };
  }
}

function succeed(app: App, work: AgentWork, caller: Actor, key?: string): Promise<Answer> {
  const { task_id, action, role, artifacts, feedback, turn } = work;
  const body = {
    action,
    ...(role === undefined ? {} : { role }),
    ...(Object.keys(artifacts).length === 0 ? {} : { artifacts }),
    ...(feedback === undefined ? {} : { feedback }),
    ...(turn === undefined ? {} : { turn }),
  };
  return tell(app, { instance_id: task_id, type: 'signal', body, caller, key });
}

async function fail(app: App, work: AgentWork, caller: Actor, key?: string): Promise<Answer> {
  const { workflow } = await findInstance(app, work.task_id, caller);
  const why = work.feedback ?? work.reasoning ?? `${work.action} did not succeed.`;
  const common = { instance_id: work.task_id, key };
  if (workflow.recovery !== 'restart') {
    const role = work.role === undefined ? {} : { role: work.role };
    const body = { action: 'complete_step', outcome: 'fail', feedback: why, ...role };
    return tell(app, { ...common, type: 'signal', body, caller });
  }
  await mustActFor(app, work, caller);
  return tell(app, { ...common, type: 'retry', body: { error: why }, caller: SYSTEM });
}

/** Whoever reports a failure must be one whose work it is: by role, on this turn, and as the holder of its claim. */
async function mustActFor(app: App, { task_id, role, turn }: AgentWork, caller: Actor): Promise<void> {
  const { workflow, state } = await findInstance(app, task_id, caller);
  const { id, roles_in_charge } = currentStep(workflow, state);
  const held = roles_in_charge.filter((name) => caller.roles.includes(name));
  const mine = role === undefined ? held.length > 0 : held.includes(role);
  const keeper = isAdmin(caller) || caller.sub === state.owner;
  if (!mine && !keeper)
    throw new Fault('role_not_allowed', `Step "${id}" is not yours to report on.`, {
      allowed_roles: roles_in_charge,
    });
  const now = recordOf(state, currentStep(workflow, state))?.turn;
  if (turn !== undefined && turn !== now)
    throw new Fault('stale_turn', `This reports on turn ${turn}, but step "${id}" is at turn ${now}.`, {
      turn: now,
    });
  const claim = liveClaim(state, app.chance.now());
  if (claim !== null && claim.by !== caller.sub && !keeper)
    throw new Fault('not_holder', `"${id}" is claimed until ${claim.until}; only its holder may report.`, {
      claimed_until: claim.until,
    });
}

function verdictOn(answer: Answer) {
  const { result, reason, current_step, next, instance_id, version, missing_criteria } = answer;
  return {
    status: result === 'blocked' ? 'rejected' : 'accepted',
    message: reason ?? `The work was taken; the task is at "${current_step}".`,
    current_state: current_step,
    next_role: next?.role ?? next?.agent ?? null,
    next_action: next?.action ?? null,
    result,
    instance_id,
    version,
    ...(missing_criteria ? { missing_criteria } : {}),
    ...(answer.replayed ? { replayed: true } : {}),
  };
}
