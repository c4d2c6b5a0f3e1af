// The whole state of an instance: a union by status, in which impossible states do not parse.
//   S1  What a status needs is there, and nothing that belongs to another status is.
//   S2  `steps[i]` is the record of the definition's step i, or null while it was never entered.
import * as z from 'zod';
import { Question } from './signal.ts';
import { JsonRecord, JsonValue } from './json.ts';

const Instant = z.iso.datetime();
const Sub = z.string().min(1);

const ApprovalRecord = z.strictObject({
  approved: z.boolean(),
  requested_by: Sub,
  requested_at: Instant,
  resolved_by: Sub.nullable(),
  resolved_at: Instant.nullable(),
  /** SHA-256 over exactly the artifacts and evidence then present. */
  digest: z.string(),
  feedback: z.string().nullable(),
  modifications: JsonRecord.nullable(),
  selected_variant: z.string().nullable(),
});
export type ApprovalRecord = z.infer<typeof ApprovalRecord>;

const AttemptEnd = z.strictObject({
  attempt: z.int().positive(),
  result: z.enum(['passed', 'failed', 'timed_out']),
  reason: z.string().nullable(),
  emphasis: z.string().nullable(),
  started_at: Instant.nullable(),
  ended_at: Instant,
});

const AttemptsRecord = z.strictObject({
  /** Turn in which the first of them opened, or was gone on with by a resume: it tells one clock from the next. */
  began: z.int().positive(),
  current: z.int().nonnegative(),
  max: z.int().positive(),
  /** When the current attempt opened; null while backing off before it. */
  opened_at: Instant.nullable(),
  opens_at: Instant,
  /** How long the current attempt has waited for people or to be resumed: its timeout does not count that. */
  waited_ms: z.int().nonnegative(),
  history: z.array(AttemptEnd).readonly(),
});
export type AttemptsRecord = z.infer<typeof AttemptsRecord>;

export const DeferredItem = z.strictObject({
  text: z.string(),
  step: z.string(),
  from_step: z.string(),
  by: Sub,
  at: Instant,
});
export type DeferredItem = z.infer<typeof DeferredItem>;

/** What was said while a step was open, and to whom: `user` speaks to those who work on it, `agent` to the person. */
const SaidItem = z.strictObject({
  from: z.enum(['user', 'agent']),
  text: z.string(),
  by: Sub,
  at: Instant,
  /** In which turn; what a user says opens one. */
  turn: z.int().positive(),
});
export type SaidItem = z.infer<typeof SaidItem>;

const StepRecordBase = {
  id: z.string(),
  /** Turn of the latest assignment, and of the entry that began this visit. */
  turn: z.int().positive(),
  entered: z.int().positive(),
  visits: z.int().positive(),
  started_at: Instant,
  /** Since when whoever is to act now has been waited for: what a deadline counts from. */
  since: Instant,
  /** Whoever is to act now has been reminded. */
  reminded: z.boolean(),
  data: JsonRecord,
  evidence: JsonRecord,
  artifacts: JsonRecord,
  /** The workflow's own artifacts as this step delivered them; absent if it delivered none. */
  global_artifacts: JsonRecord.optional(),
  /** What the step's handler returned last; `iteration` starts at 1. */
  state: JsonRecord,
  agents_done: z.array(z.string()).readonly(),
  approval: ApprovalRecord.nullable(),
  attempts: AttemptsRecord.nullable(),
  widgets: z.record(z.string(), z.strictObject({ items: z.array(JsonValue).readonly(), at: Instant })),
  answers: z.array(z.strictObject({ question: z.string(), answer: z.string() })).readonly(),
  deferred: z.array(DeferredItem).readonly(),
  /** The latest of the conversation; absent until something is said. All of it is in the log. */
  messages: z.array(SaidItem).readonly().optional(),
  overridden: z.strictObject({ by: Sub, reason: z.string(), at: Instant }).nullable(),
};

const Open = z.strictObject({
  ...StepRecordBase,
  status: z.enum(['in_progress', 'waiting_approval', 'waiting_input']),
  completed_at: z.null(),
  outcome: z.null(),
});
const Closed = z.strictObject({
  ...StepRecordBase,
  status: z.enum(['completed', 'skipped', 'failed']),
  completed_at: Instant,
  outcome: z.string(),
});
/** Entered once, then undone by a way back: to be done again. */
const Undone = z.strictObject({
  ...StepRecordBase,
  status: z.literal('pending'),
  completed_at: z.null(),
  outcome: z.null(),
});
export const StepRecord = z.discriminatedUnion('status', [Open, Closed, Undone]);
export type StepRecord = z.infer<typeof StepRecord>;

