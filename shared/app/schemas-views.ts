// What reads of one instance and of definitions answer, as schemas. The outer shape is said exactly, the inside of
// what a workflow itself defines loosely.
import * as z from 'zod';
import { JsonRecord } from '../engine/index.ts';
import { AttemptFailure, GivenApproval, Missing, Progress, Status } from './schemas-answers.ts';

const Instant = z.iso.datetime();

const StepView = z.looseObject({
  step: z.int().positive(),
  id: z.string(),
  name: z.string().nullable().describe('Null while it is locked in a strict workflow.'),
  status: z.string(),
  started_at: Instant.nullable(),
  completed_at: Instant.nullable(),
  required: z.boolean(),
  roles: z.array(z.string()),
  agents: z.array(z.string()),
  outcome: z.string().nullable(),
  visits: z.int().nonnegative(),
  artifacts: JsonRecord,
});

export const Details = z.looseObject({
  instance_id: z.string(),
  workflow_id: z.string(),
  version: z.int().positive(),
  definition_version: z.string(),
  status: Status,
  current_step: z.string(),
  current_step_name: z.string(),
  progress: Progress,
  turn: z.int().positive(),
  owner: z.string(),
  subject: z.string().nullable(),
  session_name: z.string().nullable(),
  committed_from_session: z.string().optional().describe('Its session, once that was committed.'),
  created_at: Instant,
  updated_at: Instant,
  params: JsonRecord,
  context: z.object({
    workflow_id: z.string(),
    current_step: z.string(),
    started_at: Instant,
    steps_completed: z.array(z.string()),
    step_data: z.record(z.string(), JsonRecord),
    shared: JsonRecord,
  }),
  steps: z.array(StepView),
  role_in_charge: z.string().nullable(),
  required_action: z.string().nullable(),
  feedback: z.string().nullable(),
  retry_count: z.int().nonnegative(),
  last_error: z.string().nullable(),
  artifacts: JsonRecord,
  phase_artifacts: z
    .record(z.string(), JsonRecord)
    .optional()
    .describe('What each completed step left behind, by its number, where steps ask for evidence.'),
  checkpoints: z.record(z.string(), z.literal('passed')).optional(),
  allowed_actions: z.array(z.string()).describe('What you may send now; nothing else exists for you.'),
  approval: JsonRecord.optional().describe('While it waits for an approval: what is asked, by whom.'),
  input: JsonRecord.optional().describe('While it waits for input: the questions or the widget.'),
  questions: z.array(JsonRecord).optional(),
  claim: JsonRecord.optional(),
  forked_from: z
    .object({ instance_id: z.string(), seq: z.int() })
    .optional()
    .describe('The commit it goes on from.'),
  forks: z
    .array(z.object({ instance_id: z.string(), seq: z.int() }))
    .optional()
    .describe('The latest forks of it; all of them are in its history.'),
  completed_at: Instant.optional(),
  failed_at: Instant.optional(),
  cancelled_at: Instant.optional(),
  reason: z.string().optional(),
  commit_hash: z.string().optional(),
});

export const InstanceProgress = z.object({
  instance_id: z.string(),
  workflow_id: z.string(),
  version: z.int().positive(),
  status: Status,
  ...Progress.shape,
});

export const NextStep = z.object({
  can_proceed: z.boolean(),
  current_step: z.int().positive(),
  current_step_name: z.string(),
  current_status: z.string(),
  blocking_reason: z.string().nullable(),
  required_action: z.string().nullable(),
  next_step: z.int().positive().nullable(),
  next_step_name: z.string().nullable(),
  prerequisites_met: z.boolean(),
});

export const Prerequisites = z.object({
  prerequisites_met: z.boolean(),
  required_steps: z.array(z.int()),
  completed_steps: z.array(z.int()),
  missing_steps: z.array(z.int()),
  can_start_step: z.boolean(),
  blocking_issues: z.array(z.string()),
});

export const StepContent = z.object({
  phase_number: z.int().positive(),
  step: z.int().positive(),
  id: z.string(),
  title: z.string(),
  status: z.string(),
  phase_content: z.string(),
  content: z.string().describe('The same text, under the name of the phase engine.'),
  sources: z.array(z.string()),
  total_tokens: z.int().nonnegative(),
  instructions: z.string(),
  actions: z.array(z.string()),
  checkpoint_criteria: z.array(z.looseObject({ type: z.string() })),
  evidence_format: z.record(z.string(), JsonRecord),
  outputs: z.array(z.string()),
  artifacts_from_previous: z.record(z.string(), JsonRecord).describe('By the number of the step.'),
  next_command: z.string().nullable(),
});

