// A step's ways out: its `next` shorthand, its transitions, and the ones that go without saying.
//   T1  A step that names no completing way out goes on to the next step in the list.
//   T2  An optional step may be left by `skip`, to where `ok` goes.
//   T3  A judging step (`triggers_retry`) goes back to the step it judges when it fails.
import { OUTCOMES, type StepInput } from '../model/definition.ts';
import { didYouMean } from '../model/strict.ts';
import type { Transition } from '../model/workflow.ts';
import { ExpressionError, type Expressions } from '../expressions/expression.ts';
import type { Problems } from './problems.ts';

type Input = NonNullable<StepInput['transitions']>[number];

export interface TransitionScope {
  readonly index: ReadonlyMap<string, number>;
  readonly expressions: Expressions;
  readonly problems: Problems;
  readonly steps: readonly StepInput[];
}

const RESERVED = ['stay', 'need_input', 'complete_step'];
const NOT_COMPLETING = ['fail', 'iterate'];

export function transitionsOf(
  step: StepInput,
  position: number,
  fsm: boolean,
  scope: TransitionScope,
): Transition[] {
  const given: Input[] = [...fromNext(step), ...(step.transitions ?? [])];
  const retryTarget = retryOf(step, position, scope);
  if (retryTarget === undefined) refuseRetry(step, scope);
  const transitions = given.flatMap((input) => compileOne(step, input, scope));
  if (step.final !== undefined && step.final !== false) {
    if (given.length > 0) {
      scope.problems.add(
        2,
        step.id,
        `"${step.id}" is final but has transitions.`,
        'Remove its transitions, or the "final" mark.',
      );
    }
    return [];
  }
  if (!fsm && !transitions.some(({ completes }) => completes))
    transitions.unshift(plain('ok', followUp(position, scope))); // T1
  const ok = transitions.find(({ on, guard }) => on === 'ok' && guard === null);
  if (!fsm && step.required === false && ok && !transitions.some(({ on }) => on === 'skip'))
    transitions.push(plain('skip', ok.to)); // T2
  if (typeof retryTarget === 'number' && !transitions.some(({ on }) => on === 'fail')) {
    transitions.push({ ...plain('fail', retryTarget), completes: false, retry: true }); // T3
  }
  refuseShadowed(step, transitions, scope);
  return transitions;
}

/** The index of the step whose attempt this one judges; null if it judges none, undefined if there is none. */
export function retryOf(
  { triggers_retry: wanted }: StepInput,
  position: number,
  { steps, index }: TransitionScope,
): number | null | undefined {
  if (wanted === undefined || wanted === false) return null;
  let found = wanted === true ? position - 1 : (index.get(wanted) ?? -1);
  if (wanted === true) while (found >= 0 && steps[found]?.attempts === undefined) found--;
  return steps[found]?.attempts === undefined ? undefined : found;
}

function refuseRetry({ id, triggers_retry: wanted }: StepInput, { problems }: TransitionScope): void {
  problems.add(
    2,
    id,
    `"${id}" triggers a retry, but no step with attempts ${wanted === true ? 'stands before it' : `is called "${wanted}"`}.`,
    'Give the step to be retried "attempts", or name it in "triggers_retry".',
  );
}

function fromNext(step: StepInput): Input[] {
  if (step.next === undefined) return [];
  if (typeof step.next === 'string' || step.next === null) return [{ on: 'ok', to: step.next }];
  return Object.entries(step.next).map(([on, to]) => ({ on, to }));
}

function compileOne(
  step: StepInput,
  input: Input,
  { index, expressions, problems }: TransitionScope,
): Transition[] {
  const on = input.on ?? (input.auto ? 'AUTO' : undefined);
  if (on === undefined) {
    problems.add(
      2,
      step.id,
      `A transition of "${step.id}" says neither "on" what nor "auto: true".`,
      'Add "on" with an outcome or an action.',
    );
    return [];
  }
  if (RESERVED.includes(on)) {
    problems.add(
      2,
      step.id,
      `"${on}" is a signal of its own and cannot name a transition of "${step.id}".`,
      'Use an outcome (ok, fail, skip, iterate) or an action such as APPROVE.',
    );
    return [];
  }
  const to = target(input.to, index);
  if (to === undefined) {
    problems.add(
      2,
      step.id,
      () =>
        `"${step.id}" goes to "${input.to}" on ${on}, which is not a step${didYouMean(String(input.to), [...index.keys()])}.`,
      'Correct the target, add the step, or use null for the end.',
    );
    return [];
  }
  let guard = null;
  try {
    guard = input.guard === undefined ? null : expressions.compile(input.guard, 'bool');
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    problems.add(
      9,
      step.id,
      `The guard \`${input.guard}\` of "${step.id}" on ${on}: ${error.message}.`,
      'Correct the expression; it may read params, state, data, artifacts, evidence and the named guards.',
    );
  }
  return [
    {
      on,
      to,
      roles: input.role === undefined ? [] : [input.role].flat(),
      guard,
      feedback_required: input.feedback_required ?? false,
      auto: input.auto ?? false,
      implied: input.implied ?? false,
      claims: input.claims ?? /^CLAIM(_|$)/.test(on),
      completes: input.completes ?? !NOT_COMPLETING.includes(on),
      retry: false,
      description: input.description ?? '',
    },
  ];
}

function plain(on: string, to: number | null): Transition {
  return {
    on,
    to,
    roles: [],
    guard: null,
    feedback_required: false,
    auto: false,
    implied: false,
    claims: false,
    completes: true,
    retry: false,
    description: '',
  };
}

const followUp = (position: number, { steps }: TransitionScope) =>
  position + 1 < steps.length ? position + 1 : null;

function target(to: string | null, index: ReadonlyMap<string, number>): number | null | undefined {
  if (to === null) return null;
  return index.get(to) ?? (to === 'end' ? null : undefined);
}

/** Check 11: a transition that an earlier one always takes the place of can never be taken. */
function refuseShadowed(
  step: StepInput,
  transitions: readonly Transition[],
  { problems }: TransitionScope,
): void {
  const seen = new Map<string, Transition[]>();
  let ahead: Transition | undefined;
  for (const transition of transitions) {
    const earlier = ahead ?? (seen.get(transition.on) ?? []).find((other) => shadows(other, transition));
    if (earlier) {
      const how = ahead
        ? `the automatic transition before it is always taken`
        : `an earlier transition on ${earlier.on} is always taken first`;
      problems.add(
        11,
        step.id,
        `A transition of "${step.id}" on ${transition.on} can never be taken: ${how}.`,
        'Put the guarded one first, give the earlier one a guard or a role, or remove one.',
      );
    }
    if (transition.auto && transition.guard === null) ahead = transition;
    const list = seen.get(transition.on);
    if (list) list.push(transition);
    else seen.set(transition.on, [transition]);
  }
}

function shadows(earlier: Transition, later: Transition): boolean {
  const anyRole =
    earlier.roles.length === 0 ||
    (later.roles.length > 0 && later.roles.every((role) => earlier.roles.includes(role)));
  const anyCase = earlier.guard === null || earlier.guard.source === later.guard?.source;
  return anyRole && anyCase && earlier.auto === later.auto;
}

export const isOutcome = (on: string): boolean => (OUTCOMES as readonly string[]).includes(on);
