// The artifacts a step can see: the workflow's own, then those of the steps on the way to it, then its own.
import type { Json, JsonObject } from '../model/json.ts';
import type { State, StepRecord } from '../model/state.ts';

export function artifactsOf(state: Pick<State, 'artifacts' | 'steps'>, own?: StepRecord): JsonObject {
  const all: Record<string, Json> = { ...state.artifacts };
  for (const record of state.steps) if (record && record.id !== own?.id) addTo(all, record.artifacts);
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