export const PhaseVerdict = z.object({
  checkpoint_passed: z.boolean(),
  phase_completed: z.int().optional(),
  next_phase: z.int().optional(),
  next_phase_content: StepContent.optional(),
  artifacts_available: z
    .record(z.string(), JsonRecord)
    .optional()
    .describe('What completed phases left behind, by the number of the phase.'),
  workflow_complete: z.literal(true).optional(),
  error: z.string().optional(),
  phase: z.int().optional(),
  current_phase: z.int().optional(),
  missing_evidence: z.array(z.string()).optional(),
  required_format: JsonRecord.optional(),
  examples: JsonRecord.optional(),
  current_phase_content: StepContent.optional(),
  message: z.string().optional(),
  session_id: z.string(),
  status: Status,
  version: z.int(),
  replayed: z.literal(true).optional(),
});

export const ContentSearch = z.object({
  instance_id: z.string(),
  workflow_id: z.string(),
  version: z.int().positive(),
  query: z.string(),
  results: z
    .array(
      z.object({
        step: z.int().positive(),
        step_id: z.string(),
        title: z.string(),
        part: z.string().describe('"content", "instructions", "artifacts.draft" …'),
        heading: z.string().nullable(),
        text: z.string(),
        score: z.number(),
        tokens: z.int(),
      }),
    )
    .describe('Passages of unlocked steps, the best first.'),
  sources: z.array(z.string()),
  total_tokens: z.int(),
  truncated: z.boolean().describe('There is more than the limit or the budget lets through.'),
});

export const AgentContext = z.object({
  instance_id: z.string(),
  workflow_id: z.string(),
  version: z.int().positive(),
  subject: z.string().nullable(),
  params: JsonRecord.describe('What the instance was started with.'),
  status: Status,
  current_step: z.string(),
  current_step_name: z.string(),
  turn: z.int().positive(),
  step_context: JsonRecord,
  shared: JsonRecord,
  instructions: z.string(),
  actions: z.array(z.string()),
  can_complete: z.boolean(),
  missing_criteria: z.array(Missing),
  role: z.string().nullable(),
  assigned_to: z.array(z.string()).describe('Whose turn it is now: roles or agents.'),
  required_action: z.string().nullable(),
  artifacts: JsonRecord,
  previous_feedback: z.string().nullable(),
  approvals: z.array(GivenApproval).describe('What people decided at the checkpoints on the way.'),
  deferred: z.array(JsonRecord),
  answers: z.array(z.object({ question: z.string(), answer: z.string() })),
  messages: z
    .array(
      z.object({
        from: z.enum(['user', 'agent']),
        text: z.string(),
        by: z.string(),
        at: Instant,
        turn: z.int().positive(),
      }),
    )
    .describe('The latest of what was said during this step.'),
  dispatch: z.object({ agent: z.string(), script: z.string().nullable() }).optional(),
  lease_until: Instant.optional().describe('Until when the task is yours, if you claimed it.'),
  attempt: z.int().optional(),
  max_attempts: z.int().optional(),
  emphasis: z.string().nullable().optional(),
  failures: z.array(AttemptFailure).optional(),
  not_before: Instant.optional(),
  heartbeat_seconds: z.number().optional().describe('Silence for this long ends the attempt.'),
  your_responsibilities: z.string().nullable(),
  next_validator: z.string().nullable(),
  coordination_protocol: z.array(z.string()),
});
export const Prompt = z.object({ prompt: z.string() });

export const ListedDefinition = z.object({
  workflow_id: z.string(),
  version: z.string(),
  label: z.string().nullable(),
  title: z.string(),
  description: z.string(),
  form: z.enum(['steps', 'fsm']),
  steps: z.int().positive(),
  roles: z.array(z.string()),
  single_active: z.boolean(),
});

export const Definition = z.looseObject({
  workflow_id: z.string(),
  version: z.string(),
  label: z.string().nullable(),
  title: z.string(),
  description: z.string(),
  form: z.enum(['steps', 'fsm']),
  roles: z.record(z.string(), z.string()),
  params: z.record(z.string(), JsonRecord),
  recovery: z.enum(['resume', 'restart']),
  single_active: z.boolean(),
  visibility: z.enum(['open', 'strict']),
  artifacts: z.array(z.string()),
  entry: z.string(),
  milestones: z.array(z.string()),
  steps: z
    .array(z.looseObject({ step: z.int().positive(), id: z.string(), title: z.string().nullable() }))
    .describe('Texts, criteria and formats of steps are shown to admins only.'),
});
export const Mermaid = z.object({ mermaid: z.string() });
