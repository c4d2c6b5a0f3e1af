// The artifacts a step can see: the workflow's own, then those of the steps on the way to it, then its own.
import type { Json, JsonObject } from '../model/json.ts';
import type { State, StepRecord } from '../model/state.ts';

export function artifactsOf(state: Pick<State, 'artifacts' | 'steps'>, own?: StepRecord): JsonObject {
  const all: Record<string, Json> = { ...state.artifacts };
  for (const record of state.steps) if (record && record.id !== own?.id) Object.assign(all, record.artifacts);
  return own ? Object.assign(all, own.artifacts) : all;
}
