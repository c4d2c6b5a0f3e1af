// GET /api/tasks: what waits for a caller's roles, longest waiting first, in the shape of the seed's PendingTasks.
//   LI5  The inbox only suggests: each task is checked against the log, so that nothing done, moved on or leased to
//       someone else is handed out, and what a lease that ran out had hidden is there again.
import { type Actor, isAdmin } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Listed } from '../ports.ts';
import type { App } from './app.ts';
import { cursorAt, merged, OLDEST_FIRST, positionIn, type ReadPage } from './list-instances-pages.ts';
import { type PendingTask, taskFor } from './pending-tasks-view.ts';
import { scopeNow } from './session-scope.ts';

export interface TaskFilter {
  readonly role?: string | undefined;
  readonly limit?: number | undefined;
  readonly next?: string | undefined;
}

export interface TaskPage {
  readonly tasks: readonly PendingTask[];
  /** Null on the last page. */
  readonly next: string | null;
}

type Ports = Pick<App, 'listings' | 'log' | 'definitions' | 'sessions' | 'chance'>;

const DEFAULT_LIMIT = 20;
/** Logs are read so many at a time. */
const AT_ONCE = 10;
/** A page may be short and still have a `next`. */
const MOST_LOOKED_AT = 300;

export async function pendingTasks(app: Ports, caller: Actor, filter: TaskFilter): Promise<TaskPage> {
  const roles = rolesAsked(caller, filter.role);
  const { limit = DEFAULT_LIMIT } = filter;
  const now = app.chance.now();
  const sources = roles.map(
    (role): ReadPage =>
      (past, size) =>
        app.listings.inbox(role, past, size),
  );
  const past = positionIn(filter.next);
  const inbox = merged(sources, { order: OLDEST_FIRST, past, size: limit });
  const tasks: PendingTask[] = [];
  for (let looked = 0; ; ) {
    const some = await take(inbox, Math.min(AT_ONCE, limit - tasks.length));
    const checked = await Promise.all(
      some.map(({ head }) => check(app, head.instance_id, roles, caller, now)),
    );
    tasks.push(...checked.filter((task) => task !== null));
    looked += some.length;
    const last = some.at(-1);
    if (last === undefined) return { tasks, next: null };
    if (tasks.length < limit && looked < MOST_LOOKED_AT) continue;
    const { done } = await inbox.next();
    return { tasks, next: done ? null : cursorAt(last.position) };
  }
}

function rolesAsked(caller: Actor, role: string | undefined): readonly string[] {
  if (role === undefined) return caller.roles;
  if (caller.roles.includes(role) || isAdmin(caller)) return [role];
  throw new Fault('role_not_allowed', `You do not hold the role "${role}"; its tasks are not yours to see.`, {
    allowed_roles: caller.roles,
  });
}

/** A consistent read. An instance whose definition is gone is nobody's task. */
async function check(
  app: Ports,
  instance_id: string,
  roles: readonly string[],
  caller: Actor,
  now: string,
): Promise<PendingTask | null> {
  const state = (await app.log.latest(instance_id))?.commit.state;
  if (state === undefined || (await scopeNow(app.sessions, state)) !== 'everywhere') return null;
  const workflow = await app.definitions.version(state.workflow_id, state.definition);
  return workflow === null ? null : taskFor(workflow, state, roles, caller, now);
}

async function take(list: AsyncGenerator<Listed>, count: number): Promise<readonly Listed[]> {
  const taken: Listed[] = [];
  while (taken.length < count) {
    const { done, value } = await list.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}
