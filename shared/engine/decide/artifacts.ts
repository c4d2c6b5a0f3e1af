// The artifacts a step can see: the workflow's own, then those of the steps on the way to it, then its own. What was
// shown as evidence of a completed step is among them.
import type { Json, JsonObject } from '../model/json.ts';
import type { State, StepRecord } from '../model/state.ts';
import { isDone, type Tally } from '../tally.ts';

type Seen = Pick<State, 'artifacts' | 'steps'> & {
  /** Says which steps have any, where that is known. */
  readonly tally?: Tally | null;
};

export const artifactsOf = (state: Seen, own?: StepRecord): JsonObject => gather(state, own, true);

/** Without evidence, which may be long and is read where it is needed: for assignments, kept in every commit. */
export const deliveredOf = (state: Seen, own?: StepRecord): JsonObject => gather(state, own, false);

function gather(state: Seen, own: StepRecord | undefined, evidence: boolean): JsonObject {
  const all: Record<string, Json> = { ...state.artifacts };
  const { steps } = state;
  const addOther = (record: StepRecord | null | undefined) => {
    if (!record || record.id === own?.id) return;
    if (evidence && isDone(record)) addTo(all, record.evidence);
    addTo(all, record.artifacts);
  };
  const holders = state.tally?.holders;
  if (holders) for (const at of holders) addOther(steps[at]);
  else for (const record of steps) addOther(record);
  if (own) addTo(all, own.artifacts);
  return all;
}

/** Most steps have none: cheaper than Object.assign by far. */
function addTo(all: Record<string, Json>, artifacts: JsonObject): void {
  for (const name in artifacts) {
    const value = artifacts[name];
    if (value !== undefined && Object.hasOwn(artifacts, name)) all[name] = value;
  }
}
