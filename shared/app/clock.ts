// What an execution asks of us: what to wait for, to keep its token, and to say that time has passed.
//   CL1  No wake-up is lost: a token is kept before the state is looked at once more, and whoever changes the state
//        looks for tokens after that.
//   CL2  A clock speaks on a fresh read, of exactly the commit it has read; if the instance was faster, it looks again.
//   CL3  Silence is what the log says it is: a sign of life counts though the stream was too late to pass it on.
import {
  isSignOfLife,
  type NextWait,
  nextWait,
  signalAfter,
  SYSTEM,
  isSameWait,
  type State,
  waitOf,
  type Workflow,
} from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { ClockId, Executions, Tokens } from '../ports.ts';
import type { App } from './app.ts';
import { workflowOf } from './find-instance.ts';
import { scopeNow } from './session-scope.ts';
import { tell } from './tell.ts';

export type ClockApp = App & {
  readonly tokens: Tokens;
  readonly executions: Pick<Executions, 'release'>;
};

/** Over these the function gives up; Step Functions calls it again. */
const MOST_LOOKS = 10;
/** Commits read at once. */
const PAGE = 20;
/** A token is kept a little longer than it can count. */
const SPARE_SECONDS = 24 * 3600;
/** There is nothing left to say. */
const OVER: ReadonlySet<string> = new Set(['stale_turn', 'workflow_finished', 'not_found']);

/** What it waits for now. Once it is done, nothing of it is left behind. */
export async function askClock(app: ClockApp, clock: ClockId): Promise<NextWait | { readonly done: true }> {
  const found = await look(app, clock.instance_id);
  const next = found
    ? nextWait(found.workflow, found.state, clock.key, app.chance.now())
    : { done: true as const };
  if ('done' in next) await app.tokens.forget(clock);
  return next;
}

/** CL1. True if there was nothing left to wait for. */
export async function awaitClock(
  app: ClockApp,
  clock: ClockId,
  next: NextWait,
  token: string,
): Promise<boolean> {
  const { awaited, seq } = next;
  const seconds = next.wait === 'token' ? next.seconds : 0;
  const kept = { ...clock, token, awaited, seq };
  await app.tokens.keep(kept, Math.ceil(Date.parse(app.chance.now()) / 1000) + seconds + SPARE_SECONDS);
  const found = await look(app, clock.instance_id);
  if (found && isSameWait(waitOf(found.workflow, found.state, clock.key), awaited)) return false;
  await app.executions.release(token);
  await app.tokens.drop(kept);
  return true;
}

/** CL2. True if something was said. */
export async function tellClock(
  app: ClockApp,
  { instance_id, key }: ClockId,
  { awaited, seq }: NextWait,
  because: 'time' | 'silence',
): Promise<boolean> {
  for (let looks = 1; ; looks++) {
    const found = await look(app, instance_id);
    const now = app.chance.now();
    const signal = found && signalAfter(found.workflow, found.state, key, awaited, because, now);
    if (!signal) return false;
    const silent_ms = signal.body.event === 'heartbeat_lost' ? (awaited.heartbeat_seconds ?? 0) * 1000 : 0;
    if (silent_ms > 0 && (await wasHeard(app, found.state, seq, Date.parse(now) - silent_ms))) return false;
    try {
      await tell(app, { instance_id, type: signal.type, body: signal.body, caller: SYSTEM });
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (OVER.has(error.code)) return false;
      if (error.code !== 'version_conflict' || looks >= MOST_LOOKS) throw error;
    }
  }
}

/** CL3. Has anybody who works on it been heard after that instant, in a commit after `seq`? The newest come first. */
async function wasHeard(
  app: App,
  { instance_id, seq: newest }: State,
  seq: number,
  since: number,
): Promise<boolean> {
  for (let to = newest; to > seq; to -= PAGE) {
    const from = Math.max(seq, to - PAGE);
    const page = await app.log.after(instance_id, from, to - from);
    const recent = page.filter(({ commit }) => Date.parse(commit.at) > since);
    if (recent.some(({ commit }) => isSignOfLife(commit))) return true;
    if (recent.length < page.length) return false;
  }
  return false;
}

/** A fresh read; null if the instance is gone. */
async function look(
  app: App,
  instance_id: string,
): Promise<{ readonly state: State; readonly workflow: Workflow } | null> {
  const entry = await app.log.latest(instance_id);
  if (entry === null) return null;
  const { state } = entry.commit;
  if ((await scopeNow(app.sessions, state)) === 'nowhere') return null;
  return { state, workflow: await workflowOf(app, state) };
}
