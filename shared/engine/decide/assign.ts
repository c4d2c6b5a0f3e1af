// Who is to act now, and the assignment they are sent.
import type { SaidItem, StepRecord } from '../model/state.ts';
import type { Step } from '../model/workflow.ts';
import { approvalsGiven } from './approvals-given.ts';
import { deliveredOf } from './artifacts.ts';
import type { Draft } from './draft.ts';

/** Roles, agents' names, or the owner. */
export function assignees(step: Step, record: Pick<StepRecord, 'agents_done'>): readonly string[] {
  if (step.roles_in_charge.length > 0) return step.roles_in_charge;
  const open = step.agents.filter((agent) => !record.agents_done.includes(agent));
  if (step.teamwork === 'sequence') return open.slice(0, 1);
  if (step.teamwork === 'all' && open.length === 0 && step.lead !== null) return [step.lead];
  if (open.length > 0) return open;
  return step.agents.length > 0 ? step.agents : ['owner'];
}

export const requiredAction = (step: Step): string =>
  step.required_action ??
  step.transitions.find(
    ({ auto, on }) => !auto && !['ok', 'fail', 'skip', 'iterate', '_default'].includes(on),
  )?.on ??
  'complete_step';

export function assign(draft: Draft): void {
  const { step, record } = draft;
  if (step.final !== null || draft.status.status !== 'in_progress') return;
  const { attempts } = record;
  const artifacts = deliveredOf(draft, record);
  const unheard = lastWord(record, 'user');
  const approvals = approvalsGiven(draft.workflow, draft.steps);
  const shared = {
    task_id: draft.from.instance_id,
    step: step.id,
    required_action: requiredAction(step),
    work_to_validate:
      'files_changed' in artifacts ? { ...artifacts, files: artifacts.files_changed } : artifacts,
    turn: record.turn,
    ...(draft.feedback === null ? {} : { feedback: draft.feedback }),
    ...(draft.retry_count === 0 ? {} : { retry_count: draft.retry_count }),
    ...(approvals.length === 0 ? {} : { approvals: approvals.map((given) => ({ ...given })) }),
    ...(record.deferred.length === 0 ? {} : { deferred: record.deferred }),
    ...(unheard === undefined ? {} : { message: unheard }),
    ...(record.answers.length === 0 ? {} : { answers: record.answers }),
    ...(step.handler.kind === 'dispatch'
      ? { dispatch: { agent: step.handler.agent, script: step.handler.script } }
      : {}),
    ...(attempts === null
      ? {}
      : {
          attempt: attempts.current,
          emphasis: emphasisOf(step, attempts.current),
          failures: attempts.history.map(({ attempt, result, reason }) => ({ attempt, result, reason })),
          ...(attempts.opened_at === null ? { not_before: attempts.opens_at } : {}),
        }),
  };
  for (const assigned_to_role of assignees(step, record))
    draft.emit('workflow.task.assigned', { ...shared, assigned_to_role });
}

/** The last thing said, if that side said it. */
function lastWord({ messages }: StepRecord, from: 'user' | 'agent'): SaidItem | undefined {
  const last = messages?.at(-1);
  return last?.from === from ? last : undefined;
}

/** Rises with each attempt; the last one listed serves for all later ones. */
export function emphasisOf(step: Step, attempt: number): string | null {
  const { emphasis } = step.attempts ?? { emphasis: [] };
  return emphasis[Math.min(attempt, emphasis.length) - 1] ?? null;
}
