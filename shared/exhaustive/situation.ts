// What tells two situations of an instance apart, as far as its gates are concerned.
import { artifactsOf } from '../engine/decide/artifacts.ts';
import type { State } from '../engine/model/state.ts';
import type { Workflow } from '../engine/model/workflow.ts';

const VISITS = 2;
/** A review grows lenient with its visits; later ones look the same. */
const REVIEW_VISITS = 6;

export function situationsOf(workflow: Workflow): (state: State) => string {
  const watched = watchedBy(workflow);
  return (state) =>
    JSON.stringify([...described(workflow, state), watched.map((path) => valueAt(state, path))]);
}

function described({ index, steps }: Workflow, state: State): unknown[] {
  const at = index.get(state.current_step) ?? 0;
  const record = state.steps[at];
  const reviews = steps[at]?.criteria.some(({ type }) => type === 'qr_gate') ?? false;
  return [
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
  ];
}

/** What automatic steps and transitions read of what earlier steps left behind. */
function watchedBy({ steps }: Workflow): readonly string[] {
  const reads = steps.flatMap(({ automatic, handler, auto }) => [
    ...(automatic && handler.kind === 'decide' ? handler.outcome.reads : []),
    ...auto.flatMap(({ guard }) => guard?.reads ?? []),
  ]);
  return [...new Set(reads)].filter((path) => /^(artifacts|shared)\./.test(path));
}

function valueAt(state: State, path: string): unknown {
  let value: unknown = { artifacts: artifactsOf(state), shared: state.shared };
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return null;
    value = (value as Record<string, unknown>)[part]; // own property, checked above
  }
  return value;
}
