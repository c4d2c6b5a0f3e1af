// Cancelling, resuming and starting over; what the clock says.
import type { Decision } from '../model/decision.ts';
import type { SignalOf } from '../model/signal.ts';
import { findStep, type Step, stepAt } from '../model/workflow.ts';
import { noStep } from '../no-step.ts';
import { beginAttempts, open } from './attempts.ts';
import { judge } from './check.ts';
import { guardClaim } from './claims.ts';
import type { Draft } from './draft.ts';
import { actingAnyhow } from './legal.ts';
import { openAttempt } from './open-attempt.ts';
import { fail, followAutomatic, openWay, restart, take } from './move.ts';
import { refuse, refused, settle, violate } from './outcome.ts';
import { isKeeper } from './permissions.ts';
import { RUNNING } from './status-part.ts';

export function onCancel(draft: Draft, signal: SignalOf<'cancel'>): Decision {
  if (!isKeeper(draft.from, draft.actor))
    return violate(draft, signal, 'role_not_allowed', 'Only the owner or an admin may cancel.');
  const reason = signal.body.reason ?? 'Cancelled.';
  draft.patch({ status: 'pending', completed_at: null, outcome: null } as Partial<Draft['record']>);
  draft.status = { status: 'cancelled', cancelled_at: draft.now, reason };
  draft.emit('workflow.cancelled', {
    workflow_id: draft.workflow.id,
    step: draft.step.id,
    reason,
    by: draft.actor.sub,
    progress: draft.progress(),
  });
  return settle(draft, signal, 'stayed', { reason });
}

/** From the step where it stopped, or any that was completed; what came after is undone. */
export function onResume(draft: Draft, signal: SignalOf<'resume'>): Decision {
  const { from, workflow, actor } = draft;
  const { from_step } = signal.body;
  if (!isKeeper(from, actor))
    return violate(draft, signal, 'role_not_allowed', 'Only the owner or an admin may resume.');
  if (from.status !== 'failed' && from.status !== 'cancelled')
    return refuse(
      draft,
      'not_resumable',
      `The instance is ${from.status}; only a failed or cancelled one can be resumed.`,
      { status: from.status },
    );
  const stopped = stoppedAt(draft);
  const wanted = from_step === undefined ? stopped : findStep(workflow, from_step);
  if (from_step !== undefined && !wanted) return refused(draft, noStep(workflow, from_step));
  const record = wanted ? from.steps[wanted.index] : null;
  // A step that failed and is being mended is not offered: what it judges is not done yet.
  const done = record?.status === 'completed' || record?.status === 'skipped';
  if (!wanted || !record || wanted.final !== null || (wanted !== stopped && !done)) {
    return violate(
      draft,
      signal,
      'phase_sequence_violation',
      `The instance cannot be resumed from "${from_step ?? from.current_step}"; it stopped at "${stopped?.id ?? from.current_step}". Resume from there, or from a completed step.`,
      { current_step: from.current_step },
    );
  }
  // What was in hand when it was cancelled is undone like anything else.
  if (draft.record.status === 'pending') draft.patch({ status: 'in_progress' } as Partial<Draft['record']>);
  draft.status = RUNNING;
  draft.last_error = null;
  if (wanted !== stopped) draft.feedback = null; // it was for a step that is undone
  draft.undoAfter(record.entered - 1);
  draft.enter(wanted, wanted.attempts ? { attempts: beginAttempts(draft, wanted) } : {});
  goOnTrying(draft);
  draft.emit('workflow.resumed', {
    workflow_id: workflow.id,
    from_step: wanted.id,
    by: actor.sub,
    progress: draft.progress(),
  });
  followAutomatic(draft, { action: 'RESUME', role: 'system' });
  return settle(draft, signal, 'advanced');
}

/** An attempt that opened before the step has its whole time again, under another clock: its first was stopped. */
function goOnTrying(draft: Draft): void {
  const index = openAttempt(draft.workflow, draft.steps, draft.current);
  const record = index === null ? null : draft.steps[index];
  if (index === null || index === draft.current || !record?.attempts?.opened_at) return;
  const waited_ms = Date.parse(draft.now) - Date.parse(record.attempts.opened_at);
  draft.put({ ...record, attempts: { ...record.attempts, began: draft.turn, waited_ms } }, index);
}

/** The current step; where that is a final one, the step it was reached from. */
function stoppedAt({ workflow, step, from }: Draft): Step | undefined {
  if (step.final === null) return step;
  const last = from.steps.reduce(
    (latest, record, index) =>
      record &&
      record.status !== 'pending' &&
      stepAt(workflow, index).final === null &&
      record.entered > (from.steps[latest]?.entered ?? 0)
        ? index
        : latest,
    -1,
  );
  return workflow.steps[last];
}

