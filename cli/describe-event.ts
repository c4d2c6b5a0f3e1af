// One line about an event, for people.
import type { StepgateEvent } from '../client/messages.ts';

export function describeEvent({ type, data }: StepgateEvent): { name: string; words: string } {
  return { name: type.replace(/^workflow\./, ''), words: wordsOf(type, data) };
}

function wordsOf(type: StepgateEvent['type'], data: StepgateEvent['data']): string {
  const text = (key: string): string => (typeof data[key] === 'string' ? data[key] : '');
  switch (type) {
    case 'workflow.started':
      return `at ${text('initial_step')}`;
    case 'workflow.step_changed':
      return `${text('previous_step')} → ${text('current_step')}`;
    case 'workflow.state.changed':
      return `${text('from_state')} → ${text('to_state')} by ${text('triggered_by_action')}`;
    case 'workflow.step_blocked':
      return text('reason');
    case 'workflow.task.assigned':
      return `${text('assigned_to_role')}: ${text('required_action')}${text('feedback') && ', with feedback'}`;
    case 'workflow.validation.completed':
      return `${text('action')} by ${text('actor_role')}: ${text('status')}`;
    case 'workflow.violation':
      return `${text('code')}: ${text('message')}`;
    case 'workflow.message':
      return `${text('from') === 'user' ? text('by') : text('step')}: ${text('text')}`;
    case 'workflow.deferred':
      return `for ${text('step')}: ${text('text')}`;
    case 'workflow.task.claimed':
      return `${text('step')} by ${text('by')}`;
    case 'workflow.completed':
      return 'all that was required is done';
    case 'workflow.input.requested':
      return `a person is asked for ${text('widget_type') || 'an answer'}`;
    default:
      return text('reason') || text('step');
  }
}

/** The progress an event carries, if it does. */
export function progressIn({ type, data }: StepgateEvent): { percent: number; step: string } | null {
  if (type === 'workflow.completed') return { percent: 100, step: 'completed' };
  const { percent, current_step } = recordIn(data['progress']);
  return typeof percent === 'number' && typeof current_step === 'string'
    ? { percent, step: current_step }
    : null;
}

const recordIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