export const Claim = z.strictObject({
  by: Sub,
  role: z.string().nullable(),
  agent: z.string().nullable(),
  at: Instant,
  until: Instant,
});
export type Claim = z.infer<typeof Claim>;

/** The action that is carried out once the approval is given. */
const Pending = z.strictObject({
  action: z.string(),
  outcome: z.string().nullable(),
  role: z.string().nullable(),
});

/** One commit of an instance. */
const Place = z.strictObject({ instance_id: z.string().min(1), seq: z.int().positive() });

const Base = {
  instance_id: z.string().min(1),
  workflow_id: z.string(),
  definition: z.string(),
  owner: Sub,
  created_by: Sub,
  subject: z.string().nullable(),
  session_name: z.string().nullable(),
  seq: z.int().positive(),
  turn: z.int().positive(),
  created_at: Instant,
  updated_at: Instant,
  params: JsonRecord,
  current_step: z.string(),
  steps: z.array(StepRecord.nullable()).readonly(),
  shared: JsonRecord,
  artifacts: JsonRecord,
  feedback: z.string().nullable(),
  retry_count: z.int().nonnegative(),
  last_error: z.string().nullable(),
  /** The latest idempotency keys: [key hash, body hash, seq]. */
  keys: z.array(z.tuple([z.string(), z.string(), z.int()])).readonly(),
  forked_from: Place.optional(),
  /** The latest forks made of it: each instance, and the commit here that it goes on from. */
  forks: z.array(Place).readonly().optional(),
};

const Running = z.strictObject({ ...Base, status: z.literal('in_progress'), claim: Claim.nullable() });
const WaitingApproval = z.strictObject({ ...Base, status: z.literal('waiting_approval'), pending: Pending });
const WaitingInput = z.strictObject({
  ...Base,
  status: z.literal('waiting_input'),
  input: z
    .strictObject({
      questions: z
        .array(Question.required({ id: true }))
        .max(3)
        .readonly(),
      widget_type: z.string().nullable(),
      asked_by: Sub,
      asked_at: Instant,
    })
    .refine(
      ({ questions, widget_type }) => questions.length > 0 || widget_type !== null,
      'waits for a question or a widget',
    ),
});
const Failed = z.strictObject({
  ...Base,
  status: z.literal('failed'),
  failed_at: Instant,
  last_error: z.string(),
});
const Completed = z.strictObject({ ...Base, status: z.literal('completed'), completed_at: Instant });
const Cancelled = z.strictObject({
  ...Base,
  status: z.literal('cancelled'),
  cancelled_at: Instant,
  reason: z.string(),
});

const union = z.discriminatedUnion('status', [
  Running,
  WaitingApproval,
  WaitingInput,
  Failed,
  Completed,
  Cancelled,
]);
export type State = z.infer<typeof union>;
export type Status = State['status'];
export const STATUSES = union.options.map(({ shape }) => shape.status.value);
export type Running = z.infer<typeof Running>;

const OPEN_AS: Partial<Record<Status, StepRecord['status']>> = {
  in_progress: 'in_progress',
  waiting_approval: 'waiting_approval',
  waiting_input: 'waiting_input',
};

export const State = union.superRefine((state, context) => {
  const current = state.steps.find((record) => record?.id === state.current_step);
  const expected = OPEN_AS[state.status];
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  if (!current) refuse(`current_step "${state.current_step}" was never entered`);
  else if (expected && current.status !== expected)
    refuse(`"${current.id}" is ${current.status} while the instance is ${state.status}`);
  const open = state.steps.filter(
    (record) => record && record.completed_at === null && record.status !== 'pending',
  );
  if (!expected && state.status === 'completed' && open.length > 0)
    refuse('a completed instance has no open step');
  if (open.some((record) => record !== current)) refuse('only the current step may be open');
  if (current?.status === 'waiting_approval' && current.approval === null)
    refuse('an approval is awaited but was not requested');
});

export const isFinished = ({ status }: Pick<State, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';
