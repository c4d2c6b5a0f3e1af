// Proves an instance's log: every item is read as it is, every state recomputed, every link of the chain checked.
//   PR1  The first commit that does not follow is named, with what is wrong about it.
//   PR2  A page begins on the commit before it, which the page before has proven.
import {
  type Actor,
  bodies,
  canonical,
  isKeeper,
  mayRead,
  type State,
  type Versions,
  type Workflow,
} from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { RawCommit } from '../ports.ts';
import type { App } from './app.ts';
import { notFound } from './find-instance.ts';
import { isProblem, NOTHING, type Problem, type Proven, readItem, wrongWith } from './log-proof.ts';
import { scopeNow } from './session-scope.ts';

export interface Proof {
  readonly instance_id: string;
  readonly ok: boolean;
  /** How many of this page were proven, and the last of them. */
  readonly commits: number;
  readonly last: number;
  /** Of the last one: whoever has noted it can tell later that the log is still the same. */
  readonly hash: string | null;
  readonly first_problem: Problem | null;
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
}

type Ports = Pick<App, 'log' | 'definitions' | 'sessions' | 'listings'>;

/** So many commits are looked at to learn whose the instance is. */
const LOOKED_AT = 5;

export async function proveLog(
  app: Ports,
  instance_id: string,
  caller: Actor,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Proof> {
  await checkCaller(app, instance_id, caller);
  const items = await app.log.raw(instance_id, after, limit);
  const begun = after === 0 ? NOTHING : await provenBefore(app, instance_id, after);
  const versions = await versionsIn(app, items, begun);
  let proven = begun;
  let problem: Problem | null = null;
  for (const [i, item] of items.entries()) {
    problem = wrongWith(instance_id, item, proven, versions, items[i + 1]);
    if (problem) break;
    proven = provenIn(item) ?? proven;
  }
  const whole = items.length < limit;
  if (after === 0) problem ??= await wrongSource(app, items[0]);
  if (whole) problem ??= await unlikeSeen(app, instance_id, proven, items);
  const held = problem && problem.seq <= proven.seq ? heldBefore(problem.seq, begun, items) : proven;
  return {
    instance_id,
    ok: problem === null,
    commits: Math.max(0, held.seq - begun.seq),
    last: held.seq,
    hash: held.hash || null,
    first_problem: problem,
    next: whole || problem ? null : String(proven.seq),
  };
}

/** What a later commit, or the lists, say was changed has not been proven, though it follows from the one before. */
function heldBefore(seq: number, begun: Proven, items: readonly RawCommit[]): Pick<Proven, 'seq' | 'hash'> {
  if (seq - 1 === begun.seq) return begun;
  return { seq: seq - 1, hash: items.find((item) => item.seq === seq - 1)?.hash ?? '' };
}

/** For its keepers; owner and creator never change, so any commit that can be read tells. */
async function checkCaller(app: Ports, instance_id: string, caller: Actor): Promise<void> {
  const items = await app.log.raw(instance_id, 0, LOOKED_AT);
  const state = items.flatMap((item) => provenIn(item)?.state ?? [])[0];
  if (items.length === 0 || (state && (await scopeNow(app.sessions, state)) === 'nowhere'))
    throw notFound(instance_id);
  if (state ? isKeeper(state, caller) : isKeeper({ owner: '', created_by: '' }, caller)) return;
  const workflow = state && (await app.definitions.version(state.workflow_id, state.definition));
  if (!state || !workflow || !mayRead(workflow, state, caller)) throw notFound(instance_id);
  throw new Fault('role_not_allowed', 'Only the owner or an admin may replay an instance.');
}

function provenIn(item: RawCommit): Proven | null {
  const commit = readItem(item);
  return isProblem(commit) ? null : { seq: item.seq, hash: item.hash, state: commit.state };
}

/** PR2. */
async function provenBefore(app: Ports, instance_id: string, seq: number): Promise<Proven> {
  const [item] = await app.log.raw(instance_id, seq - 1, 1);
  const proven = item?.seq === seq ? provenIn(item) : null;
  if (proven === null)
    throw new Fault('not_found', `"${instance_id}" has no commit ${seq} that could be gone on from.`);
  return proven;
}

/** Every version of the definition that these commits name. */
async function versionsIn(app: Ports, items: readonly RawCommit[], begun: Proven): Promise<Versions> {
  const found = new Map<string, Workflow | null>();
  const add = async ({ workflow_id }: State, version: unknown) => {
    if (typeof version === 'string' && !found.has(version))
      found.set(version, await app.definitions.version(workflow_id, version));
  };
  if (begun.state) await add(begun.state, begun.state.definition);
  for (const item of items) {
    const commit = readItem(item);
    if (isProblem(commit)) continue;
    await add(commit.state, commit.state.definition);
    if (commit.signal.type === 'migrate') await add(commit.state, commit.signal.body.to);
  }
  return (version) => found.get(version) ?? null;
}

/** A fork holds the very commit that it says it goes on from, for as long as that is there. */
async function wrongSource(app: Ports, item: RawCommit | undefined): Promise<Problem | null> {
  const commit = item && readItem(item);
  if (!commit || isProblem(commit) || commit.signal.type !== 'fork') return null;
  const { source, at, source_hash, state } = bodies.fork.parse(commit.signal.body); // replayed before, so it parses
  const [there] = await app.log.raw(source, at - 1, 1);
  if (!there || there.seq !== at || there.text === null) return null;
  const read = readItem(there);
  if (there.hash === source_hash && !isProblem(read) && canonical(read.state) === canonical(state))
    return null;
  const detail = `It was not forked from commit ${at} of "${source}" as that is now.`;
  return { seq: 1, what: 'source', detail };
}

/** Lists follow the log and never lead it; what they noted of a commit is what it still must be. */
async function unlikeSeen(
  app: Ports,
  instance_id: string,
  { seq }: Proven,
  items: readonly RawCommit[],
): Promise<Problem | null> {
  const seen = await app.listings.seen(instance_id);
  if (seen === null) return null;
  if (seen.version > seq) {
    const detail = `Commit ${seq + 1} is missing: the lists have seen ${seen.version}, and the log ends at ${seq}.`;
    return { seq: seq + 1, what: 'missing', detail };
  }
  const there = items.find((item) => item.seq === seen.version);
  if (!there || seen.hash === '' || there.hash === seen.hash) return null;
  const detail = `Commit ${there.seq} was changed: the lists noted another hash when it was written.`;
  return { seq: there.seq, what: 'chain', detail };
}
