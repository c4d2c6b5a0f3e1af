// Recomputes an instance from its log alone: every snapshot must be what its signal makes of the one before.
//   R1  The first commit begins the instance; each later one is decided again on what it was judged on then.
//   R2  A recorded violation replays to its record: nothing but `seq` and the keys has changed.
import { Fault } from '../faults.ts';
import { begin } from './decide/start.ts';
import { decide } from './decide/decide.ts';
import { canonical } from './digest.ts';
import type { Commit } from './model/decision.ts';
import { bodies, readSignal, type Signal, type SignalType } from './model/signal.ts';
import type { State } from './model/state.ts';
import type { Workflow } from './model/workflow.ts';

export type Replayed =
  | { readonly ok: true }
  /** `seq` of the first commit that does not follow, and what differs: a path into its state, or why there is none. */
  | { readonly ok: false; readonly seq: number; readonly differs: string };

type Logged = Pick<Commit, 'seq' | 'at' | 'actor' | 'signal' | 'facts' | 'state'>;

export function replay(workflow: Workflow, commits: readonly Logged[]): Replayed {
  let state: State | null = null;
  for (const commit of commits) {
    const differs = (what: string): Replayed => ({ ok: false, seq: commit.seq, differs: what });
    const next = recompute(workflow, state, commit);
    if (typeof next === 'string') return differs(next);
    if (commit.seq !== next.seq) return differs(`seq: ${commit.seq} is logged where ${next.seq} follows`);
    if (canonical(next) !== canonical(commit.state))
      return differs(`state${firstDifference(commit.state, next)}`);
    state = next;
  }
  return { ok: true };
}

/** The state this commit must have led to, or why there can be none. */
function recompute(workflow: Workflow, before: State | null, commit: Logged): State | string {
  try {
    const signal = signalOf(commit);
    if (signal === null) return `signal.type: "${commit.signal.type}" is not a signal`;
    const { actor, facts, at } = commit;
    if (before === null) {
      if (signal.type !== 'start') return `signal.type: the first commit is a ${signal.type}, not a start`;
      return begin(workflow, signal.body, actor, at, signal.idempotency).state;
    }
    const decision = decide(workflow, before, signal, actor, facts, at);
    if (decision.kind === 'commit') return decision.state;
    if (decision.kind === 'repeat') return `signal: it repeats commit ${decision.seq}`;
    return decision.record?.state ?? `signal: refused with ${decision.refusal.code}`;
  } catch (error) {
    if (error instanceof Fault) return `signal: refused with ${error.code}: ${error.message}`;
    throw error;
  }
}

function signalOf({ signal: { type, body, idempotency } }: Logged): Signal | null {
  if (!Object.hasOwn(bodies, type)) return null;
  return readSignal(type as SignalType, body, idempotency) as Signal; // a known type, checked above
}

/** The path of the first field, in key order, whose content is not the same. */
function firstDifference(logged: unknown, recomputed: unknown): string {
  if (!isObject(logged) || !isObject(recomputed)) return '';
  const keys = [...new Set([...Object.keys(logged), ...Object.keys(recomputed)])].toSorted();
  const key = keys.find((name) => canonical(logged[name]) !== canonical(recomputed[name]));
  return key === undefined ? '' : `.${key}${firstDifference(logged[key], recomputed[key])}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
