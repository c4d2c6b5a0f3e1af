// GET /api/workflows: the instances a caller may see, newest first. Eventually consistent, as lists are.
//   LI3  Owners and creators see their own, roles those of workflows that need them, admins all.
//   LI4  Instances in a session are in that session's list only.
import { type Actor, isAdmin, mayRead, type Workflow } from '../engine/index.ts';
import type { Head, ListKey } from '../ports.ts';
import type { App } from './app.ts';
import { isSessionOwner, mayReadIn } from './session-scope.ts';
import { cursorAt, merged, NEWEST_FIRST, positionIn, type ReadPage } from './list-instances-pages.ts';

export interface ListFilter {
  readonly status?: string | undefined;
  readonly workflow_id?: string | undefined;
  readonly session_name?: string | undefined;
  readonly limit?: number | undefined;
  readonly next?: string | undefined;
}

export interface InstancePage {
  readonly items: readonly Head[];
  /** Null on the last page. */
  readonly next: string | null;
}

const DEFAULT_LIMIT = 20;
/** A filter that few instances pass must not read everything at once: a page may be short and still have a `next`. */
const MOST_LOOKED_AT = 500;

type Ports = Pick<App, 'listings' | 'definitions' | 'sessions'>;

export async function listInstances(app: Ports, caller: Actor, filter: ListFilter): Promise<InstancePage> {
  const { limit = DEFAULT_LIMIT } = filter;
  const keys = await sourcesOf(app, caller, filter);
  const sources = keys.map(
    (by): ReadPage =>
      (past, size) =>
        app.listings.list(by, past, size),
  );
  const items: Head[] = [];
  let looked = 0;
  let last: string | undefined;
  const past = positionIn(filter.next);
  for await (const { head, position } of merged(sources, { order: NEWEST_FIRST, past, size: limit })) {
    // There is one more than fits, or than may be looked at: the page ends before it.
    if (last !== undefined && (items.length === limit || looked === MOST_LOOKED_AT))
      return { items, next: cursorAt(last) };
    looked++;
    last = position;
    if (passes(head, filter) && (await isShown(app, head, caller))) items.push(head);
  }
  return { items, next: null };
}

async function sourcesOf(app: Ports, caller: Actor, filter: ListFilter): Promise<readonly ListKey[]> {
  if (filter.session_name !== undefined)
    return (await isListed(app, filter.session_name, caller)) ? [{ session: filter.session_name }] : [];
  const seen = (await app.definitions.list()).filter(
    (workflow) =>
      (filter.workflow_id === undefined || workflow.id === filter.workflow_id) &&
      (isAdmin(caller) || concerns(workflow, caller)),
  );
  return [{ owner: caller.sub }, ...seen.map(({ id }) => ({ workflow: id }))];
}

/** LI4: until it is committed, a session's list is for its owner. */
async function isListed({ sessions }: Ports, name: string, caller: Actor): Promise<boolean> {
  const session = await sessions.find(name);
  if (session === null || session.closing?.kind === 'cancelled') return false;
  return session.closing !== null || isSessionOwner(session.opening.owner, caller);
}

const concerns = ({ audience }: Workflow, { roles }: Actor): boolean =>
  roles.some((role) => audience.has(role));

const passes = (head: Head, { status, workflow_id }: ListFilter): boolean =>
  (status === undefined || head.status === status) &&
  (workflow_id === undefined || head.workflow_id === workflow_id);

/** Judged on the version it is pinned to, which may need other roles than the current one. */
async function isShown(app: Ports, head: Head, caller: Actor): Promise<boolean> {
  if (mayRead(NOBODY, head, caller)) return true;
  const workflow = await app.definitions.version(head.workflow_id, head.definition_version);
  return mayReadIn(app.sessions, workflow ?? NOBODY, head, caller);
}

const NOBODY = { audience: new Set<string>() };
