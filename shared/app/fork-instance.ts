// Forks an instance: a new one that goes on from any commit of another, and a note of it in the log of that other.
//   FK1  Both commits are one transaction: there is no fork that its source does not know of.
//   FK2  A fork of what a session still hides stays in that session; any other is in none.
import {
  type Actor,
  type Answer,
  answerOf,
  decide,
  fork,
  type IdempotencyKey,
  isKeeper,
  type JsonObject,
  NO_FACTS,
  readSignal,
  type State,
} from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Entry, NewCommit } from '../ports.ts';
import type { App } from './app.ts';
import { findInstance, type Found, workflowOf } from './find-instance.ts';
import { idempotencyOf } from './idempotency.ts';
import type { ForkRequest } from './schemas-recovery.ts';
import { claimsOf, newId, repeatedStart, sessionClosed, START_TRIES } from './start-claims.ts';
import { tell } from './tell.ts';

export interface Forking {
  readonly instance_id: string;
  readonly body: ForkRequest;
  readonly caller: Actor;
  readonly key?: string | undefined;
}

export type Forked = Answer & { readonly forked_from: NonNullable<State['forked_from']> };

export async function forkInstance(app: App, { instance_id, body, caller, key }: Forking): Promise<Forked> {
  const idempotency = idempotencyOf(key, caller.sub, ['fork', instance_id, body]);
  for (let tries = 0; tries < START_TRIES; tries++) {
    const source = await findInstance(app, instance_id, caller);
    const { seq } = source.state;
    const point =
      body.at === undefined || body.at === seq ? source.entry : await app.log.at(instance_id, body.at);
    const at = body.at ?? seq;
    const told = {
      instance_id,
      type: 'forked',
      body: { instance_id: body.instance_id ?? 'none', at },
      caller,
    } as const;
    // Refused, and put on record, as anything is that a caller may not do.
    if (!isKeeper(source.state, caller)) await tell(app, told);
    if (point === null)
      throw new Fault('not_found', `"${instance_id}" has no commit ${at}; its latest is ${seq}.`, {
        version: seq,
      });
    const made = await attempt(app, { source, point, chosen: body.instance_id, caller, idempotency });
    if ('answer' in made) return forkedAnswer(app, made.answer, { instance_id, seq: at });
    if (made.taken === 'session') throw sessionClosed(source.state.session_name ?? '');
    if (made.taken === 'id' && body.instance_id !== undefined)
      throw new Fault(
        'name_taken',
        `The id "${body.instance_id}" is taken; choose another, or leave it out.`,
      );
    await app.chance.backOff(tries + 1);
  }
  throw new Fault('version_conflict', `"${instance_id}" is very busy. Send the same request again.`);
}

interface Attempt {
  readonly source: Found;
  readonly point: Entry;
  readonly chosen: string | undefined;
  readonly caller: Actor;
  readonly idempotency: IdempotencyKey | undefined;
}

/** FK1: both commits, or none. */
async function attempt(app: App, { source, point, chosen, caller, idempotency }: Attempt) {
  const now = app.chance.now();
  const { state } = point.commit;
  const workflow = await workflowOf(app, state);
  const instance_id = chosen ?? newId(workflow, state.subject ?? undefined, now, app.chance.id());
  const hidden = source.scope === 'session' && state.session_name !== null; // FK2
  const signal = readSignal(
    'fork',
    {
      instance_id,
      source: state.instance_id,
      at: state.seq,
      source_hash: point.hash,
      ...(hidden ? { session_name: state.session_name } : {}),
      state,
    },
    idempotency,
  );
  const made = fork(workflow, signal.body, caller, now, idempotency);
  const claims = await claimsOf(app, workflow, made.state, caller, idempotency);
  if ('answer' in claims) return claims;
  const note = readSignal('forked', { instance_id, at: state.seq });
  const noted = decide(source.workflow, source.state, note, caller, NO_FACTS, now);
  if (noted.kind !== 'commit') throw new Error(`a fork of "${state.instance_id}" could not be noted`);
  const by = { at: now, actor: caller, facts: {} };
  const commit = (decided: typeof made, said: NewCommit['signal']): NewCommit => ({
    ...by,
    id: app.chance.id(),
    seq: decided.state.seq,
    signal: said,
    events: decided.events,
    state: decided.state,
    verdict: decided.verdict,
  });
  const { type, body } = signal;
  const first = { type, body: body as JsonObject, ...(idempotency ? { idempotency } : {}) }; // parsed JSON
  const created = await app.log.create(commit(made, first), {
    ...claims,
    source: { commit: commit(noted, { type: note.type, body: note.body }), before: source.entry },
  });
  app.warm.forget(state.instance_id);
  if ('taken' in created) {
    const answer = created.taken === 'key' && idempotency && (await repeatedStart(app, caller, idempotency));
    return answer ? { answer } : created;
  }
  app.warm.keep(created);
  const { id: workflow_id } = workflow;
  const told = { instance_id, workflow_id, step: state.current_step, signal: type, notes: [], conflicts: 0 };
  app.observe({ ...told, result: made.verdict.result });
  return { answer: answerOf(workflow, made.state, made.verdict) };
}

/** A repeat is answered with what the first was, whatever is the latest commit by now. */
async function forkedAnswer(app: App, answer: Answer, now: Forked['forked_from']): Promise<Forked> {
  const first = answer.replayed ? (await app.log.at(answer.instance_id, 1))?.commit.state : undefined;
  return { ...answer, forked_from: first?.forked_from ?? now };
}
