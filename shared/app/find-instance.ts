// Instances as callers reach them: whoever may not see one learns nothing of it, and what a session was cancelled
// with is not there.
import { type Actor, type Commit, type JsonObject, type State, type Workflow } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Entry } from '../ports.ts';
import type { App } from './app.ts';
import type { Scope } from './publish-told.ts';
import { mayReadIn, scopeNow } from './session-scope.ts';

export interface Found {
  readonly entry: Entry;
  readonly state: State;
  readonly workflow: Workflow;
  /** Where it exists; `nowhere` is not found. */
  readonly scope: Scope;
}

export const notFound = (instance_id: string): Fault =>
  new Fault('not_found', `There is no instance "${instance_id}".`);

/** The definition an instance is pinned to. That it cannot be found is our fault, not the caller's. */
export async function workflowOf(app: Pick<App, 'definitions'>, state: State): Promise<Workflow> {
  const workflow = await app.definitions.version(state.workflow_id, state.definition);
  if (workflow === null)
    throw new Error(`version ${state.definition} of "${state.workflow_id}" is not in the store`);
  return workflow;
}

/** A fresh, consistent read: now, or as of a commit. */
export async function findInstance(
  app: Pick<App, 'log' | 'definitions' | 'sessions'>,
  instance_id: string,
  caller: Actor,
  at?: number,
): Promise<Found> {
  const latest = await app.log.latest(instance_id);
  if (latest === null) throw notFound(instance_id);
  const now = latest.commit.state;
  const scope = await scopeNow(app.sessions, now);
  if (scope === 'nowhere') throw notFound(instance_id);
  if (!(await mayReadIn(app.sessions, await workflowOf(app, now), now, caller))) throw notFound(instance_id);
  const entry = at === undefined || at === now.seq ? latest : await app.log.at(instance_id, at);
  if (entry === null)
    throw new Fault('not_found', `"${instance_id}" has no commit ${at}; its latest is ${now.seq}.`, {
      version: now.seq,
    });
  const { state } = entry.commit;
  return { entry, state, workflow: await workflowOf(app, state), scope };
}

/** What a commit refused, as it was refused then. */
export const refusalOf = ({ refusal }: Commit): Fault | null =>
  refusal ? new Fault(refusal.code, refusal.message, (refusal.details ?? {}) as JsonObject) : null; // written as JSON
