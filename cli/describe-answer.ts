// The answer to a start or a signal, for people: what became of it, how far the instance is, and who is next.
import type { Answer } from '../client/shapes.ts';
import { progressBar } from './progress-bar.ts';

const MARKS: Readonly<Record<Answer['result'], string>> = {
  advanced: '✓',
  completed: '✓',
  stayed: '·',
  waiting: '…',
  blocked: '✗',
  failed: '✗',
};

export function describeAnswer(answer: Answer): string {
  const {
    result,
    previous_step,
    current_step,
    reason,
    missing_criteria = [],
    progress,
    next,
    replayed,
  } = answer;
  const moved = previous_step !== null && previous_step !== current_step;
  const where = moved ? `${previous_step} → ${current_step}` : `at ${current_step}`;
  const missing = missing_criteria.map((criterion) => `  missing: ${criterion.reason} (${criterion.type})`);
  const who = next?.agent ?? next?.role;
  const what = previous_step === null ? 'started' : result;
  return [
    `${MARKS[result]} ${what} ${where}${replayed ? ', as answered before' : ''}`,
    ...(missing.length > 0 ? missing : reason === undefined ? [] : [`  ${reason}`]),
    `  ${progressBar(progress.percent)}  ${progress.completed} of ${progress.total} steps`,
    ...(next && who ? [`  next: ${who}${next.action === null ? '' : `, ${next.action}`}`] : []),
  ].join('\n');
}

/** Nothing moved, and somebody has to do something about it. */
export const isSetback = ({ result }: Pick<Answer, 'result'>): boolean =>
  result === 'blocked' || result === 'failed';
