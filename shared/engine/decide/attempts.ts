// Attempts: a step that may be tried several times, each time with more emphasis and the earlier failures at hand.
//   A1  The engine alone decides what an attempt's end means; the clock only says that time has passed.
//   A2  An attempt may span steps: it opens on one and is judged by another.
//   A3  A back-off's jitter follows from the instance and the attempt, so that replaying a log finds the same.
import type { Missing } from '../criteria/checker.ts';
import { sha256 } from '../digest.ts';
import type { AttemptsRecord, StepRecord } from '../model/state.ts';
import { type Attempts, type Step, stepAt } from '../model/workflow.ts';
import { emphasisOf } from './assign.ts';
import type { Draft } from './draft.ts';
import { RUNNING } from './status-part.ts';

/** The step is about to be entered, unless the turn says that it has been. */
export function beginAttempts(draft: Draft, step: Step, began = draft.turn + 1): AttemptsRecord | null {
  if (!step.attempts) return null;
  const record: AttemptsRecord = {
    began,
    current: 1,
    max: step.attempts.max,
    opened_at: draft.now,
    opens_at: draft.now,
    waited_ms: 0,
    history: [],
  };
  announce(draft, step, record);
  return record;
}

function announce(draft: Draft, step: Step, { current, max, history }: AttemptsRecord): void {
  draft.emit('workflow.attempt.started', {
    workflow_id: draft.workflow.id,
    step: step.id,
    attempt: current,
    max,
    emphasis: emphasisOf(step, current),
    failures: history.map(({ attempt, result, reason }) => ({ attempt, result, reason })),
  });
}

/** The attempt is over. True if another one follows (the step is entered again), false after the last. */
export function failAttempt(
  draft: Draft,
  index: number,
  reason: string,
  result: 'failed' | 'timed_out',
): boolean {
  const step = stepAt(draft.workflow, index);
  const record = draft.recordAt(index);
  const { attempts } = record;
  if (!attempts || !step.attempts) return false;
  const { current, max } = attempts;
  const last = current >= max;
  const ended = end(draft, step, attempts, result, reason);
  draft.emit('workflow.attempt.failed', {
    workflow_id: draft.workflow.id,
    step: step.id,
    attempt: current,
    max,
    result,
    reason,
    last,
  });
  if (last) {
    draft.put({ ...record, attempts: ended }, index);
    return false;
  }
  const wait = backOff(step.attempts, current, `${draft.from.instance_id} ${step.id} ${attempts.began}`);
  const opens_at = new Date(Date.parse(draft.now) + wait).toISOString();
  const opened_at = wait === 0 ? draft.now : null;
  const next = { ...ended, current: current + 1, opens_at, opened_at, waited_ms: 0 };
  draft.status = RUNNING;
  draft.enter(step, { attempts: next });
  if (wait === 0) announce(draft, step, next);
  return true;
}

/** In milliseconds. Chance is drawn from who is asking (A3). */
function backOff(attempts: Attempts, failed: number, seed: string): number {
  const { backoff_seconds, backoff_rate, max_backoff_seconds, backoff_jitter } = attempts;
  const longest = Math.min(backoff_seconds * backoff_rate ** (failed - 1), max_backoff_seconds);
  if (longest === 0 || backoff_jitter === 0) return longest * 1000;
  const chance = Number.parseInt(sha256(`${seed} ${failed}`).slice(0, 8), 16) / 2 ** 32;
  return Math.round(longest * 1000 * (1 - backoff_jitter * chance));
}

/** A completed step ends its own attempt, or the one it judges. */
export function passAttempt(draft: Draft, step: Step): void {
  const judgedElsewhere =
    step.attempts !== null &&
    draft.workflow.steps.some(({ triggers_retry }) => triggers_retry === step.index);
  const index = step.triggers_retry ?? (step.attempts && !judgedElsewhere ? step.index : null);
  if (index === null) return;
  const record = draft.steps[index];
  if (!record?.attempts) return;
  draft.put(
    { ...record, attempts: end(draft, stepAt(draft.workflow, index), record.attempts, 'passed', null) },
    index,
  );
}

/** While it backs off, nothing can be handed in; null once its time has come. */
export function backingOff({ attempts }: Pick<StepRecord, 'attempts'>, now: string): Missing | null {
  if (!attempts || attempts.opened_at !== null) return null;
  const { current, opens_at } = attempts;
  if (Date.parse(now) >= Date.parse(opens_at)) return null;
  return { type: 'attempt', reason: `Attempt ${current} opens at ${opens_at}.`, opens_at };
}

/** An attempt whose time has come opens now; else what is waited for. */
export function openIfDue(draft: Draft): Missing | null {
  const early = backingOff(draft.record, draft.now);
  if (early === null) open(draft);
  return early;
}

export function open(draft: Draft): void {
  const { attempts } = draft.record;
  if (!attempts || attempts.opened_at !== null) return;
  const opened = { ...attempts, opened_at: draft.now };
  draft.patch({ attempts: opened, since: draft.now });
  announce(draft, draft.step, opened);
}

function end(
  draft: Draft,
  step: Step,
  attempts: AttemptsRecord,
  result: 'passed' | 'failed' | 'timed_out',
  reason: string | null,
): AttemptsRecord {
  const entry = {
    attempt: attempts.current,
    result,
    reason,
    emphasis: emphasisOf(step, attempts.current),
    started_at: attempts.opened_at,
    ended_at: draft.now,
  };
  return { ...attempts, history: [...attempts.history, entry] };
}
