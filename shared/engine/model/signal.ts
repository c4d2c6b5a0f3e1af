// Everything that can be said to an instance. The HTTP signal body is one member; approvals, claims, answers,
// timers and recovery are others, so that each becomes a commit judged by the same function.
import * as z from 'zod';
import { Fault } from '../../faults.ts';
import { JsonRecord, JsonValue, plainJson } from './json.ts';
import { strict } from './strict.ts';

const StepName = z.union([z.string().min(1).max(100), z.int().positive()]);
const Short = z.string().min(1).max(200);
const Prose = z.string().max(20_000);
/** In one message, so that a conversation fits into the state. */
const Said = z.string().trim().min(1).max(8_000);
const Lease = z.number().positive().max(86_400);

const Option = z.union([
  z.string().min(1).max(500),
  strict({ label: z.string().min(1).max(500), description: Prose.optional() }),
]);
export const Question = strict({
  id: Short.optional(),
  question: z.string().min(1).max(2_000),
  header: Short.optional(),
  options: z.array(Option).min(2, 'a question has 2 or 3 options').max(3, 'a question has 2 or 3 options'),
});
export type Question = z.infer<typeof Question>;

/** The body of POST /api/workflows/{id}/signal. */
export const SignalBody = strict({
  action: z
    .string()
    .regex(
      /^[\p{L}_][\p{L}\p{N}_.-]{0,99}$/u,
      'must be complete_step, stay, need_input or a domain action such as COMMIT_CODE',
    )
    .optional(),
  step: StepName.optional(),
  outcome: Short.optional(),
  data: JsonRecord.optional(),
  evidence: JsonRecord.optional(),
  artifacts: JsonRecord.optional(),
  feedback: Prose.optional(),
  /** Told to the person, unless the signal is blocked or refused. */
  reply: Said.optional(),
  role: Short.optional(),
  agent: Short.optional(),
  turn: z.int().nonnegative().optional(),
  questions: z.array(Question).min(1, 'ask 1 to 3 questions').max(3, 'ask 1 to 3 questions').optional(),
  widget_type: Short.optional(),
  expected_version: z.int().nonnegative().optional(),
});
export type SignalBody = z.infer<typeof SignalBody>;

const StartBody = strict({
  instance_id: z.string().min(1).max(200),
  workflow_id: Short,
  params: JsonRecord.optional(),
  owner: Short.optional(),
  subject: Short.optional(),
  session_name: Short.optional(),
});
export type StartBody = z.infer<typeof StartBody>;

const Turn = { turn: z.int().nonnegative().optional(), expected_version: z.int().nonnegative().optional() };

export const bodies = {
  signal: SignalBody,
  start: StartBody,
  /** Answers by question id, or in the order of the questions. */
  answer: strict({ answers: z.union([z.record(z.string(), Prose), z.array(Prose)]), ...Turn }),
  widget: strict({
    widget_type: Short,
    items: z.array(JsonValue).optional(),
    data: JsonRecord.optional(),
    ...Turn,
  }),
  approve: strict({
    approved: z.boolean(),
    step: StepName.optional(),
    feedback: Prose.optional(),
    modifications: JsonRecord.optional(),
    selected_variant: Short.optional(),
    digest: Short.optional(),
    ...Turn,
  }),
  claim: strict({
    role: Short.optional(),
    agent: Short.optional(),
    lease_seconds: Lease.optional(),
    ...Turn,
  }),
  release: strict({ reason: Prose.optional(), ...Turn }),
  heartbeat: strict({ lease_seconds: Lease.optional(), ...Turn }),
  override: strict({
    reason: z.string().trim().min(1).max(5_000),
    outcome: Short.optional(),
    action: Short.optional(),
    ...Turn,
  }),
  cancel: strict({ reason: Prose.optional(), expected_version: z.int().optional() }),
  resume: strict({ from_step: StepName.optional(), expected_version: z.int().optional() }),
  retry: strict({ error: z.string().min(1).max(5_000).optional(), expected_version: z.int().optional() }),
  /** The first commit of an instance that goes on from a commit of another: that commit's state comes with it. */
  fork: strict({
    instance_id: z.string().min(1).max(200),
    source: z.string().min(1).max(200),
    at: z.int().positive(),
    source_hash: z.string().min(1).max(100),
    session_name: Short.optional(),
    state: JsonRecord,
  }),
  /** In the log of the other: a fork of it was made, from one of its commits. */
  forked: strict({ instance_id: z.string().min(1).max(200), at: z.int().positive() }),
  /** On to another version of its definition. */
  migrate: strict({ to: Short, expected_version: z.int().optional() }),
  /** What a person says to whoever works on the step, or they to the person. `step`: where it belongs, if that is
   *  known; otherwise the classifier's guess is among the facts. */
  message: strict({
    text: Said,
    from: z.enum(['user', 'agent']).optional(),
    step: StepName.optional(),
    ...Turn,
  }),
  /** A user's message that belongs to a later step, parked until that step starts. */
  defer: strict({ text: z.string().min(1).max(20_000), step: StepName, reason: Prose.optional() }),
  /** From the clock: an attempt may start, or has run out of time or of heartbeats. */
  attempt: strict({
    event: z.enum(['opened', 'timed_out', 'heartbeat_lost', 'failed']),
    turn: z.int(),
    reason: Prose.optional(),
    expected_version: z.int().optional(),
  }),
  /** From the clock: a waiting step is to be reminded of, or its time is up. */
  deadline: strict({
    event: z.enum(['remind', 'expired']),
    turn: z.int(),
    expected_version: z.int().optional(),
  }),
  /** A refused read of a locked step, kept in the trail. */
  violation: strict({ code: Short, step: StepName.optional(), message: Prose }),
};

export type SignalType = keyof typeof bodies;
export type BodyOf<T extends SignalType> = z.infer<(typeof bodies)[T]>;

/** `key` is the caller's Idempotency-Key and body, each as a short hash made at the edge. */
export const IdempotencyKey = z.strictObject({
  key: z.string().min(1).max(64),
  body: z.string().min(1).max(64),
});
export type IdempotencyKey = z.infer<typeof IdempotencyKey>;

export type SignalOf<T extends SignalType> = {
  readonly type: T;
  readonly body: BodyOf<T>;
  readonly idempotency?: IdempotencyKey | undefined;
};
export type Signal = { [T in SignalType]: SignalOf<T> }[SignalType];

/** Reads an untrusted body. Throws only a Fault: invalid_request with the path of every issue, or state_too_large. */
export function readSignal<T extends SignalType>(
  type: T,
  body: unknown,
  idempotency?: IdempotencyKey,
): SignalOf<T> {
  const parsed = bodies[type].safeParse(plainJson(body ?? {}));
  if (!parsed.success) throw invalidRequest(parsed.error, `${type} body`);
  return { type, body: parsed.data as BodyOf<T>, ...(idempotency ? { idempotency } : {}) }; // TypeScript cannot tie the schema to T
}

/** Every issue with its path, as one invalid_request. */
export function invalidRequest(error: z.ZodError, what: string, root = '(body)'): Fault {
  const issues = error.issues.map((issue) => ({
    path: issue.path.map(String).join('.') || root,
    message: issue.message,
  }));
  const summary = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new Fault('invalid_request', `The ${what} is not valid: ${summary}`, { issues });
}
