// Says something to an instance: load → gather facts → decide → commit. Signals, approvals, answers, claims,
// widgets, overrides and recorded violations all come this way.
//   T1  What is acknowledged is in the log, exactly once: an idempotency key is looked for in the ring of the state
//       and, once that ring has turned, in the index over the whole log.
//   T2  Whoever loses a race decides again on the winner's state, a bounded number of times.
import {
  type Actor,
  type Answer,
  answerOf,
  type Decision,
  decide,
  type Facts,
  KEPT_KEYS,
  readSignal,
  type Signal,
  type SignalType,
  type Workflow,
} from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Entry, NewCommit } from '../ports.ts';
import type { App } from './app.ts';
import { notFound, refusalOf, workflowOf } from './find-instance.ts';
import { gatherFacts } from './gather-facts.ts';
import { idempotencyOf } from './idempotency.ts';
import { appendOrRevive } from './revive.ts';
import { scopeNow } from './session-scope.ts';

export interface Telling {
  readonly instance_id: string;
  readonly type: SignalType;
  readonly body: unknown;
  /** What the caller sent, where that is not the body itself. */
  readonly said?: unknown;
  readonly caller: Actor;
  /** The caller's Idempotency-Key. */
  readonly key?: string | undefined;
  /** Whose key it is, where the caller speaks for someone else. */
  readonly keyed?: string;
}

/** Beyond these the instance is too busy: the caller is told to try again. */
const MAX_LOSSES = 24;
/** A loser is handed the commit it lost to; after this many in a row it looks for the newest instead. */
const LOSSES_BEFORE_READING = 2;

/** Throws a Fault if it is refused; the answer says what became of it otherwise. */
export async function tell(
  app: App,
  { instance_id, type, body, said = body, caller, key, keyed = caller.sub }: Telling,
): Promise<Answer> {
  const idempotency = idempotencyOf(key, keyed, [type, instance_id, said]);
  const signal = readSignal(type, body, idempotency) as Signal; // one member of the union, chosen by `type`
  return app.warm.inTurn(instance_id, () => settle(app, instance_id, signal, caller));
}

async function settle(app: App, instance_id: string, signal: Signal, caller: Actor): Promise<Answer> {
  let entry = app.warm.get(instance_id) ?? null;
  let fresh = false;
  let looked = false;
  let open = false;
  for (let losses = 0; ; ) {
    if (entry === null) {
      [entry, fresh, looked] = [await app.log.latest(instance_id), true, false];
      if (entry === null) throw gone(app, instance_id);
    }
    const { state } = entry.commit;
    if (!open) {
      if ((await scopeNow(app.sessions, state)) === 'nowhere') throw gone(app, instance_id);
      open = true; // what is cancelled from here on is erased after this write, or refuses it
    }
    const workflow = await workflowOf(app, state);
    if (!looked) {
      const seq = await oldKey(app, entry, signal);
      looked = true;
      if (seq !== null) return repeat(app, instance_id, seq, signal);
    }
    const target = signal.type === 'migrate' ? await versionOf(app, workflow, signal.body.to) : null;
    const facts = await gatherFacts(app, target ?? workflow, state, signal);
    const now = app.chance.now();
    const decision = decide(workflow, state, signal, caller, facts, now, target);
    if (decision.kind === 'repeat') return repeat(app, instance_id, decision.seq, signal);
    const commit = commitOf(decision, app.chance.id(), now, { signal, caller, facts });
    if (commit === null && !fresh) {
      entry = null; // K1: what was remembered may be out of date, and nothing would be written
      continue;
    }
    const written: Awaited<ReturnType<App['log']['append']>> | null =
      commit && (await append(app, workflow, commit, entry));
    if (written && 'lostTo' in written) {
      losses++;
      if (losses > MAX_LOSSES)
        throw new Fault('version_conflict', `"${instance_id}" is very busy. Send the same request again.`);
      entry = losses % LOSSES_BEFORE_READING === 0 ? null : written.lostTo;
      fresh = false;
      await app.chance.backOff(losses);
      continue;
    }
    if (written) app.warm.keep(written);
    const { notes } = decision;
    const told = {
      instance_id,
      workflow_id: workflow.id,
      step: state.current_step,
      signal: signal.type,
      notes,
    };
    const result = decision.kind === 'refuse' ? decision.refusal.code : decision.verdict.result;
    app.observe({ ...told, result, conflicts: losses });
    if (decision.kind === 'refuse') throw Fault.from(decision.refusal);
    return answerOf(target ?? workflow, decision.state, decision.verdict);
  }
}

/** Kept from here on, since an instance may be pinned to it. */
async function versionOf(app: App, { id }: Workflow, version: string): Promise<Workflow | null> {
  const found = await app.definitions.version(id, version);
  if (found) await app.definitions.keep(found);
  return found;
}

function gone(app: App, instance_id: string): Fault {
  app.warm.forget(instance_id);
  return notFound(instance_id);
}

/** After a failed write nobody knows what the log holds: the next one reads it. */
async function append(app: App, workflow: Workflow, commit: NewCommit, before: Entry) {
  try {
    return await appendOrRevive(app, workflow, commit, before);
  } catch (error) {
    app.warm.forget(before.commit.state.instance_id);
    throw error;
  }
}

/** The commit a decision asks for; null where nothing is written. */
function commitOf(
  decision: Exclude<Decision, { kind: 'repeat' }>,
  id: string,
  at: string,
  { signal, caller, facts }: { signal: Signal; caller: Actor; facts: Facts },
): NewCommit | null {
  const next = decision.kind === 'commit' ? decision : decision.record;
  if (next === undefined) return null;
  const { type, body, idempotency } = signal;
  return {
    id,
    seq: next.state.seq,
    at,
    actor: caller,
    signal: { type, body: body as NewCommit['signal']['body'], ...(idempotency ? { idempotency } : {}) }, // parsed JSON
    facts,
    events: next.events,
    state: next.state,
    ...(decision.kind === 'commit'
      ? { verdict: decision.verdict }
      : { refusal: decision.refusal as NonNullable<NewCommit['refusal']> }), // details are plain values
  };
}

/** Looks beyond the ring, once it has turned. */
async function oldKey(
  app: App,
  { commit: { state } }: Entry,
  { idempotency }: Signal,
): Promise<number | null> {
  if (!idempotency || state.keys.length < KEPT_KEYS) return null;
  if (state.keys.some(([key]) => key === idempotency.key)) return null;
  return app.log.seqOfKey(state.instance_id, idempotency.key);
}

/** The first answer again, rebuilt from its commit. */
async function repeat(app: App, instance_id: string, seq: number, { idempotency }: Signal): Promise<Answer> {
  const entry = await app.log.at(instance_id, seq);
  if (entry === null) throw notFound(instance_id);
  const { commit } = entry;
  if (commit.signal.idempotency?.body !== idempotency?.body)
    throw new Fault(
      'idempotency_mismatch',
      'This Idempotency-Key was used with another body; use a new key.',
    );
  const refused = refusalOf(commit);
  if (refused) throw refused;
  if (!commit.verdict) throw new Error(`commit ${seq} of "${instance_id}" has neither verdict nor refusal`);
  return { ...answerOf(await workflowOf(app, commit.state), commit.state, commit.verdict), replayed: true };
}
