// Where an instance that was started in a session exists: asked of the session whenever it matters.
//   SE1  Until commit it is seen by its own people only, in its session's list and on its session's topic; from
//        commit on everywhere; from cancel on nowhere, at once.
import { type Actor, isAdmin, mayRead, type State, type Workflow } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Closing, Definitions, Sessions } from '../ports.ts';
import type { Scope, Told } from './publish-told.ts';

type Owned = Pick<State, 'owner' | 'created_by' | 'session_name'>;

const scopeOf = (closing: Closing | null): Scope =>
  closing === null ? 'session' : closing.kind === 'committed' ? 'everywhere' : 'nowhere';

/** One consistent read, and none for instances outside sessions or of sessions known to be closed. */
export async function scopeNow(
  sessions: Pick<Sessions, 'closingOf'>,
  { session_name }: Pick<Owned, 'session_name'>,
): Promise<Scope> {
  return session_name === null ? 'everywhere' : scopeOf(await sessions.closingOf(session_name));
}

/** As a mark on what is shown: from which session it was committed. */
export const committedFrom = (
  { session_name }: Pick<Owned, 'session_name'>,
  scope: Scope,
): { committed_from_session?: string } =>
  session_name !== null && scope === 'everywhere' ? { committed_from_session: session_name } : {};

/** Besides those who may read it anywhere: whoever owns the session it was started in. */
export async function mayReadIn(
  sessions: Sessions,
  workflow: Pick<Workflow, 'audience'>,
  owned: Owned,
  caller: Actor,
): Promise<boolean> {
  if (mayRead(workflow, owned, caller)) return true;
  return owned.session_name !== null && (await sessions.ownerOf(owned.session_name)) === caller.sub;
}

/** A batch of commits with where each may be heard now. */
export async function placed(
  sessions: Pick<Sessions, 'closingOf' | 'ownerOf'>,
  batch: readonly Told[],
): Promise<readonly Told[]> {
  const names = new Set(batch.flatMap((told) => (told.only ? [] : (told.session_name ?? []))));
  if (names.size === 0) return batch;
  const read = [...names].map(async (name) => {
    const [closing, owner] = await Promise.all([sessions.closingOf(name), sessions.ownerOf(name)]);
    return [name, { scope: scopeOf(closing), session_owner: owner }] as const;
  });
  const found = new Map(await Promise.all(read));
  return batch.map((told) => ({ ...told, ...(told.only ? {} : found.get(told.session_name ?? '')) }));
}

export const noSession = (session_name: string): Fault =>
  new Fault('not_found', `There is no session "${session_name}".`);

export const isSessionOwner = (owner: string, caller: Actor): boolean =>
  owner === caller.sub || isAdmin(caller);

/** To a session's topic: its owner, and whoever holds a role that steps need; each hears what they may read. */
export async function mayListen(
  { sessions, definitions }: { readonly sessions: Sessions; readonly definitions: Definitions },
  session_name: string,
  caller: Actor,
): Promise<boolean> {
  const session = await sessions.find(session_name);
  if (session === null || session.closing?.kind === 'cancelled') return false;
  if (isSessionOwner(session.opening.owner, caller)) return true;
  const workflows = await definitions.list();
  return workflows.some(({ audience }) => caller.roles.some((role) => audience.has(role)));
}
