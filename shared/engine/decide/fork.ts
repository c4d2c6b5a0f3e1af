// Forking: a new instance that goes on from any commit of another, and the note of it in the log of that other.
//   F1  The first commit of a fork holds the state it goes on from, so that its own log recomputes it.
//   F2  Nobody is at work on a fork yet: no claim and no keys come along, and an open attempt opens anew.
//   F3  What was finished then can be resumed: its fork stands cancelled.
import { Fault } from '../../faults.ts';
import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import { NO_FACTS } from '../model/facts.ts';
import type { BodyOf, IdempotencyKey, SignalOf } from '../model/signal.ts';
import { isFinished, State } from '../model/state.ts';
import type { Workflow } from '../model/workflow.ts';
import { open } from './attempts.ts';
import { Draft } from './draft.ts';
import { assign } from './assign.ts';
import { announceQuestions } from './input.ts';
import { openAttempt } from './open-attempt.ts';
import { refuse, violate } from './outcome.ts';
import { isKeeper } from './permissions.ts';
import { announceApproval } from './request-approval.ts';
import { RUNNING } from './status-part.ts';

/** So many are remembered in the state; all of them are in the log. */
const KEPT_FORKS = 20;

/** Throws a Fault if the body does not belong to the workflow, or the source not to the actor. */
export function fork(
  workflow: Workflow,
  body: BodyOf<'fork'>,
  actor: Actor,
  now: string,
  idempotency?: IdempotencyKey,
): Extract<Decision, { kind: 'commit' }> {
  const source = sourceIn(workflow, body, actor);
  const forked_from = { instance_id: body.source, seq: body.at };
  const blank: State = {
    ...source,
    instance_id: body.instance_id,
    created_by: actor.sub,
    session_name: body.session_name ?? null,
    seq: 0,
    created_at: now,
    updated_at: now,
    keys: [],
    forked_from,
  };
  const draft = new Draft(workflow, blank, actor, NO_FACTS, now);
  draft.forks = undefined;
  const { id: current } = draft.step;
  draft.emit('workflow.started', {
    workflow_id: workflow.id,
    initial_step: current,
    progress: draft.progress(),
  });
  draft.emit('workflow.forked', { workflow_id: workflow.id, forked_from, by: actor.sub });
  const result = goOn(draft, source);
  return {
    kind: 'commit',
    state: draft.seal(idempotency),
    events: draft.events,
    notes: draft.notes,
    verdict: { result, previous_step: null },
  };
}

function sourceIn(workflow: Workflow, { state, source, at }: BodyOf<'fork'>, actor: Actor): State {
  const parsed = State.safeParse(state);
  if (!parsed.success) throw new Fault('invalid_request', 'What is to be forked is not a state.');
  const { instance_id, seq, workflow_id, definition } = parsed.data;
  if (instance_id !== source || seq !== at)
    throw new Fault('invalid_request', `The state to be forked is not that of "${source}" at ${at}.`);
  if (workflow_id !== workflow.id || definition !== workflow.version)
    throw new Fault('invalid_request', `"${source}" runs on another definition at ${at}.`);
  if (!isKeeper(parsed.data, actor))
    throw new Fault('role_not_allowed', 'Only the owner or an admin may fork.');
  return parsed.data;
}

/** F2, F3: whoever was waited for is asked again. */
function goOn(draft: Draft, source: State): 'advanced' | 'waiting' | 'stayed' {
  const { step } = draft;
  if (isFinished(source)) {
    const reason = `Forked from "${source.instance_id}", which was ${source.status} then. Resume it to go on.`;
    draft.status = { status: 'cancelled', cancelled_at: draft.now, reason };
    draft.emit('workflow.cancelled', {
      workflow_id: draft.workflow.id,
      step: step.id,
      reason,
      by: draft.actor.sub,
      progress: draft.progress(),
    });
    return 'stayed';
  }
  draft.patch({ started_at: draft.now, since: draft.now, reminded: false });
  if (source.status === 'in_progress') {
    draft.status = RUNNING;
    draft.reassign();
    reopenAttempt(draft, true);
    assign(draft);
    return 'advanced';
  }
  reopenAttempt(draft, false);
  if (source.status === 'waiting_approval') announceApproval(draft);
  else announceQuestions(draft);
  return 'waiting';
}

/** F2. On the step itself it is announced, unless that waits for a person. */
function reopenAttempt(draft: Draft, announced: boolean): void {
  const index = openAttempt(draft.workflow, draft.steps, draft.current);
  const record = index === null ? null : draft.steps[index];
  if (index === null || !record?.attempts) return;
  const here = announced && index === draft.current;
  const opened_at = here ? null : draft.now;
  draft.put(
    { ...record, attempts: { ...record.attempts, opens_at: draft.now, opened_at, waited_ms: 0 } },
    index,
  );
  if (here) open(draft);
}

/** Nothing changes but what is known of the forks. */
export function onForked(draft: Draft, signal: SignalOf<'forked'>): Decision {
  const { from, workflow, actor, facts } = draft;
  const { instance_id, at } = signal.body;
  if (!isKeeper(from, actor))
    return violate(draft, signal, 'role_not_allowed', 'Only the owner or an admin may fork.');
  if (at > from.seq)
    return refuse(
      draft,
      'not_found',
      `"${from.instance_id}" has no commit ${at}; its latest is ${from.seq}.`,
    );
  const noted = new Draft(workflow, from, actor, facts, from.updated_at);
  noted.forks = [...(from.forks ?? []), { instance_id, seq: at }].slice(-KEPT_FORKS);
  noted.emit('workflow.forked', { workflow_id: workflow.id, forked_to: instance_id, at, by: actor.sub });
  return {
    kind: 'commit',
    state: noted.seal(signal.idempotency),
    events: noted.events,
    notes: [],
    verdict: { result: 'stayed', previous_step: from.current_step },
  };
}
