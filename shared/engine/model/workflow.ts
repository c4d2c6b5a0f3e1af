// The compiled form: what both input forms become, proven and frozen. The engine reads nothing else.
import type { Checker } from '../criteria/checker.ts';
import type { DecisionFunction } from '../handlers/decision-function.ts';
import type { CompiledExpression } from '../expressions/expression.ts';
import type { Outcome } from './definition.ts';
import type { EvidenceField } from './evidence.ts';
import type { Json } from './json.ts';

export interface Workflow {
  readonly id: string;
  /** Content hash of the definition: two definitions with the same hash behave the same. */
  readonly version: string;
  readonly label: string | null;
  readonly title: string;
  readonly description: string;
  readonly form: 'steps' | 'fsm';
  readonly roles: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, ParamDomain>>;
  readonly recovery: 'resume' | 'restart';
  readonly single_active: boolean;
  readonly visibility: 'open' | 'strict';
  readonly artifacts: readonly string[];
  readonly state_block: StateBlock | null;
  readonly steps: readonly Step[];
  readonly index: ReadonlyMap<string, number>;
  readonly entry: number;
  /** Every role and agent name some step needs: whoever holds one may see the instance. */
  readonly audience: ReadonlySet<string>;
  /** Non-final steps on every path to a successful end, in path order: what progress counts. */
  readonly milestones: readonly number[];
  readonly is_milestone: readonly boolean[];
  /** Steps that a person approves, in the order of the definition. */
  readonly checkpoints: readonly number[];
  /** Immediate dominator of each step (-1 for the entry): prerequisites are the chain upwards. */
  readonly dominator: readonly number[];
  /** The definition as it was given, normalised: enough to compile it again elsewhere. */
  readonly source: Json;
}

export interface ParamDomain {
  readonly kind: 'integer' | 'number' | 'text' | 'boolean' | 'choice' | 'constant';
  readonly description: string;
  readonly required: boolean;
  readonly default?: Json;
  readonly min?: number;
  readonly max?: number;
  readonly max_length?: number;
  readonly choices?: readonly Json[];
}

export interface StateBlock {
  readonly name: string;
  readonly unit: 'step' | 'phase';
  readonly include: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

export interface Step {
  readonly index: number;
  /** 1-based position, the other name of a step. */
  readonly number: number;
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  readonly final: 'success' | 'failure' | null;
  /** Leads a step whose other agents are counted by `all_agents`. */
  readonly lead: string | null;
  readonly agents: readonly string[];
  /** any: one of them finishes it · sequence: one after the other · all: at once, joined at the end. */
  readonly teamwork: 'any' | 'sequence' | 'all';
  readonly roles: readonly string[];
  readonly human: boolean;
  readonly instructions: string;
  readonly actions: readonly string[];
  readonly content: string;
  readonly responsibilities: Readonly<Record<string, string>> | string | null;
  readonly criteria: readonly Criterion[];
  readonly evidence: Readonly<Record<string, EvidenceField>>;
  readonly outputs: readonly string[];
  readonly approval: Approval | null;
  readonly attempts: Attempts | null;
  /** Index of the step whose attempt this step judges. */
  readonly triggers_retry: number | null;
  readonly deadline: Deadline | null;
  readonly handler: Handler;
  readonly intents: readonly string[];
  /** What to tell a person whose message belongs to a later step: by language, or for all. */
  readonly comes_first: string | Readonly<Record<string, string>> | null;
  readonly supports_questions: boolean;
  readonly lease_seconds: number;
  readonly required_action: string | null;
  /** Who is to act: roles of the outgoing transitions, else the step's own. */
  readonly roles_in_charge: readonly string[];
  readonly transitions: readonly Transition[];
  /** Transitions by `on`, in order. */
  readonly by_on: ReadonlyMap<string, readonly Transition[]>;
  readonly auto: readonly Transition[];
  /** Left in the same commit it was entered in, if nothing holds it: no one waits on it. */
  readonly automatic: boolean;
}

export interface Transition {
  readonly on: string;
  /** Index of the target step; null is the end. */
  readonly to: number | null;
  readonly roles: readonly string[];
  readonly guard: CompiledExpression | null;
  readonly feedback_required: boolean;
  readonly auto: boolean;
  readonly implied: boolean;
  readonly claims: boolean;
  /** Does leaving this way mean the step's work is done, so that its criteria must hold? */
  readonly completes: boolean;
  /** The way back from a judging step to the step whose attempt failed. */
  readonly retry: boolean;
  readonly description: string;
}

export interface Criterion {
  readonly type: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly checker: Checker;
}

export interface Approval {
  readonly type: 'approve' | 'select_variant';
  readonly roles: readonly string[];
  readonly allow_self: boolean;
  readonly variants: readonly string[];
  readonly prompt: string;
}

export interface Attempts {
  readonly max: number;
  readonly emphasis: readonly string[];
  readonly timeout_seconds: number | null;
  readonly heartbeat_seconds: number | null;
  readonly backoff_seconds: number;
  readonly backoff_rate: number;
  readonly max_backoff_seconds: number;
  /** The share of a back-off that is left to chance, so that many instances do not come back at once. */
  readonly backoff_jitter: number;
}

export interface Deadline {
  readonly seconds: number;
  readonly remind_after_seconds: number | null;
  readonly outcome: string;
}

export type Handler =
  | { readonly kind: 'wait' }
  | {
      readonly kind: 'decide';
      readonly outcome: CompiledExpression;
      readonly state: Readonly<Record<string, CompiledExpression>>;
    }
  | { readonly kind: 'function'; readonly name: string; readonly run: DecisionFunction }
  | {
      readonly kind: 'dispatch';
      readonly agent: string;
      readonly script: string | null;
      readonly outcomes: Readonly<Record<string, Outcome>>;
    };

/** A step by its id or its number, as any caller may name it. */
export function findStep(workflow: Workflow, name: string | number): Step | undefined {
  const index = typeof name === 'number' ? name - 1 : workflow.index.get(name);
  if (index !== undefined) return workflow.steps[index];
  return typeof name === 'string' && /^\d{1,6}$/.test(name) ? workflow.steps[Number(name) - 1] : undefined;
}

/** The compiler hands out indices only of steps that exist. */
export function stepAt(workflow: Workflow, index: number): Step {
  const step = workflow.steps[index];
  if (step === undefined) throw new RangeError(`${workflow.id} has no step at position ${index}`);
  return step;
}
