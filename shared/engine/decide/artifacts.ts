// The artifacts a step can see: the workflow's own, then those of the steps on the way to it, then its own.
import type { Json, JsonObject } from '../model/json.ts';
import type { State, StepRecord } from '../model/state.ts';
import type { Tally } from '../tally.ts';

type Seen = Pick<State, 'artifacts' | 'steps'> & {
  /** Says which steps have any, where that is known. */
  readonly tally?: Tally | null;
};

export function artifactsOf(state: Seen, own?: StepRecord): JsonObject {
  const all: Record<string, Json> = { ...state.artifacts };
  const { steps } = state;
  const holders = state.tally?.holders;
  if (holders) for (const at of holders) addOther(all, steps[at], own);
  else for (const record of steps) addOther(all, record, own);
  if (own) addTo(all, own.artifacts);
  return all;
}

function addOther(all: Record<string, Json>, record: StepRecord | null | undefined, own?: StepRecord): void {
  if (record && record.id !== own?.id) addTo(all, record.artifacts);
}

/** Most steps have none: cheaper than Object.assign by far. */
function addTo(all: Record<string, Json>, artifacts: JsonObject): void {
  for (const name in artifacts) {
    const value = artifacts[name];
    if (value !== undefined && Object.hasOwn(artifacts, name)) all[name] = value;
  }
}
