// What each operation takes and answers, by its name in the table of routes.
import type * as z from 'zod';
import { bodies } from '../engine/index.ts';
import type { FaultCode } from '../faults.ts';
import * as answers from './schemas-answers.ts';
import { AgentWorkRequest } from './schemas-agent-work.ts';
import {
  CompletionRequest,
  FactRequest,
  MessageRequest,
  queries,
  StartRequest,
  WidgetRequest,
} from './schemas.ts';
import {
  CancelRequest,
  CommitRequest,
  OpenedSession,
  Session,
  SessionPage,
  SessionRequest,
} from './schemas-sessions.ts';
import * as recovery from './schemas-recovery.ts';
import * as views from './schemas-views.ts';

export interface Described {
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer: readonly z.ZodType[];
  /** The answer as text, for callers who accept only that. */
  readonly text?: string;
  /** 201 with a Location. */
  readonly creates?: 'located' | 'kept';
  readonly codes: readonly FaultCode[];
  readonly description?: string;
}

const READ: readonly FaultCode[] = ['not_found'];
const QUERIED: readonly FaultCode[] = ['invalid_request', 'not_found'];
const WRITE: readonly FaultCode[] = [
  'invalid_request',
  'not_found',
  'role_not_allowed',
  'version_conflict',
  'workflow_finished',
  'idempotency_mismatch',
  'state_too_large',
];

const says = (body: z.ZodType, ...codes: readonly FaultCode[]): Described => ({
  body,
  answer: [answers.Answer],
  codes: [...WRITE, ...codes],
});

const reads = (answer: z.ZodType): Described => ({ answer: [answer], codes: READ });

