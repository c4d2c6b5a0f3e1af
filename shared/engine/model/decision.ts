// What the engine answers: a commit to write, a refusal (written down if it is a violation), or a repeat.
import * as z from 'zod';
import type { Refusal } from '../../faults.ts';
import { Actor } from './actor.ts';
import { WorkflowEvent, type Progress } from './event.ts';
import { Facts } from './facts.ts';
import { IdempotencyKey } from './signal.ts';
import { State } from './state.ts';
import { JsonRecord } from './json.ts';
import { FAULT_CODES } from '../../faults.ts';

const RESULTS = ['advanced', 'blocked', 'stayed', 'waiting', 'completed', 'failed'] as const;

/** What became of a message. */
const Routing = z.strictObject({
  /** Who has the word now. */
  routed_to: z.strictObject({ step: z.string(), agent: z.string() }),
  /** The later step it is kept for, and what to tell the person. */
  deferred: z.strictObject({ step: z.string(), reason: z.string() }).optional(),
  /** How sure the classifier was of the step it named; 0 if it named none, 1 if the caller did. */
  confidence: z.number().min(0).max(1),
});

/** The part of an answer that the state alone does not tell; kept in the commit, so a repeat can be answered. */
export const Verdict = z.strictObject({
  result: z.enum(RESULTS),
  previous_step: z.string().nullable(),
  reason: z.string().optional(),
  missing_criteria: z
    .array(z.looseObject({ type: z.string(), reason: z.string() }))
    .readonly()
    .optional(),
  routing: Routing.optional(),
});
export type Verdict = z.infer<typeof Verdict>;

export interface Answer extends Verdict {
  readonly instance_id: string;
  readonly workflow_id: string;
  readonly version: number;
  readonly current_step: string;
  readonly progress: Progress;
  readonly next?: {
    readonly role: string | null;
    readonly action: string | null;
    readonly agent: string | null;
  };
  readonly replayed?: true;
}

/** Something an operator should see and a caller need not: a checker that threw, a decision that made no sense. */
export interface Note {
  readonly level: 'warn' | 'error';
  readonly message: string;
}

export type Decision =
  | {
      readonly kind: 'commit';
      readonly state: State;
      readonly events: readonly WorkflowEvent[];
      readonly verdict: Verdict;
      readonly notes: readonly Note[];
    }
  | {
      readonly kind: 'refuse';
      readonly refusal: Refusal;
      /** Present for a violation: a commit that changes nothing but `seq` and the keys. */
      readonly record?: { readonly state: State; readonly events: readonly WorkflowEvent[] };
      readonly notes: readonly Note[];
    }
  | { readonly kind: 'repeat'; readonly seq: number };

/** One item of the log: the decision with all it was judged on, so that every state can be recomputed. */
export const Commit = z.strictObject({
  id: z.string(),
  seq: z.int().positive(),
  at: z.iso.datetime(),
  actor: Actor,
  signal: z.strictObject({ type: z.string(), body: JsonRecord, idempotency: IdempotencyKey.optional() }),
  facts: Facts,
  events: z.array(WorkflowEvent).readonly(),
  state: State,
  verdict: Verdict.optional(),
  refusal: z
    .strictObject({ code: z.enum(FAULT_CODES), message: z.string(), details: JsonRecord.optional() })
    .optional(),
  /** Hash of the commit before it; empty for the first. */
  previous: z.string(),
});
export type Commit = z.infer<typeof Commit>;
