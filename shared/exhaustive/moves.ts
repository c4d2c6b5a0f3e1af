// Everything worth saying to an instance in a given state, by everyone.
import { isOutcome } from '../engine/compile/transitions.ts';
import { OUTCOMES } from '../engine/model/definition.ts';
import { readSignal, type Signal, type SignalBody } from '../engine/model/signal.ts';
import type { State, StepRecord } from '../engine/model/state.ts';
import { type Step, stepAt, type Transition, type Workflow } from '../engine/model/workflow.ts';
import { approversOf, type Caller, CLOCK, mayAct, OWNER } from './actors.ts';
import { type Supply, widgetsOf } from './samples.ts';
import { suppliesFor } from './supplies.ts';

export interface Move {
  readonly action: string;
  readonly caller: Caller;
  readonly signal: Signal;
  /** By the walk's own reading of the definition. */
  readonly may: boolean;
  readonly aim: Transition | null;
  readonly unsolved: string | null;
}

export function movesIn(workflow: Workflow, state: State, callers: readonly Caller[]): Move[] {
  const step = stepAt(workflow, workflow.index.get(state.current_step) ?? 0);
  const record = state.steps[step.index];
  if (!record) return [];
  if (state.status === 'waiting_approval') return approvals(step);
  if (state.status === 'waiting_input')
    return [...answers(state, callers, step), ...widgets(step), ...clock(step, record)];
  if (state.status !== 'in_progress') return [];
  return [
    ...step.transitions.flatMap((way) => leaving(workflow, state, record, step, way, callers)),
    ...asking(step, callers),
    ...widgets(step),
    ...clock(step, record),
  ];
}

function leaving(
  workflow: Workflow,
  state: State,
  record: StepRecord,
  step: Step,
  way: Transition,
  callers: readonly Caller[],
): Move[] {
  const { supplies, unsolved } = suppliesFor(workflow, state, record, step, way);
  const action = way.auto ? 'stay' : way.on;
  const said: SignalBody = way.auto ? { action } : saidFor(step, way);
  return callers.flatMap((caller) => {
    const ways = way.auto ? [null] : (step.by_on.get(way.on) ?? []);
    const may = ways.some((one) => mayAct(caller, step, one));
    const open = step.agents.find((agent) => !record.agents_done.includes(agent));
    const agent = caller === OWNER && step.teamwork !== 'any' && open !== undefined ? { agent: open } : {};
    const full = supplies.map((supply) => ({
      ...said,
      ...agent,
      ...carrying(supply),
      feedback: 'Sample feedback.',
    }));
    const bodies = may ? [...full, { ...said, ...agent }] : full.slice(0, 1);
    return bodies.map((body) => ({
      action,
      caller,
      may,
      aim: way,
      unsolved,
      signal: readSignal('signal', body),
    }));
  });
}

function saidFor(step: Step, { on }: Transition): SignalBody {
  if (!isOutcome(on)) return { action: on };
  const other = OUTCOMES.find((outcome) => outcome !== '_default' && !step.by_on.has(outcome)) ?? 'other';
  return { action: 'complete_step', outcome: on === '_default' ? other : on };
}

const carrying = ({ data, evidence, artifacts, shared }: Supply): SignalBody => ({
  data: Object.keys(shared).length > 0 ? { ...data, shared } : data,
  evidence,
  artifacts,
});

const QUESTION = { id: 'q1', question: 'Which one?', options: ['this', 'that'] };

function asking(step: Step, callers: readonly Caller[]): Move[] {
  const bodies: SignalBody[] = [{ action: 'stay', data: { note: 'sample' } }];
  if (step.supports_questions) bodies.push({ action: 'need_input', questions: [QUESTION] });
  for (const { widget_type } of widgetsOf(step)) bodies.push({ action: 'need_input', widget_type });
  return bodies.flatMap((body) =>
    callers.map((caller) =>
      plain(body.action ?? 'stay', caller, readSignal('signal', body), mayAct(caller, step, null)),
    ),
  );
}

function widgets(step: Step): Move[] {
  return widgetsOf(step).map((body) => plain('widget', OWNER, readSignal('widget', body), true));
}

function answers(state: State, callers: readonly Caller[], step: Step): Move[] {
  if (state.status !== 'waiting_input' || state.input.questions.length === 0) return [];
  const signal = readSignal('answer', { answers: state.input.questions.map(() => 'this') });
  return callers.map((caller) =>
    plain('answer', caller, signal, caller === OWNER || mayAct(caller, step, null)),
  );
}

function approvals(step: Step): Move[] {
  const variants = step.approval?.variants ?? [];
  const chosen =
    step.approval?.type === 'select_variant' ? (variants.length > 0 ? variants : ['A']) : [undefined];
  const bodies: { approved: boolean; feedback?: string; selected_variant?: string }[] = chosen.map(
    (variant) => (variant === undefined ? { approved: true } : { approved: true, selected_variant: variant }),
  );
  bodies.push({ approved: false, feedback: 'Sample feedback.' });
  return approversOf(step).flatMap(({ caller, may }) =>
    bodies.map((body) =>
      plain(body.approved ? 'approve' : 'reject', caller, readSignal('approve', body), may),
    ),
  );
}

function clock(step: Step, { attempts, turn }: StepRecord): Move[] {
  const moves: Move[] = [];
  if (attempts)
    for (const event of ['opened', 'timed_out'] as const)
      moves.push(plain(`attempt-${event}`, CLOCK, readSignal('attempt', { event, turn }), true));
  if (step.deadline)
    moves.push(plain('deadline', CLOCK, readSignal('deadline', { event: 'expired', turn }), true));
  return moves;
}

const plain = (action: string, caller: Caller, signal: Signal, may: boolean): Move => ({
  action,
  caller,
  signal,
  may,
  aim: null,
  unsolved: null,
});
