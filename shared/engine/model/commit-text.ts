// A commit as the text that is stored and hashed, and back. Every commit holds the records of all steps, and most of a
// record is as usual: what is as usual is not written, which halves what a signal costs to write.
//   CT1  Reading what was written gives the same commit.
//   CT2  What is read is filled up, not trusted: it is parsed by its schema afterwards.
import type { Commit } from './decision.ts';
import type { StepRecord } from './state.ts';

type Usual = (value: unknown, record: StepRecord) => boolean;

const none = (value: unknown): boolean => value === null;
const empty = (value: unknown): boolean => {
  for (const _ in value as object) return false; // by the names below, an object or a list
  return true;
};

/** Which values of a record are left out, by name. */
const USUAL: Readonly<Record<string, Usual>> = {
  entered: (value, { turn }) => value === turn,
  visits: (value) => value === 1,
  since: (value, { started_at }) => value === started_at,
  reminded: (value) => value === false,
  completed_at: none,
  outcome: none,
  data: empty,
  evidence: empty,
  artifacts: empty,
  state: isFirst,
  agents_done: empty,
  approval: none,
  attempts: none,
  widgets: empty,
  answers: empty,
  deferred: empty,
  overridden: none,
};

function isFirst(value: unknown): boolean {
  const state = value as Readonly<Record<string, unknown>>; // of a record
  for (const name in state) if (name !== 'iteration' || state[name] !== 1) return false;
  return state['iteration'] === 1;
}

const NOTHING = Object.freeze({});
const NONE: readonly never[] = Object.freeze([]);
const FILLED = {
  visits: 1,
  reminded: false,
  completed_at: null,
  outcome: null,
  data: NOTHING,
  evidence: NOTHING,
  artifacts: NOTHING,
  state: Object.freeze({ iteration: 1 }),
  agents_done: NONE,
  approval: null,
  attempts: null,
  widgets: NOTHING,
  answers: NONE,
  deferred: NONE,
  overridden: null,
};

/** A record never changes, and most of them are in the next commit again. */
const packed = new WeakMap<StepRecord, object>();

function pack(record: StepRecord | null): object | null {
  if (record === null) return null;
  const before = packed.get(record);
  if (before) return before;
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) if (!USUAL[name]?.(value, record)) rest[name] = value;
  packed.set(record, rest);
  return rest;
}

export const commitText = (commit: Commit): string =>
  JSON.stringify({ ...commit, state: { ...commit.state, steps: commit.state.steps.map(pack) } });

/** Throws if the text is not JSON. */
export function readCommitText(text: string): unknown {
  const commit: unknown = JSON.parse(text);
  if (!isRecord(commit) || !isRecord(commit.state) || !Array.isArray(commit.state.steps)) return commit;
  const steps = commit.state.steps.map((record: unknown) =>
    isRecord(record) ? { entered: record.turn, since: record.started_at, ...FILLED, ...record } : record,
  );
  return { ...commit, state: { ...commit.state, steps } };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
