// The seed's get_next_step, validate_prerequisites and get_workflow_status. Here `workflow_id` is the instance.
import { artifactsOf } from '../decide/artifacts.ts';
import { backingOff } from '../decide/attempts.ts';
import { isFinished, type State } from '../model/state.ts';
import { type Step, stepAt, type Workflow } from '../model/workflow.ts';
import { progressOf } from '../progress.ts';
import { inCharge } from './in-charge.ts';
import { currentStep, isDone, recordOf, titleFor } from './locks.ts';
import { nextResting } from './routes.ts';

export function nextStep(workflow: Workflow, state: State, now: string) {
  const step = currentStep(workflow, state);
  const record = recordOf(state, step);
  const early = state.status === 'in_progress' && record ? backingOff(record, now) : null;
  const next = isFinished(state) ? null : nextResting(workflow, step);
  return {
    can_proceed: state.status === 'in_progress' && early === null,
    current_step: step.number,
    current_step_name: step.title,
    current_status: record?.status ?? 'pending',
    blocking_reason: early?.reason ?? blockingReason(state, step),
    required_action: requiredOf(workflow, state, step),
    next_step: next?.number ?? null,
    next_step_name: next && titleFor(workflow, state, next),
    prerequisites_met: next !== null && prerequisites(workflow, state, next).prerequisites_met,
  };
}

function blockingReason(state: State, step: Step): string | null {
  switch (state.status) {
    case 'in_progress':
      return null;
    case 'waiting_approval':
      return `Step ${step.number} "${step.title}" waits for a person's approval.`;
    case 'waiting_input':
      return `Step ${step.number} "${step.title}" waits for a person's input.`;
    case 'failed':
      return state.last_error;
    case 'completed':
      return 'The workflow is complete; there is nothing left to do.';
    case 'cancelled':
      return `The instance was cancelled: ${state.reason}`;
  }
}

function requiredOf(workflow: Workflow, state: State, step: Step): string | null {
  switch (state.status) {
    case 'in_progress':
      return inCharge(workflow, state)?.action ?? null;
    case 'waiting_approval':
      return step.approval?.type === 'select_variant'
        ? `A person must choose a variant of "${step.title}", or reject it with feedback.`
        : `A person must approve "${step.title}", with modifications if need be, or reject it with feedback.`;
    case 'waiting_input':
      return state.input.widget_type === null
        ? `A person must answer the questions of "${step.title}".`
        : `A person must fill in the widget "${state.input.widget_type}".`;
    case 'failed':
    case 'cancelled':
      return 'Resume the instance, from this step or an earlier one.';
    case 'completed':
      return null;
  }
}

/** Everything that must be done before a step, all the way up: the steps no path to it can avoid. */
export function prerequisites(workflow: Workflow, state: State, step: Step) {
  const required: Step[] = [];
  for (let at = workflow.dominator[step.index] ?? -1; at >= 0; at = workflow.dominator[at] ?? -1)
    required.push(stepAt(workflow, at));
  required.sort((a, b) => a.index - b.index);
  const missing = required.filter((before) => !isDone(recordOf(state, before)));
  const open = new Set(missing);
  const issues = missing.map((before) => {
    const title = titleFor(workflow, state, before) ?? before.id;
    return `Step ${before.number} "${title}" ${standing(recordOf(state, before)?.status)}.`;
  });
  if (isFinished(state)) issues.push(`The instance is ${state.status}.`);
  return {
    prerequisites_met: missing.length === 0,
    required_steps: required.map(({ number }) => number),
    completed_steps: required.filter((before) => !open.has(before)).map(({ number }) => number),
    missing_steps: missing.map(({ number }) => number),
    can_start_step: issues.length === 0,
    blocking_issues: issues,
  };
}

function standing(status: string | undefined): string {
  if (status === 'waiting_approval') return "waits for a person's approval";
  if (status === 'waiting_input') return "waits for a person's input";
  if (status === 'in_progress') return 'is still in progress';
  return status === 'failed' ? 'has failed' : 'has not been started';
}

export function workflowStatus(workflow: Workflow, state: State) {
  const step = currentStep(workflow, state);
  return {
    workflow_id: state.instance_id,
    workflow_type: state.workflow_id,
    status: state.status,
    current_step: step.number,
    current_step_name: step.title,
    waiting_for_approval: state.status === 'waiting_approval',
    progress_percentage: progressOf(workflow, state).percent,
    artifacts: artifactsOf(state, recordOf(state, step) ?? undefined),
  };
}
