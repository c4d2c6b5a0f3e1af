// What the first commit of an instance claims beside its own place in the log, and how a repeated start is answered.
import {
  type Actor,
  type Answer,
  answerOf,
  type IdempotencyKey,
  isFinished,
  type State,
  type Workflow,
} from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { StartClaims } from '../ports.ts';
import type { App } from './app.ts';
import { workflowOf } from './find-instance.ts';

/** Transactions on the same items get in each other's way: starts in one session do. */
export const START_TRIES = 20;

export async function claimsOf(
  app: App,
  workflow: Workflow,
  state: State,
  caller: Actor,
  idempotency: IdempotencyKey | undefined,
): Promise<StartClaims | { readonly answer: Answer }> {
  const { owner, instance_id, session_name } = state;
  const key = idempotency
    ? { key: { sub: caller.sub, key: idempotency.key, body: idempotency.body, instance_id } }
    : {};
  if (session_name !== null) return { ...key, session: session_name }; // B3
  if (!workflow.single_active || isFinished(state)) return key;
  const { claim, active } = await activeOf(app, owner, workflow.id);
  if (active === null) return { ...key, active: claim };
  const answer = idempotency && (await repeatedStart(app, caller, idempotency));
  if (answer) return { answer };
  throw alreadyActive(active);
}

/** How the owner's pointer can be taken over, and the instance that has it for as long as that goes on. */
export async function activeOf(app: App, owner: string, workflow_id: string) {
  const claim = await app.log.activeClaim(owner, workflow_id);
  const state = claim.replaces === null ? null : (await app.log.latest(claim.replaces))?.commit.state;
  return { claim, active: state && !isFinished(state) ? state : null };
}

export const alreadyActive = ({ owner, workflow_id, instance_id, current_step }: State): Fault =>
  new Fault(
    'already_active',
    `"${owner}" has an active "${workflow_id}" already: "${instance_id}", at step "${current_step}". Go on with that one, or cancel it.`,
    { instance_id, current_step },
  );

export const sessionClosed = (session_name: string): Fault =>
  new Fault('session_closed', `The session "${session_name}" is closed; nothing can be started in it.`, {
    session_name,
  });

export async function repeatedStart(
  app: App,
  { sub }: Actor,
  { key, body }: IdempotencyKey,
): Promise<Answer | null> {
  const started = await app.log.startedUnder(sub, key);
  if (started === null) return null;
  if (started.body !== body)
    throw new Fault(
      'idempotency_mismatch',
      'This Idempotency-Key was used for another start; use a new key.',
    );
  const first = await app.log.at(started.instance_id, 1);
  if (!first?.commit.verdict) return null;
  const { state, verdict } = first.commit;
  return { ...answerOf(await workflowOf(app, state), state, verdict), replayed: true };
}

/** `{workflow}-{subject}-{timestamp}-{random}` */
export function newId(workflow: Workflow, subject: string | undefined, now: string, id: string): string {
  const about = subject?.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 40);
  const at = now.replaceAll(/[-:]|\.\d+/g, '');
  return [workflow.id, ...(about ? [about] : []), at, id.replaceAll('-', '').slice(0, 12)].join('-');
}
