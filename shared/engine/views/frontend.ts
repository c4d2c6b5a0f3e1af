// What a frontend shows, rebuilt from events alone: folding all events of a log gives what the state gives.
import * as z from 'zod';
import type { Progress, WorkflowEvent } from '../model/event.ts';
import type { Json } from '../model/json.ts';
import type { State, Status } from '../model/state.ts';
import type { Workflow } from '../model/workflow.ts';
import { progressOf } from '../progress.ts';

export interface FrontendView {
  readonly status: Status;
  readonly current_step: string;
  readonly progress: Progress;
  readonly waiting?: Waiting;
}

type Waiting =
  | { readonly for: 'approval'; readonly step: string; readonly digest: Json }
  | { readonly for: 'input'; readonly step: string; readonly questions: Json; readonly widget_type: Json };

const ProgressData = z.object({
  current_step: z.string(),
  completed_steps: z.array(z.string()),
  completed: z.number(),
  total: z.number(),
  percent: z.number(),
});

const Summary = z.object({ completed_steps: z.array(z.string()) });

export const NOTHING_YET: FrontendView = {
  status: 'in_progress',
  current_step: '',
  progress: { current_step: '', completed_steps: [], completed: 0, total: 0, percent: 0 },
};

export function applyEvent(before: FrontendView, { type, data }: WorkflowEvent): FrontendView {
  const told = ProgressData.safeParse(data.progress);
  const view = told.success
    ? { ...before, progress: told.data, current_step: told.data.current_step }
    : before;
  const text = (key: string): string => (typeof data[key] === 'string' ? data[key] : '');
  switch (type) {
    case 'workflow.started':
      return { ...view, status: 'in_progress', current_step: text('initial_step') };
    case 'workflow.step_changed':
      return before.waiting?.step === data.previous_step ? running(view) : view;
    case 'workflow.approval.requested':
      return {
        ...view,
        status: 'waiting_approval',
        waiting: { for: 'approval', step: text('step'), digest: data.digest ?? null },
      };
    case 'workflow.input.requested': {
      const { questions = [], widget_type = null } = data;
      const waiting = { for: 'input', step: text('step'), questions, widget_type } as const;
      return { ...view, status: 'waiting_input', waiting };
    }
    case 'workflow.task.assigned':
    case 'workflow.approval.resolved':
    case 'workflow.overridden':
    case 'workflow.resumed':
    case 'workflow.retried':
      return running(view);
    case 'workflow.completed':
      return { ...ended(view, 'completed'), progress: whole(view, data) };
    case 'workflow.failed':
      return ended(view, 'failed');
    case 'workflow.cancelled':
      return ended(view, 'cancelled');
    default:
      return view;
  }
}

export function frontendOf(workflow: Workflow, state: State): FrontendView {
  const view = {
    status: state.status,
    current_step: state.current_step,
    progress: progressOf(workflow, state),
  };
  const step = state.current_step;
  if (state.status === 'waiting_approval') {
    const digest = state.steps.find((record) => record?.id === step)?.approval?.digest ?? null;
    return { ...view, waiting: { for: 'approval', step, digest } };
  }
  if (state.status !== 'waiting_input') return view;
  const { questions, widget_type } = state.input;
  return { ...view, waiting: { for: 'input', step, questions: questions as Json, widget_type } }; // plain data
}

/** The end needs no count: all of it is done, by the steps that the summary lists. */
function whole({ progress, current_step }: FrontendView, { summary }: WorkflowEvent['data']): Progress {
  const listed = Summary.safeParse(summary);
  const completed_steps = listed.success ? listed.data.completed_steps : progress.completed_steps;
  return { current_step, completed_steps, completed: progress.total, total: progress.total, percent: 100 };
}

function running({ waiting: _waiting, ...view }: FrontendView): FrontendView {
  return { ...view, status: 'in_progress' };
}

function ended(view: FrontendView, status: Status): FrontendView {
  return { ...running(view), status };
}
