// What tells two situations of an instance apart, as far as its gates are concerned.
import type { State } from '../engine/model/state.ts';
import type { Workflow } from '../engine/model/workflow.ts';

const VISITS = 2;
/** A review grows lenient with its visits; later ones look the same. */
const REVIEW_VISITS = 6;

export function situationOf({ index, steps }: Workflow, state: State): string {
  const at = index.get(state.current_step) ?? 0;
  const record = state.steps[at];
  const reviews = steps[at]?.criteria.some(({ type }) => type === 'qr_gate') ?? false;
  return JSON.stringify([
    state.current_step,
    state.status,
    Math.min(record?.visits ?? 0, reviews ? REVIEW_VISITS : VISITS),
    record?.state ?? null,
    record?.agents_done.length ?? 0,
    record?.attempts ? [record.attempts.current, record.attempts.opened_at === null] : null,
    state.steps.map((one) => one?.attempts?.current ?? 0),
    Object.keys(record?.widgets ?? {}),
    record?.approval?.approved ?? null,
    state.status === 'waiting_approval' ? state.pending : null,
    state.status === 'waiting_input' ? [state.input.questions.length, state.input.widget_type] : null,
    state.status === 'in_progress' ? (state.claim?.by ?? null) : null,
    state.feedback === null,
  ]);
}
