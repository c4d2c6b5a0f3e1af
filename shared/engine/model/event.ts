// What the world is told: the events of a commit, with their payloads. `id`, `seq` and `at` come with the commit.
import * as z from 'zod';
import { JsonRecord } from './json.ts';

export const EVENT_TYPES = [
  'workflow.started',
  'workflow.step_changed',
  'workflow.step_blocked',
  'workflow.completed',
  'workflow.state.changed',
  'workflow.task.assigned',
  'workflow.validation.completed',
  'workflow.approval.requested',
  'workflow.approval.resolved',
  'workflow.input.requested',
  'workflow.input.answered',
  'workflow.attempt.started',
  'workflow.attempt.failed',
  'workflow.failed',
  'workflow.cancelled',
  'workflow.resumed',
  'workflow.retried',
  'workflow.forked',
  'workflow.migrated',
  'workflow.task.claimed',
  'workflow.task.released',
  'workflow.overridden',
  'workflow.message',
  'workflow.deferred',
  'workflow.reminder',
  'workflow.violation',
  'workflow.session.committed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const WorkflowEvent = z.strictObject({ type: z.enum(EVENT_TYPES), data: JsonRecord });
export type WorkflowEvent = z.infer<typeof WorkflowEvent>;

export interface Progress {
  readonly current_step: string;
  readonly completed_steps: readonly string[];
  readonly completed: number;
  readonly total: number;
  readonly percent: number;
}
