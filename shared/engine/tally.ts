// What is counted over the step records of a long instance, carried from commit to commit instead of counted anew.
//   Y1  A tally says exactly what counting the records says: it is a cache, and nothing depends on its being there.
//   Y2  A tally is kept only for sealed records, and found by their identity: they never change, so it never goes
//       stale.
import type { JsonObject } from './model/json.ts';
import type { State, StepRecord } from './model/state.ts';
import type { Workflow } from './model/workflow.ts';

type Records = State['steps'];

export interface Count {
  /** Ids of the steps that are done, final ones left out, in the order of the definition. */
  readonly completed_steps: readonly string[];
  /** How many milestones are done or wait for nothing but their approval. */
  readonly milestones: number;
}

export interface Tally extends Count {
  readonly workflow: Workflow;
  /** Positions of the records that have something for later steps to see, in order. */
  readonly holders: readonly number[];
}

/** Below this, counting is cheaper than remembering. */
const SHORT = 32;

/** The latest sealed records of an instance, and what they add up to. */
interface Kept {
  records: Records;
  tally: Tally;
}

/** By the parameters, the one object that stays with an instance from state to state: one entry for each instance
 *  in memory, gone when it is. (An entry for each array of records would cost more in collecting than it saves.) */
const latest = new WeakMap<JsonObject, Kept>();

/** Null for short instances, which are counted. The records must be sealed (Y2). */
export function tallyOf(
  workflow: Workflow,
  { params, steps }: Pick<State, 'params' | 'steps'>,
): Tally | null {
  if (steps.length <= SHORT) return null;
  const kept = latest.get(params);
  if (kept?.records === steps && kept.tally.workflow === workflow) return kept.tally;
  const fresh = tally(workflow, steps);
  keepTally(params, steps, fresh);
  return fresh;
}

/** Hands a draft's tally on to the state it became. */
export function keepTally(params: JsonObject, records: Records, known: Tally): void {
  const kept = latest.get(params);
  if (kept) {
    kept.records = records;
    kept.tally = known;
  } else latest.set(params, { records, tally: known });
}

/** What is done, counted from the records alone. */
export function count(workflow: Workflow, records: Records): Count {
  const { steps, is_milestone } = workflow;
  const completed_steps: string[] = [];
  let milestones = 0;
  for (let i = 0; i < records.length; i++) {
    const record = records[i];
    if (!record) continue;
    const done = isDone(record);
    if (done && steps[i]?.final === null) completed_steps.push(record.id);
    // A step that only waits for its approval has delivered its work.
    if ((done || record.status === 'waiting_approval') && is_milestone[i]) milestones++;
  }
  return { completed_steps, milestones };
}

function tally(workflow: Workflow, records: Records): Tally {
  const holders: number[] = [];
  records.forEach((record, i) => {
    if (leavesAny(record)) holders.push(i);
  });
  return { ...count(workflow, records), workflow, holders };
}

/** The tally once the record at a position is replaced. */
export function retally(
  known: Tally,
  at: number,
  before: StepRecord | null,
  after: StepRecord | null,
): Tally {
  const { workflow } = known;
  const listed = Number(isListed(workflow, at, after)) - Number(isListed(workflow, at, before));
  const counted = Number(isCounted(workflow, at, after)) - Number(isCounted(workflow, at, before));
  const holding = Number(leavesAny(after)) - Number(leavesAny(before));
  if (listed === 0 && counted === 0 && holding === 0) return known;
  const { completed_steps, holders } = known;
  return {
    workflow,
    completed_steps:
      listed === 0
        ? completed_steps
        : changed(completed_steps, (id) => workflow.index.get(id) ?? -1, at, after?.id ?? '', listed),
    milestones: known.milestones + counted,
    holders: holding === 0 ? holders : changed(holders, (position) => position, at, at, holding),
  };
}

/** A copy of an ordered list with one item more (1) or less (-1), found by its position in the definition. */
function changed<T>(
  list: readonly T[],
  positionOf: (item: T) => number,
  at: number,
  item: T,
  by: number,
): readonly T[] {
  let low = 0;
  let high = list.length;
  const last = list.at(-1);
  if (last === undefined || positionOf(last) < at) low = high;
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = list[middle];
    if (there !== undefined && positionOf(there) < at) low = middle + 1;
    else high = middle;
  }
  if (by < 0) return list.toSpliced(low, 1);
  return low === list.length ? list.concat([item]) : list.toSpliced(low, 0, item);
}

export const isDone = ({ status }: StepRecord): boolean => status === 'completed' || status === 'skipped';

const isListed = ({ steps }: Workflow, at: number, record: StepRecord | null): boolean =>
  record !== null && isDone(record) && steps[at]?.final === null;

const isCounted = ({ is_milestone }: Workflow, at: number, record: StepRecord | null): boolean =>
  record !== null && is_milestone[at] === true && (isDone(record) || record.status === 'waiting_approval');

function leavesAny(record: StepRecord | null | undefined): boolean {
  if (!record) return false;
  return hasAny(record.artifacts) || (isDone(record) && hasAny(record.evidence));
}

function hasAny(values: JsonObject | undefined): boolean {
  for (const _ in values) return true;
  return false;
}