export function onRetry(draft: Draft, signal: SignalOf<'retry'>): Decision {
  const { from, workflow, step, actor } = draft;
  if (!isKeeper(from, actor) && actingAnyhow(workflow, from, step, actor) === null)
    return violate(
      draft,
      signal,
      'role_not_allowed',
      'Only the owner, an admin or whoever works on the step may start it over.',
    );
  const taken = isKeeper(from, actor) ? null : guardClaim(draft);
  if (taken) return taken;
  if (workflow.recovery !== 'restart')
    return refuse(
      draft,
      'not_resumable',
      `"${workflow.id}" does not start over; resume it instead once it has failed.`,
    );
  if (from.status === 'completed' || from.status === 'cancelled')
    return refuse(draft, 'workflow_finished', `The instance is ${from.status}.`, { status: from.status });
  const { error = 'No reason was given.' } = signal.body;
  restart(draft, error);
  return settle(draft, signal, 'advanced', { reason: `Retry due to: ${error}` });
}

export function onAttempt(draft: Draft, signal: SignalOf<'attempt'>): Decision {
  const { event, turn, reason } = signal.body;
  const index = openAttempt(draft.workflow, draft.steps, draft.current);
  const record = index === null ? null : draft.steps[index];
  if (draft.actor.kind !== 'system')
    return violate(draft, signal, 'role_not_allowed', 'Only the clock speaks of attempts.');
  const silent = event === 'heartbeat_lost';
  // Whoever has handed in, or waits for a person, need not show that it is alive.
  const excused = silent && (index !== draft.current || draft.status.status !== 'in_progress');
  if (index === null || !record?.attempts || record.turn !== turn || excused)
    return refuse(draft, 'stale_turn', `Turn ${turn} is over.`, { turn: draft.turn });
  if (event === 'opened') {
    if (index === draft.current && record.attempts.opened_at === null) {
      open(draft);
      draft.reassign();
    }
    return settle(draft, signal, 'stayed');
  }
  const why =
    reason ??
    (event === 'timed_out'
      ? 'It ran out of time.'
      : event === 'heartbeat_lost'
        ? 'Its agent went silent.'
        : 'It failed.');
  const by = { action: 'ATTEMPT_FAILED', role: 'system' };
  fail(draft, why, by, event === 'failed' ? 'failed' : 'timed_out', index);
  return settle(draft, signal, null, { reason: why });
}

export function onDeadline(draft: Draft, signal: SignalOf<'deadline'>): Decision {
  const { step, record, workflow } = draft;
  if (draft.actor.kind !== 'system')
    return violate(draft, signal, 'role_not_allowed', 'Only the clock speaks of deadlines.');
  if (record.turn !== signal.body.turn || step.deadline === null)
    return refuse(draft, 'stale_turn', `Turn ${signal.body.turn} is over.`, { turn: draft.turn });
  if (signal.body.event === 'remind') {
    if (record.reminded)
      return refuse(draft, 'stale_turn', `"${step.id}" was reminded of.`, { turn: draft.turn });
    draft.patch({ reminded: true });
    draft.emit('workflow.reminder', {
      workflow_id: workflow.id,
      step: step.id,
      status: record.status,
      deadline_seconds: step.deadline.seconds,
    });
    return settle(draft, signal, 'stayed');
  }
  const why = `The deadline of ${step.deadline.seconds} s for "${step.id}" has passed.`;
  draft.patch({ status: 'in_progress' } as Partial<typeof record>);
  draft.status = RUNNING;
  const way =
    step.deadline.outcome === 'fail'
      ? undefined
      : openWay(draft, step.by_on.get(step.deadline.outcome) ?? []);
  const skips = way?.on === 'skip' && !step.required;
  if (way && (!way.completes || skips || judge(draft, step, record).missing.length === 0))
    take(draft, way, { action: 'DEADLINE', role: 'system' });
  else fail(draft, why, { action: 'DEADLINE', role: 'system' }, 'timed_out');
  return settle(draft, signal, null, { reason: why });
}

/** A refused read, put on record. */
export function onViolation(draft: Draft, signal: SignalOf<'violation'>): Decision {
  const { message, step } = signal.body;
  return violate(draft, signal, 'phase_sequence_violation', message, {
    requested_step: step,
    current_step: stepAt(draft.workflow, draft.current).id,
  });
}
