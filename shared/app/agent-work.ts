// POST /agent-work: the seed's agent.work.completed body, judged as the signal it stands for and answered in the
// seed's words. Work that did not succeed restarts a workflow that recovers so, and fails the step of any other.
import type { Actor, Answer } from '../engine/index.ts';
import { actingAnyhow, currentStep, isKeeper, liveClaim, recordOf, SYSTEM } from '../engine/index.ts';
import { Fault, type FaultCode } from '../faults.ts';
import type { App } from './app.ts';
import { findInstance, type Found } from './find-instance.ts';
import { idempotencyOf } from './idempotency.ts';
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

/** Of what went wrong; a whole stack trace is for the agent's own log. */
const MOST_TOLD = 5_000;
const TRIES = 10;

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
      ...error.details, // of a finished instance they have a status: the instance's, not the verdict's
      status: 'rejected',
      message: error.message,
      code: error.code,
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
  const said = work.error ?? work.feedback ?? work.reasoning ?? `${work.action} did not succeed.`;
  const why = said.slice(0, MOST_TOLD);
  if (workflow.recovery === 'restart') return startOver(app, work, why, caller, key);
  const role = work.role === undefined ? {} : { role: work.role };
  const body = { action: 'complete_step', outcome: 'fail', feedback: why, ...role };
  return tell(app, { instance_id: work.task_id, type: 'signal', body, caller, key });
}

/** In the system's name, for the reporter's work as it was judged: what others have done meanwhile is judged anew. */
async function startOver(app: App, work: AgentWork, error: string, caller: Actor, key?: string) {
  const { task_id: instance_id } = work;
  for (let tries = 1; ; tries++) {
    const found = await findInstance(app, instance_id, caller);
    const retry = { instance_id, type: 'retry', body: { error, expected_version: found.state.seq } } as const;
    try {
      if (!(await wasHeard(app, work, caller, key))) {
        if (!maySpeak(found, caller)) await tell(app, { ...retry, caller }); // refused, and put on record
        mustActFor(app, work, caller, found);
      }
      return await tell(app, { ...retry, said: { error }, caller: SYSTEM, key, keyed: caller.sub });
    } catch (fault) {
      if (!(fault instanceof Fault) || fault.code !== 'version_conflict' || tries === TRIES) throw fault;
    }
  }
}

/** A repeat is answered as the first report was, which may have taken the work out of the reporter's hands. */
async function wasHeard(app: App, { task_id }: AgentWork, { sub }: Actor, key?: string): Promise<boolean> {
  const idempotency = idempotencyOf(key, sub, null);
  return idempotency !== undefined && (await app.log.seqOfKey(task_id, idempotency.key)) !== null;
}

const maySpeak = ({ workflow, state }: Found, caller: Actor, role?: string): boolean =>
  isKeeper(state, caller) ||
  actingAnyhow(workflow, state, currentStep(workflow, state), caller, role) !== null;

/** Whoever reports a failure must be one whose work it is: by role, on this turn, and as the holder of its claim. */
function mustActFor(app: App, { role, turn }: AgentWork, caller: Actor, found: Found): void {
  const { workflow, state } = found;
  const step = currentStep(workflow, state);
  const { id, roles_in_charge, agents } = step;
  if (!maySpeak(found, caller, role))
    throw new Fault('role_not_allowed', `Step "${id}" is not yours to report on.`, {
      allowed_roles: roles_in_charge.length > 0 ? roles_in_charge : agents,
    });
  const now = recordOf(state, step)?.turn;
  if (turn !== undefined && turn !== now)
    throw new Fault('stale_turn', `This reports on turn ${turn}, but step "${id}" is at turn ${now}.`, {
      turn: now,
    });
  const claim = liveClaim(state, app.chance.now());
  if (claim !== null && claim.by !== caller.sub && !isKeeper(state, caller))
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
