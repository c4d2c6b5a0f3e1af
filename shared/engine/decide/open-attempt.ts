// Whose attempt is open (A2): the current step's own, the one it judges, or one that a later step will judge.
import type { State } from '../model/state.ts';
import type { Workflow } from '../model/workflow.ts';

/** The index of the step whose attempt it is. */
export function openAttempt(
  { steps }: Pick<Workflow, 'steps'>,
  records: State['steps'],
  current: number,
): number | null {
  const step = steps[current];
  if (!step) return null;
  if (step.triggers_retry !== null)
    return records[step.triggers_retry]?.attempts ? step.triggers_retry : null;
  if (step.attempts) return records[current]?.attempts ? current : null;
  for (const { triggers_retry } of steps) {
    const record = triggers_retry === null ? null : records[triggers_retry];
    if (!record?.attempts || record.status !== 'completed') continue;
    if (record.attempts.history.at(-1)?.attempt !== record.attempts.current) return triggers_retry;
  }
  return null;
}