export const OPERATIONS: Readonly<Record<string, Described>> = {
  start: {
    body: StartRequest,
    answer: [answers.Answer],
    creates: 'located',
    codes: [
      'invalid_request',
      'role_not_allowed',
      'not_found',
      'already_active',
      'name_taken',
      'session_closed',
      'version_conflict',
      'idempotency_mismatch',
      'state_too_large',
    ],
    description:
      'Without `instance_id` the id is `{workflow}-{subject}-{timestamp}-{random}`. A workflow that allows one active instance per user refuses a second one.',
  },
  signal: {
    ...says(
      bodies.signal,
      'human_required',
      'step_mismatch',
      'stale_turn',
      'not_holder',
      'invalid_transition',
    ),
    description:
      'Without `action` it means `stay`. A signal that is blocked is answered with 200, `result: blocked` and what is missing; it changes nothing.',
  },
  message: {
    ...says(MessageRequest, 'stale_turn'),
    answer: [answers.MessageAnswer],
    description:
      'What belongs to a later step is parked and handed to that step when it starts; the answer says why. Everything else goes to whoever works on the current step. Said by them, it goes to the person.',
  },
  answer: says(bodies.answer, 'human_required', 'stale_turn', 'invalid_transition'),
  approve: {
    ...says(
      bodies.approve,
      'human_required',
      'self_approval',
      'step_mismatch',
      'stale_turn',
      'invalid_transition',
    ),
    description: 'For people only, and not for whoever asked, unless the definition says so.',
  },
  claim: says(bodies.claim, 'human_required', 'stale_turn', 'already_claimed', 'invalid_transition'),
  release: says(bodies.release, 'stale_turn', 'not_holder'),
  heartbeat: says(bodies.heartbeat, 'stale_turn', 'not_holder'),
  override: says(bodies.override, 'human_required', 'self_approval', 'stale_turn', 'invalid_transition'),
  cancel: says(bodies.cancel),
  widget: says(WidgetRequest, 'stale_turn', 'not_holder', 'invalid_transition'),
  completeStep: {
    ...says(
      CompletionRequest,
      'human_required',
      'step_mismatch',
      'phase_sequence_violation',
      'stale_turn',
      'not_holder',
      'invalid_transition',
    ),
    answer: [views.PhaseVerdict],
    description:
      'The same as `complete_step` of the step, answered as the phase engine does: the content of the next step, or what is missing, in which format, with examples.',
  },
  agentWork: {
    body: AgentWorkRequest,
    answer: [answers.WorkVerdict],
    codes: [
      'invalid_request',
      'not_found',
      'version_conflict',
      'not_resumable',
      'idempotency_mismatch',
      'state_too_large',
    ],
    description:
      'Say what was done in `action_performed` or in `action`; `feedback` and `artifacts` stand at the top or inside `result`.',
  },
  list: {
    query: queries.list,
    answer: [answers.pageOf(answers.ListedInstance)],
    codes: ['invalid_request'],
    description: 'Newest first, and eventually consistent. A page may be short and still have a `next`.',
  },
  active: { query: queries.active, answer: [views.Details], codes: QUERIED },
  details: { query: queries.details, answer: [views.Details], codes: QUERIED },
  progress: reads(views.InstanceProgress),
  history: { query: queries.history, answer: [answers.History], codes: QUERIED },
  next: reads(views.NextStep),
  prerequisites: reads(views.Prerequisites),
  step: {
    answer: [views.StepContent],
    codes: ['not_found', 'phase_sequence_violation'],
    description: 'A step that is still locked is refused, with what comes first; the attempt is on record.',
  },
  content: {
    query: queries.content,
    answer: [views.ContentSearch],
    codes: QUERIED,
    description: 'Looks only at steps that are unlocked, and at what completed ones left behind.',
  },
  context: {
    query: queries.context,
    answer: [views.AgentContext, views.Prompt],
    text: 'The prompt alone.',
    codes: QUERIED,
  },
  tasks: {
    query: queries.tasks,
    answer: [answers.TaskPage],
    codes: ['invalid_request', 'role_not_allowed'],
    description: 'Longest waiting first. A page may be short and still have a `next`.',
  },
  definitions: { answer: [answers.pageOf(views.ListedDefinition)], codes: [] },
  definition: {
    query: queries.definition,
    answer: [views.Definition, views.Mermaid],
    text: 'The diagram alone.',
    codes: QUERIED,
  },
  openSession: {
    body: SessionRequest,
    answer: [OpenedSession],
    creates: 'located',
    codes: ['invalid_request', 'name_taken', 'idempotency_mismatch'],
    description: 'The name is yours for good, also once the session is closed.',
  },
  sessions: { query: queries.sessions, answer: [answers.pageOf(Session)], codes: ['invalid_request'] },
  session: {
    query: queries.session,
    answer: [SessionPage],
    codes: QUERIED,
    description: 'Its instances are listed newest first, and eventually consistent.',
  },
  commitSession: {
    body: CommitRequest,
    answer: [Session],
    codes: ['invalid_request', 'not_found', 'session_closed'],
    description: 'One write, however many instances there are; lists and inboxes follow.',
  },
  cancelSession: {
    body: CancelRequest,
    answer: [Session],
    codes: ['invalid_request', 'not_found', 'session_closed'],
    description: 'Its instances are gone at once, and nothing of them is kept.',
  },
  resume: {
    ...says(bodies.resume, 'not_resumable', 'phase_sequence_violation', 'already_active'),
    description:
      'From the step where it stopped, or any completed one; what came after is reset, what came before is kept.',
  },
  retry: {
    ...says(bodies.retry, 'not_resumable', 'not_holder', 'already_active'),
    description: 'For workflows with `recovery: restart`. The trail is kept, and the retries are counted.',
  },
  fork: {
    body: recovery.ForkRequest,
    answer: [recovery.Forked],
    creates: 'located',
    codes: [
      'invalid_request',
      'not_found',
      'role_not_allowed',
      'already_active',
      'name_taken',
      'session_closed',
      'version_conflict',
      'idempotency_mismatch',
      'state_too_large',
    ],
    description:
      'For its owner and admins. A fork of what was finished is cancelled, so that it can be resumed.',
  },
  migrate: {
    ...says(recovery.MigrateRequest, 'step_mismatch'),
    answer: [answers.Answer, recovery.Fit],
    description: 'With `dry_run` nothing is written, and the answer says what would not fit.',
  },
  replay: {
    query: recovery.ReplayQuery,
    answer: [recovery.Proof],
    codes: [...QUERIED, 'role_not_allowed'],
    description: 'For its owner and admins. The first commit that does not follow is named.',
  },
  metrics: reads(recovery.WorkflowMetrics),
  publish: {
    body: recovery.DefinitionRequest,
    answer: [recovery.Publication],
    creates: 'located',
    codes: [
      'invalid_request',
      'role_not_allowed',
      'version_conflict',
      'idempotency_mismatch',
      'state_too_large',
      'invalid_definition',
    ],
    description:
      'For admins. Instances that run stay on their version. Content that was there before is answered with 200. What does not prove is refused with every problem.',
  },
  versions: reads(recovery.DefinitionVersions),
  addFact: {
    body: FactRequest,
    answer: [answers.Fact],
    creates: 'kept',
    codes: ['invalid_request', 'role_not_allowed', 'idempotency_mismatch'],
  },
  facts: {
    query: queries.facts,
    answer: [answers.pageOf(answers.Fact)],
    codes: ['invalid_request', 'role_not_allowed'],
  },
  openapi: { answer: [], codes: [] },
};
