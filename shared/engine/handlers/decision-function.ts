// A step decided by code: a registered pure function from context to outcome and next state.
import type { Outcome } from '../model/definition.ts';
import type { Json, JsonObject } from '../model/json.ts';

export interface StepContext {
  readonly step_id: string;
  /** Set at the start, never changed. */
  readonly workflow_params: JsonObject;
  /** What this function returned last time; `iteration` starts at 1. */
  readonly step_state: JsonObject;
  readonly data: JsonObject;
  readonly evidence: JsonObject;
  readonly artifacts: JsonObject;
}

export type DecisionFunction = (context: StepContext) => readonly [Outcome, { readonly [key: string]: Json }];
