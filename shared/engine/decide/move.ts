// Moving through the graph: taking transitions, following automatic ones, failing, restarting, finishing.
//   M1  Automatic transitions run in the same commit, and never more than there are steps.
//   M2  `state.changed` once per transition, `step_changed` once per commit that moves.
import { guardReason } from '../criteria/guard.ts';
import { absent, holds } from '../expressions/expression.ts';
import { variablesOf } from '../expressions/variables.ts';
import type { JsonObject } from '../model/json.ts';
import { type Step, stepAt, type Transition } from '../model/workflow.ts';
import { artifactsOf } from './artifacts.ts';
import { beginAttempts, failAttempt, passAttempt } from './attempts.ts';
import { judge } from './check.ts';
import type { Draft } from './draft.ts';
import { RUNNING } from './status-part.ts';

export interface Mover {
  /** The action told in the audit trail. */
  readonly action: string;
  readonly role: string;
  readonly feedback?: string | undefined;
  /** The ways out of the step that the caller's roles allow, where the caller chose the outcome. */
  readonly only?: readonly Transition[] | undefined;
}

/** Leaves the current step by a transition, then follows whatever is automatic from there. */
export function take(draft: Draft, transition: Transition, by: Mover): void {
  hop(draft, transition, by);
  followAutomatic(draft, by);
}

function hop(draft: Draft, transition: Transition, by: Mover): void {
  const { step } = draft;
  const skipped = transition.on === 'skip' && !step.required;
  draft.close(transition.completes ? (skipped ? 'skipped' : 'completed') : 'failed', transition.on);
  if (transition.completes) passAttempt(draft, step);
  const target = transition.to === null ? null : stepAt(draft.workflow, transition.to);
  changed(draft, step.id, target?.id ?? 'end', by);
  if (by.feedback !== undefined) draft.feedback = by.feedback;
  else if (!transition.auto && !transition.implied && !transition.claims && !transition.feedback_required)
    draft.feedback = null;
  draft.status = RUNNING;
  if (target === null) return finish(draft);
  const kept = transition.on === 'iterate' ? { state: draft.recordAt(step.index).state } : {};
  draft.enter(target, target.attempts ? { ...kept, attempts: beginAttempts(draft, target) } : kept);
  if (target.final !== null) finish(draft, target);
}

function changed(draft: Draft, from: string, to: string, by: Mover): void {
  draft.emit('workflow.state.changed', {
    task_id: draft.from.instance_id,
    from_state: from,
    to_state: to,
    triggered_by_action: by.action,
    actor_role: by.role,
    timestamp: draft.now,
    ...(by.feedback === undefined ? {} : { feedback: by.feedback }),
  });
}

/** M1. A guard or criterion that does not hold leaves the step waiting. */
export function followAutomatic(draft: Draft, by: Mover): void {
  for (let hops = 0; hops <= draft.workflow.steps.length && draft.status.status === 'in_progress'; hops++) {
    const { step, record } = draft;
    if (step.auto.length === 0 && !step.automatic) return;
    const { missing, failed } = judge(draft, step, record);
    if (missing.length > 0) return;
    const way = step.automatic ? decided(draft, step, failed) : openWay(draft, step.auto);
    if (!way) return;
    hop(draft, way, { action: way.on, role: by.role });
  }
}

/** The first of some transitions whose guard holds. */
export function openWay(draft: Draft, ways: readonly Transition[]): Transition | undefined {
  return ways.find(
    ({ guard }) =>
      guard === null || holds(guard, variablesOf(draft, draft.record, artifactsOf(draft, draft.record))),
  );
}

/** Which guards of some ways do not hold, and why. */
export function guardsMissing(draft: Draft, ways: readonly Transition[]) {
  const variables = variablesOf(draft, draft.record, artifactsOf(draft, draft.record));
  return ways.flatMap(({ guard, on }) =>
    guard
      ? [
          {
            type: 'guard',
            guard: guard.source,
            action: on,
            reason: guardReason(guard.source, absent(guard, variables)),
          },
        ]
      : [],
  );
}

/** The transition a step's own handler decides for; its state is kept in the record. */
export function decided(draft: Draft, step: Step, failed: string | null): Transition | undefined {
  const outcome = failed === null ? runHandler(draft, step) : 'fail';
  return openWay(draft, step.by_on.get(outcome) ?? step.by_on.get('_default') ?? []);
}

