// The shape of a completion criterion. A new one is a file that exports a Checker and a line in the registry.
import type * as z from 'zod';
import type { Actor } from '../model/actor.ts';
import type { Facts } from '../model/facts.ts';
import type { JsonObject } from '../model/json.ts';
import type { State, StepRecord } from '../model/state.ts';
import type { Step, Workflow } from '../model/workflow.ts';

/** One thing that is missing, in words the agent can act on. */
export interface Missing {
  readonly type: string;
  readonly reason: string;
  readonly [detail: string]: unknown;
}

export interface CheckContext {
  readonly workflow: Workflow;
  readonly step: Step;
  readonly state: State;
  /** The step's record with what the signal brought already in it. */
  readonly record: StepRecord;
  /** Artifacts the step can see: the workflow's, those of the steps before it, its own. */
  readonly artifacts: JsonObject;
  readonly facts: Facts;
  readonly actor: Actor;
  /** False when the question is only "could it be completed now?". */
  readonly signalled: boolean;
}

/** What a checker may need from outside; the caller gathers it into Facts before deciding. */
export interface Need {
  readonly kind: 'memory' | 'custom';
  readonly name: string;
}

export type Verdict =
  | { readonly met: true }
  | { readonly met: false; readonly missing: readonly Omit<Missing, 'type'>[] }
  /** The criterion does not block: it settles the step's outcome instead. */
  | { readonly met: true; readonly outcome: 'fail'; readonly reason: string };

export interface Checker<Params = never> {
  readonly type: string;
  readonly params: z.ZodType<Params>;
  readonly check: (context: CheckContext, params: Params) => Verdict;
  readonly needs?: (params: Params) => readonly Need[];
}

export const MET: Verdict = { met: true };
export const unmet = (reason: string, details: Record<string, unknown> = {}): Verdict => ({
  met: false,
  missing: [{ reason, ...details }],
});

/** Types a checker and forgets its parameter type: the schema guards the way in. */
export function defineChecker<Params>(checker: Checker<Params>): Checker {
  return checker as unknown as Checker; // params reach `check` only through `params.parse`
}
