// What an expression sees of an instance.
import type { JsonObject } from '../model/json.ts';
import type { State, StepRecord } from '../model/state.ts';
import type { Variables } from './expression.ts';

export function variablesOf(
  state: Pick<State, 'params' | 'shared'>,
  record: StepRecord,
  artifacts: JsonObject,
): Variables {
  return {
    params: state.params,
    state: record.state,
    data: record.data,
    artifacts,
    evidence: record.evidence,
    shared: state.shared,
  };
}