function runHandler(draft: Draft, step: Step): string {
  const { handler } = step;
  const { record } = draft;
  if (handler.kind === 'function') {
    try {
      const [outcome, state] = handler.run({
        step_id: step.id,
        workflow_params: draft.from.params,
        step_state: record.state,
        data: record.data,
        evidence: record.evidence,
        artifacts: artifactsOf(draft, record),
      });
      draft.patch({ state: { iteration: 1, ...record.state, ...state } });
      return outcome;
    } catch (error) {
      draft.note(
        'error',
        `The function ${handler.name} of step "${step.id}" threw: ${error instanceof Error ? error.message : String(error)}`,
      );
      return 'fail';
    }
  }
  if (handler.kind !== 'decide') return 'ok';
  const variables = variablesOf(draft, record, artifactsOf(draft, record));
  const result = handler.outcome.evaluate(variables);
  const state: Record<string, JsonObject[string]> = { ...record.state };
  for (const [key, expression] of Object.entries(handler.state)) {
    const value = expression.evaluate(variables);
    if (value.ok) state[key] = value.value;
  }
  if (result.ok && result.value === 'iterate' && !('iteration' in handler.state))
    state.iteration = Number(state.iteration ?? 1) + 1;
  draft.patch({ state });
  if (result.ok && typeof result.value === 'string') return result.value;
  draft.note(
    'warn',
    `The decision of step "${step.id}" gave no outcome: ${result.ok ? typeof result.value : result.reason}`,
  );
  return '_default';
}

function finish(draft: Draft, final?: Step): void {
  if (final?.final === 'failure') {
    draft.last_error = `The workflow ended in "${final.id}".`;
    draft.status = { status: 'failed', failed_at: draft.now, last_error: draft.last_error };
    draft.emit('workflow.failed', {
      workflow_id: draft.workflow.id,
      step: final.id,
      error: draft.last_error,
      progress: draft.progress(),
    });
    return;
  }
  draft.status = { status: 'completed', completed_at: draft.now };
  const progress = draft.progress();
  draft.emit('workflow.completed', {
    workflow_id: draft.workflow.id,
    completed_at: draft.now,
    summary: {
      completed_steps: progress.completed_steps,
      duration_seconds: Math.round((Date.parse(draft.now) - Date.parse(draft.from.created_at)) / 1000),
      retry_count: draft.retry_count,
      artifacts: Object.keys(artifactsOf(draft)),
    },
  });
}

/** The step did not work out: retry the attempt, take the way for failures, start over, or fail. */
export function fail(
  draft: Draft,
  reason: string,
  by: Mover,
  result: 'failed' | 'timed_out' = 'failed',
  judged = draft.step.triggers_retry ?? (draft.step.attempts ? draft.step.index : null),
): void {
  const { step } = draft;
  if (judged !== null) {
    if (judged !== step.index) {
      draft.close('failed', 'fail');
      changed(draft, step.id, stepAt(draft.workflow, judged).id, by);
    }
    if (failAttempt(draft, judged, reason, result)) return;
    draft.current = judged;
    draft.undoAfter(draft.record.entered);
  }
  const exhausted = draft.step;
  const blameless = judge(draft, exhausted, draft.record).missing.length === 0;
  const way = openWay(
    draft,
    (exhausted.by_on.get('fail') ?? exhausted.by_on.get('_default') ?? []).filter(
      (way) =>
        !way.retry &&
        (!way.completes || blameless) &&
        (by.only === undefined || exhausted !== step || by.only.includes(way)),
    ),
  );
  if (way) {
    take(draft, way, { ...by, feedback: by.feedback ?? reason });
    return;
  }
  const { attempts } = draft.record;
  const last = attempts && judged !== null ? ` on attempt ${attempts.current} of ${attempts.max}` : '';
  const what = `Step "${exhausted.id}" failed${last}: ${sentence(reason)}`;
  if (draft.workflow.recovery === 'restart') return restart(draft, last === '' ? reason : what);
  draft.last_error = `${what} Mend the cause, then resume from "${exhausted.id}".`;
  draft.close('failed', 'fail');
  draft.status = { status: 'failed', failed_at: draft.now, last_error: draft.last_error };
  draft.emit('workflow.failed', {
    workflow_id: draft.workflow.id,
    step: exhausted.id,
    error: draft.last_error,
    progress: draft.progress(),
  });
}

const sentence = (text: string): string => (/[.!?…]\s*$/.test(text) ? text.trimEnd() : `${text.trimEnd()}.`);

/** Full retry: back to the entry with nothing kept but the history and the count. */
export function restart(draft: Draft, error: string): void {
  const from = draft.step.id;
  const entry = stepAt(draft.workflow, draft.workflow.entry);
  draft.clear();
  draft.feedback = null;
  draft.last_error = error;
  draft.retry_count++;
  draft.status = RUNNING;
  changed(draft, from, entry.id, { action: 'RETRY', role: 'system', feedback: `Retry due to: ${error}` });
  draft.enter(entry, entry.attempts ? { attempts: beginAttempts(draft, entry) } : {});
  draft.emit('workflow.retried', {
    workflow_id: draft.workflow.id,
    from_step: from,
    error,
    retry_count: draft.retry_count,
    progress: draft.progress(),
  });
  followAutomatic(draft, { action: 'RETRY', role: 'system' });
}
