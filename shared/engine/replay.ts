// Recomputes an instance from its log alone: every snapshot must be what its signal makes of the one before.
//   R1  The first commit begins or forks the instance; each later one is decided again on what it was judged on then.
//   R2  A recorded violation replays to its record: nothing but `seq` and the keys has changed.
//   R3  Each commit is judged by the version of the definition that the instance was on.
import { Fault } from '../faults.ts';
import { decide } from './decide/decide.ts';
import { fork } from './decide/fork.ts';
import { begin } from './decide/start.ts';
import { canonical } from './digest.ts';
import type { Commit, Decision } from './model/decision.ts';
import { bodies, readSignal, type Signal, type SignalType } from './model/signal.ts';
import type { State } from './model/state.ts';
import type { Workflow } from './model/workflow.ts';

export type Replayed =
  | { readonly ok: true }
  /** `seq` of the first commit that does not follow, and what differs: a path into it, or why there is none. */
  | { readonly ok: false; readonly seq: number; readonly differs: string };

type Logged = Omit<Commit, 'id' | 'previous'>;

/** What a decision makes of a commit. */
const PARTS = ['state', 'events', 'verdict', 'refusal'] as const;

/** The definition in each version that the log names, by its hash. */
export type Versions = (version: string) => Workflow | null;

/** `from` is the state that the first of these commits follows; null if they begin the log. */
export function replay(
  versions: Workflow | Versions,
  commits: readonly Logged[],
  from: State | null = null,
): Replayed {
  const resolve = typeof versions === 'function' ? versions : () => versions;
  let state = from;
  for (const commit of commits) {
    const differs = (what: string): Replayed => ({ ok: false, seq: commit.seq, differs: what });
    const decided = decideAgain(resolve, state, commit);
    if (typeof decided === 'string') return differs(decided);
    const { state: next } = decided;
    if (commit.seq !== next.seq) return differs(`seq: ${commit.seq} is logged where ${next.seq} follows`);
    const part = PARTS.find((name) => canonical(decided[name]) !== canonical(commit[name]));
    if (part !== undefined) return differs(`${part}${firstDifference(commit[part], decided[part])}`);
    state = next;
  }
  return { ok: true };
}

type Decided = Pick<Commit, 'state' | 'events'> & Partial<Pick<Commit, 'verdict'>> & { refusal?: unknown };

/** What this commit must have led to, or why there can be none. */
function decideAgain(versions: Versions, before: State | null, commit: Logged): Decided | string {
  try {
    const signal = signalOf(commit);
    if (signal === null) return `signal.type: "${commit.signal.type}" is not a signal`;
    const { actor, facts, at, state } = commit;
    const version = (before ?? state).definition;
    const workflow = versions(version);
    if (workflow === null) return `state.definition: there is no version "${version}"`;
    if (before === null) return first(workflow, signal, commit);
    const target = signal.type === 'migrate' ? versions(signal.body.to) : null;
    return written(decide(workflow, before, signal, actor, facts, at, target));
  } catch (error) {
    if (error instanceof Fault) return `signal: refused with ${error.code}: ${error.message}`;
    throw error;
  }
}

function first(workflow: Workflow, signal: Signal, { actor, at }: Logged): Decided | string {
  if (signal.type === 'start') return begin(workflow, signal.body, actor, at, signal.idempotency);
  if (signal.type === 'fork') return fork(workflow, signal.body, actor, at, signal.idempotency);
  return `signal.type: the first commit is a ${signal.type}, not a start or a fork`;
}

function written(decision: Decision): Decided | string {
  if (decision.kind === 'commit') return decision;
  if (decision.kind === 'repeat') return `signal: it repeats commit ${decision.seq}`;
  const { record, refusal } = decision;
  return record ? { ...record, refusal } : `signal: refused with ${refusal.code}`;
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
