// A workflow definition as people write it: the step list. (The FSM form is in fsm.ts; both compile to one.)
// Every object is strict: an unknown key is an error that names the key probably meant.
import * as z from 'zod';
import { EvidenceField } from './evidence.ts';
import { JsonValue } from './json.ts';
import { strict } from './strict.ts';

export const OUTCOMES = ['ok', 'fail', 'skip', 'iterate', '_default'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Ids start with a letter, so that a bare number can always mean a position. */
export const Identifier = z
  .string()
  .regex(
    /^\p{L}[\p{L}\p{N}_.-]{0,99}$/u,
    'must start with a letter and hold only letters, digits, "_", "-" and "."',
  )
  .refine((id) => !['constructor', 'prototype'].includes(id), 'is a reserved word');
/** Roles, actions, targets: names that are compared and shown, never free text. */
export const Name = z.string().min(1).max(100);
const Text = z.string().max(200_000);
const Expression = z.string().min(1).max(2_000);
const Seconds = z.number().positive().max(31_536_000);
/** Of one step. */
export const MOST_TRANSITIONS = 1_000;
const oneOrMany = <T extends z.ZodType>(item: T) => z.union([item, z.array(item)]);

export const Param = strict({
  type: z.enum(['integer', 'number', 'text', 'string', 'boolean', 'choice', 'constant']).optional(),
  description: z.string().optional(),
  default: JsonValue.optional(),
  required: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  choices: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  constant: JsonValue.optional(),
  max_length: z.int().positive().optional(),
});
export type Param = z.infer<typeof Param>;

/** `to`: a step's id, or null (or "end") for the end of the workflow. */
const Target = z.union([Name, z.null()]);

export const Transition = strict({
  on: Name.optional(),
  to: Target,
  role: oneOrMany(Name).optional(),
  guard: Expression.optional(),
  feedback_required: z.boolean().optional(),
  auto: z.boolean().optional(),
  implied: z.boolean().optional(),
  claims: z.boolean().optional(),
  completes: z.boolean().optional(),
  description: z.string().optional(),
});

/** The criterion's own parameters are checked by its checker when the definition is compiled. */
const Criterion = z.union([Name, z.looseObject({ type: Name })]);

const Approval = strict({
  type: z.enum(['approve', 'select_variant']).optional(),
  roles: z.array(Name).optional(),
  allow_self: z.boolean().optional(),
  variants: z.array(z.string()).min(1).optional(),
  prompt: z.string().optional(),
});

const Attempts = strict({
  max: z.int().min(1).max(100),
  emphasis: z.array(z.string()).optional(),
  timeout_seconds: Seconds.optional(),
  heartbeat_seconds: Seconds.optional(),
  backoff_seconds: z.number().nonnegative().max(86_400).optional(),
  backoff_rate: z.number().min(1).max(10).optional(),
  max_backoff_seconds: Seconds.optional(),
  backoff_jitter: z.number().min(0).max(1).optional(),
});

const Deadline = strict({
  seconds: Seconds,
  remind_after_seconds: Seconds.optional(),
  outcome: Name.optional(),
});

const Dispatch = strict({
  agent: Identifier,
  script: z.string().optional(),
  outcomes: z.record(z.string(), z.enum(OUTCOMES)).optional(),
});

const Handler = strict({
  /** A CEL expression whose value is the outcome. */
  decide: Expression.optional(),
  /** CEL expressions for the step's next state, beside `decide`. */
  state: z.record(z.string(), Expression).optional(),
  /** The name of a registered pure function. */
  function: z.string().optional(),
  dispatch: Dispatch.optional(),
});

export const StepInput = strict({
  id: Identifier,
  number: z.int().positive().optional(),
  title: z.string().max(500).optional(),
  description: Text.optional(),
  required: z.boolean().optional(),
  final: z.union([z.boolean(), z.enum(['success', 'failure'])]).optional(),
  agent: Identifier.optional(),
  agents: z.array(Identifier).optional(),
  parallel: z.boolean().optional(),
  roles: z.array(Name).optional(),
  human: z.boolean().optional(),
  instructions: Text.optional(),
  actions: z.array(Text).optional(),
  content: Text.optional(),
  responsibilities: z.union([Text, z.record(z.string(), Text)]).optional(),
  criteria: z.array(Criterion).optional(),
  evidence: z.record(z.string(), EvidenceField).optional(),
  outputs: z.array(z.string().min(1).max(100)).optional(),
  prerequisites: z.array(z.union([Name, z.int()])).optional(),
  approval: z.union([z.boolean(), Approval]).optional(),
  attempts: z.union([z.int().min(1).max(100), Attempts]).optional(),
  triggers_retry: z.union([z.boolean(), Name]).optional(),
  deadline: z.union([Seconds, Deadline]).optional(),
  handler: Handler.optional(),
  intents: z.array(z.string()).optional(),
  /** Why it comes before later steps: a text, or one per language (`en`, `ru`). */
  comes_first: z.union([Text, z.record(z.string().regex(/^[a-z]{2}$/), Text)]).optional(),
  supports_questions: z.boolean().optional(),
  lease_seconds: Seconds.optional(),
  required_action: Name.optional(),
  next: z.union([Name, z.null(), z.record(Name, Target)]).optional(),
  transitions: z.array(Transition).max(MOST_TRANSITIONS).optional(),
});
export type StepInput = z.infer<typeof StepInput>;

const Guard = strict({ name: Identifier, check: Expression, description: z.string().optional() });

/** How the instance shows itself in the shape a client already knows (`generation`, `planning`). */
const StateBlock = strict({
  name: Identifier,
  unit: z.enum(['step', 'phase']),
  include: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])).optional(),
});

/** What both forms share. */
export const header = {
  id: Identifier.optional(),
  title: z.string().max(500).optional(),
  description: Text.optional(),
  version: z.union([z.string(), z.number()]).optional(),
  entry: Name.optional(),
  roles: z.union([z.array(Name), z.record(Name, z.string())]).optional(),
  params: z.record(z.string(), Param).optional(),
  guards: z.union([z.array(Guard), z.record(z.string(), Expression)]).optional(),
  recovery: z.enum(['resume', 'restart']).optional(),
  single_active: z.boolean().optional(),
  visibility: z.enum(['open', 'strict']).optional(),
  artifacts: z.array(z.string()).optional(),
  lease_seconds: Seconds.optional(),
  state_block: StateBlock.optional(),
};

export const StepListDefinition = strict({
  ...header,
  steps: z.array(StepInput).min(1).max(20_000).optional(),
  /** A Markdown document whose phases become steps; resolved by the reader before compiling. */
  document: z.string().optional(),
});
export type StepListDefinition = z.infer<typeof StepListDefinition>;
