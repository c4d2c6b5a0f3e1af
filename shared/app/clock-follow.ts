// What follows a commit for the clocks of its instance: executions started, tokens given back, signs of life passed on,
// and everything stopped when the instance is cancelled.
//   CF1  A commit of a workflow without clocks costs no request.
//   CF2  All of it may happen again, late and out of order: an execution has one name, a token counts once, and a token
//        kept on a later commit than the one at hand is left alone.
import {
  Commit,
  clocksOf,
  hasClocks,
  isSameWait,
  isSignOfLife,
  lastClocksOf,
  type State,
  waitOf,
  type Workflow,
} from '../engine/index.ts';
import type { Definitions, Executions, Tokens } from '../ports.ts';
import { atOnce } from './at-once.ts';
import type { Told } from './publish-told.ts';

export interface FollowPorts {
  readonly definitions: Pick<Definitions, 'version'>;
  readonly tokens: Tokens;
  readonly executions: Executions;
}

const AT_ONCE = 16;

type Arrived = { readonly told: Told; readonly commit: unknown };

/** Of each instance the newest commit counts, and any for a sign of life. Answers with what failed. */
export async function followClocks<A extends Arrived>(
  ports: FollowPorts,
  batch: readonly A[],
  now: string,
): Promise<{ of: A; error: unknown }[]> {
  const instances = new Map<string, A[]>();
  for (const one of batch) {
    const { instance_id } = one.told;
    instances.set(instance_id, [...(instances.get(instance_id) ?? []), one]);
  }
  const failed: { of: A; error: unknown }[] = [];
  await atOnce(AT_ONCE, instances.values(), async (arrived) => {
    try {
      await followInstance(ports, arrived, now);
    } catch (error) {
      failed.push(...arrived.map((of) => ({ of, error })));
    }
  });
  return failed;
}

async function followInstance(ports: FollowPorts, arrived: readonly Arrived[], now: string): Promise<void> {
  const { told } = arrived.reduce((newest, one) => (one.told.seq > newest.told.seq ? one : newest));
  const workflow = await ports.definitions.version(told.workflow_id, told.definition);
  if (workflow === null)
    throw new Error(`version ${told.definition} of "${told.workflow_id}" is not in the store`);
  if (!hasClocks(workflow)) return; // CF1
  const commits = arrived.map(({ commit }) => Commit.parse(commit)).toSorted((a, b) => b.seq - a.seq);
  const [newest] = commits;
  if (!newest) return;
  const alive_at = commits.find(isSignOfLife)?.at;
  const silent_ms = alive_at === undefined ? Infinity : Date.parse(now) - Date.parse(alive_at);
  const { state } = newest;
  const { instance_id } = state;
  if (state.status === 'cancelled')
    for (const key of lastClocksOf(workflow, state))
      await ports.executions.stop({ instance_id, key }, 'The instance was cancelled.');
  const ticking = await followTokens(ports, workflow, state, silent_ms);
  for (const key of clocksOf(workflow, state))
    if (!ticking.has(key)) await ports.executions.start({ instance_id, key });
}

/** Gives back what has changed. Answers with the clocks that run: they hold a token, or have just held one. */
async function followTokens(
  { tokens, executions }: FollowPorts,
  workflow: Workflow,
  state: State,
  silent_ms: number,
): Promise<ReadonlySet<string>> {
  const known = await tokens.of(state.instance_id);
  for (const token of known) {
    const { awaited } = token;
    if (token.seq > state.seq) continue; // CF2
    if (isSameWait(waitOf(workflow, state, token.key), awaited)) {
      if (silent_ms < (awaited.heartbeat_seconds ?? 0) * 1000) await executions.beat(token.token);
      continue;
    }
    await executions.release(token.token);
    await tokens.drop(token);
  }
  return new Set(known.map(({ key }) => key));
}

/** The instance is deleted: whoever waits with a token is let go, and finds that there is nothing left to wait for. */
export async function forgetClocks(
  { tokens, executions }: Pick<FollowPorts, 'tokens' | 'executions'>,
  instance_id: string,
): Promise<void> {
  for (const token of await tokens.of(instance_id)) {
    await executions.release(token.token);
    await tokens.drop(token);
  }
}
