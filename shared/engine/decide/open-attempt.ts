// Whose attempt is open (A2): the current step's own, the one it judges, or one that a later step may still judge.
import type { State } from '../model/state.ts';
import type { Workflow } from '../model/workflow.ts';

type Steps = Pick<Workflow, 'steps'>;

/** The index of the step whose attempt it is. */
export function openAttempt({ steps }: Steps, records: State['steps'], current: number): number | null {
  const step = steps[current];
  if (!step) return null;
  if (step.triggers_retry !== null)
    return records[step.triggers_retry]?.attempts ? step.triggers_retry : null;
  if (step.attempts) return records[current]?.attempts ? current : null;
  for (const { index: judge, triggers_retry: worked } of steps) {
    const record = worked === null ? null : records[worked];
    if (worked === null || !record?.attempts || record.status !== 'completed') continue;
    const over = record.attempts.history.at(-1)?.attempt === record.attempts.current;
    if (!over && leadsTo({ steps }, current, judge, worked)) return worked;
  }
  return null;
}

/** Is there a way from one step to another that does not pass a third? */
function leadsTo({ steps }: Steps, from: number, to: number, past: number): boolean {
  const seen = new Set([from, past]);
  const open = [from];
  for (const at of open)
    for (const { to: next } of steps[at]?.transitions ?? []) {
      if (next === to) return true;
      if (next === null || seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  return false;
}
