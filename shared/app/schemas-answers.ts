// What is answered, as schemas: what writes say, lists, tasks, facts and the audit trail. They describe, for the
// OpenAPI document and its readers; a test holds them against what the handlers really give.
import * as z from 'zod';
import { Actor, EVENT_TYPES, Facts, JsonRecord, STATUSES, Verdict } from '../engine/index.ts';
import { FAULT_CODES } from '../faults.ts';

const Instant = z.iso.datetime();
const Seq = z.int().positive();
export const Status = z.enum(STATUSES);

export const Progress = z.object({
  current_step: z.string(),
  completed_steps: z.array(z.string()),
  completed: z.int().nonnegative(),
  total: z.int().nonnegative(),
  percent: z.int().min(0).max(100),
});

export const Missing = z
  .looseObject({ type: z.string(), reason: z.string() })
  .describe('What a criterion still asks for, in words that can be acted on.');

const InCharge = z.object({
  role: z.string().nullable(),
  action: z.string().nullable(),
  agent: z.string().nullable(),
});

const { routing: Routing, ...shape } = Verdict.shape;
const verdict = { ...shape, missing_criteria: z.array(Missing).optional() };

export const Answer = z.object({
  ...verdict,
  instance_id: z.string(),
  workflow_id: z.string(),
  version: Seq,
  current_step: z.string(),
  progress: Progress,
  next: InCharge.optional().describe('Who is to act now, and with what.'),
  replayed: z.literal(true).optional().describe('The first answer again: nothing was written.'),
});

export const MessageAnswer = Answer.extend({
  ...Routing.unwrap().shape,
  reason: z.string().optional().describe('What to tell the person whose message was parked.'),
});

const more = z
  .string()
  .nullable()
  .optional()
  .describe('Leads to the next page; missing or null on the last one.');
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: more });

export const ListedInstance = z.object({
  instance_id: z.string(),
  workflow_id: z.string(),
  definition_version: z.string(),
  version: Seq,
  status: Status,
  current_step: z.string(),
  percent: z.int().min(0).max(100),
  owner: z.string(),
  created_by: z.string(),
  subject: z.string().nullable(),
  session_name: z.string().nullable(),
  committed_from_session: z.string().optional().describe('Its session, once that was committed.'),
  created_at: Instant,
  updated_at: Instant,
  assigned_to: z.array(z.string()).describe('Roles and agents whose inbox it is in.'),
  assigned_at: Instant,
});

export const GivenApproval = z.object({
  step: z.string(),
  by: z.string().nullable(),
  at: Instant.nullable(),
  selected_variant: z.string().optional(),
  modifications: JsonRecord.optional(),
  feedback: z.string().optional(),
});

export const AttemptFailure = z.object({
  attempt: z.int(),
  result: z.string(),
  reason: z.string().nullable(),
});

export const Task = z.object({
  task_id: z.string(),
  instance_id: z.string(),
  workflow_id: z.string(),
  subject: z.string().nullable(),
  role: z.string(),
  current_state: z.string(),
  required_action: z.string().nullable(),
  turn: z.int().positive(),
  assigned_at: Instant,
  work: JsonRecord,
  context: z.string(),
  feedback: z.string().optional(),
  retry_count: z.int().optional(),
  approvals: z.array(GivenApproval).optional().describe('What people decided at the checkpoints on the way.'),
  attempt: z.int().optional(),
  emphasis: z.string().nullable().optional(),
  failures: z.array(AttemptFailure).optional(),
  not_before: Instant.optional(),
  claimed_by_you: z.literal(true).optional(),
  lease_until: Instant.optional(),
});
export const TaskPage = z.object({ tasks: z.array(Task), next: more });

export const Fact = z.object({
  id: z.string(),
  user_id: z.string(),
  category: z.string(),
  memory: z.string(),
  metadata: JsonRecord,
  created_by: z.string(),
  created_at: Instant,
});

export const LoggedEvent = z.object({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  instance_id: z.string(),
  workflow_id: z.string(),
  seq: Seq,
  at: Instant,
  data: JsonRecord,
});

export const HistoryItem = z.object({
  seq: Seq,
  at: Instant,
  actor: Actor,
  action: z.string(),
  signal: z.object({ type: z.string(), body: JsonRecord }),
  facts: Facts,
  ...z.object(verdict).partial().shape,
  refusal: z.object({ code: z.enum(FAULT_CODES), message: z.string() }).optional(),
  status: Status,
  current_step: z.string(),
  turn: z.int().positive(),
  events: z.array(LoggedEvent),
  hash: z.string(),
  previous_hash: z.string().describe('Hash of the commit before it; empty for the first.'),
});
export const History = z.object({
  instance_id: z.string(),
  workflow_id: z.string(),
  items: z.array(HistoryItem),
  next: z.string().nullable().describe('The `after` of the next page; null on the last one.'),
});

export const WorkVerdict = z
  .looseObject({
    status: z.enum(['accepted', 'rejected']),
    message: z.string(),
    current_state: z.string(),
    next_role: z.string().nullable().optional(),
    next_action: z.string().nullable().optional(),
    result: Verdict.shape.result.optional(),
    code: z.enum(FAULT_CODES).optional(),
    instance_id: z.string(),
    version: Seq,
    missing_criteria: z.array(Missing).optional(),
    replayed: z.literal(true).optional(),
  })
  .describe('The answer to reported work. Rejected work is told why, and changes nothing.');

export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum([...FAULT_CODES, 'internal_error']),
    detail: z.string(),
    retryable: z.boolean().describe('Would the same request, sent again unchanged, have a chance?'),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    allowed_actions: z.array(z.string()).optional(),
    allowed_roles: z.array(z.string()).optional(),
    current_step: z.string().optional(),
    version: Seq.optional(),
    turn: z.int().optional(),
  })
  .describe('RFC 9457: what went wrong, by a stable code, with members that depend on it.');
