// Starts an instance: commit 1, with the owner's active pointer and the key of the start where there are any.
//   B1  A repeated start answers as the first did, and starts nothing.
//   B2  Where a workflow allows one active instance per owner, a second start is refused until the first is finished.
//   B3  In a session, an instance starts only while that is open, and takes no active pointer.
import {
  type Actor,
  type Answer,
  answerOf,
  begin,
  type IdempotencyKey,
  type JsonObject,
  isAdmin,
  readSignal,
} from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { App } from './app.ts';
import { idempotencyOf } from './idempotency.ts';
import type { StartRequest } from './schemas.ts';
import { isSessionOwner, noSession } from './session-scope.ts';
import { claimsOf, newId, repeatedStart, sessionClosed, START_TRIES } from './start-claims.ts';

export interface Starting {
  readonly body: StartRequest;
  readonly caller: Actor;
  readonly key?: string | undefined;
}

export async function startInstance(app: App, { body, caller, key }: Starting): Promise<Answer> {
  const { workflow_id, user_id, instance_id: chosen, session_name, ...rest } = body;
  const workflow = await app.definitions.current(workflow_id);
  if (workflow === null)
    throw new Fault('not_found', `There is no workflow "${workflow_id}". GET /api/definitions lists them.`);
  if (user_id !== undefined && user_id !== caller.sub && caller.kind === 'human' && !isAdmin(caller))
    throw new Fault('role_not_allowed', 'Only a service, an agent or an admin may start for another user.');
  const idempotency = idempotencyOf(key, caller.sub, ['start', body]);
  if (session_name !== undefined) {
    const answer = await enter(app, session_name, caller, idempotency);
    if (answer) return answer;
  }
  await app.definitions.keep(workflow);
  for (let tries = 0; tries < START_TRIES; tries++) {
    const now = app.chance.now();
    const instance_id = chosen ?? newId(workflow, body.subject, now, app.chance.id());
    const owner = user_id ?? caller.sub;
    const said = { ...rest, ...(session_name === undefined ? {} : { session_name }) };
    const signal = readSignal('start', { ...said, workflow_id, instance_id, owner }, idempotency);
    const { state, events, verdict, notes } = begin(workflow, signal.body, caller, now, idempotency);
    const told = {
      instance_id,
      workflow_id,
      step: state.current_step,
      signal: 'start',
      notes,
      conflicts: tries,
    };
    const claims = await claimsOf(app, workflow, state, caller, idempotency);
    if ('answer' in claims) return claims.answer;
    const { type, body: start } = signal;
    const created = await app.log.create(
      {
        id: app.chance.id(),
        seq: state.seq,
        at: now,
        actor: caller,
        signal: { type, body: start as JsonObject, ...(idempotency ? { idempotency } : {}) }, // parsed JSON
        facts: {},
        events,
        state,
        verdict,
      },
      claims,
    );
    if (!('taken' in created)) {
      app.warm.keep(created);
      app.observe({ ...told, result: verdict.result });
      return answerOf(workflow, state, verdict);
    }
    if (created.taken === 'key' && idempotency) {
      const answer = await repeatedStart(app, caller, idempotency);
      if (answer) return answer;
    }
    if (created.taken === 'session' && session_name !== undefined) throw sessionClosed(session_name);
    if (created.taken === 'id' && chosen !== undefined)
      throw new Fault('name_taken', `The id "${chosen}" is taken; choose another, or leave it out.`);
    await app.chance.backOff(tries + 1);
  }
  throw new Fault('version_conflict', 'Others start instances for the same owner right now. Try again.');
}

/** Into a session of the caller's that is open; once it is committed, a repeated start is still answered. */
async function enter(
  app: App,
  session_name: string,
  caller: Actor,
  idempotency: IdempotencyKey | undefined,
): Promise<Answer | null> {
  const session = await app.sessions.find(session_name);
  if (session === null || !isSessionOwner(session.opening.owner, caller)) throw noSession(session_name);
  if (session.closing === null) return null;
  const repeats = session.closing.kind === 'committed' && idempotency;
  const answer = repeats ? await repeatedStart(app, caller, repeats) : null;
  if (answer === null) throw sessionClosed(session_name);
  return answer;
}
