// What to send along with a move, so that the wanted way opens: the step's own demands, its guards, its decision,
// and what the automatic steps behind it will look at.
import { isOutcome } from '../engine/compile/transitions.ts';
import { artifactsOf } from '../engine/decide/artifacts.ts';
import type { CompiledExpression } from '../engine/expressions/expression.ts';
import { variablesOf } from '../engine/expressions/variables.ts';
import { CONFIDENCES } from '../engine/handlers/confidence.ts';
import type { State, StepRecord } from '../engine/model/state.ts';
import { type Step, stepAt, type Transition, type Workflow } from '../engine/model/workflow.ts';
import { fullSupply, type Supply } from './samples.ts';
import { type Goal, isTrue, solve } from './solve.ts';

export interface Supplies {
  readonly supplies: readonly Supply[];
  /** Why the way could not be opened on purpose; null if it could. */
  readonly unsolved: string | null;
}

export function suppliesFor(
  workflow: Workflow,
  state: State,
  record: StepRecord,
  step: Step,
  way: Transition,
): Supplies {
  const full = fullSupply(workflow, step, way.on === 'fail');
  const base = variablesOf(state, record, artifactsOf(state, record));
  const goals = goalsOf(step, way);
  const solved = goals.length === 0 ? full : solve(workflow, step, goals, base, full);
  const unsolved = solved === null ? `no values were found for ${goals.map(tell).join(' and ')}` : null;
  const start = solved ?? full;
  if (step.handler.kind === 'function')
    return {
      supplies: CONFIDENCES.map((confidence) => ({ ...start, data: { ...start.data, confidence } })),
      unsolved,
    };
  const target = way.to === null ? null : stepAt(workflow, way.to);
  const ahead = target === null ? [] : waysAhead(target).map((next) => goalsOf(target, next));
  const carried = ahead.flatMap((next) => {
    const within = next.filter(
      ({ expression }) => !expression.reads.some((path) => /^(data|evidence)\./.test(path)),
    );
    const found = solve(workflow, step, [...goals, ...within], base, start);
    return found === null ? [] : [found];
  });
  return { supplies: carried.length > 0 ? carried : [start], unsolved };
}

const waysAhead = (step: Step): readonly Transition[] => (step.automatic ? step.transitions : step.auto);

function goalsOf(step: Step, way: Transition): Goal[] {
  const { handler } = step;
  const goals: Goal[] = way.guard ? [isTrue(way.guard)] : [];
  if (way.completes || way.auto) {
    for (const { type, params } of step.criteria) {
      const compiled = type === 'guard' ? (params['compiled'] as CompiledExpression | undefined) : undefined; // put in by the compiler
      if (compiled) goals.push(isTrue(compiled));
    }
  }
  if (handler.kind === 'decide' && isOutcome(way.on)) {
    const wanted = (value: unknown) =>
      way.on === '_default' ? typeof value !== 'string' || !step.by_on.has(value) : value === way.on;
    goals.push({ expression: handler.outcome, wanted });
  }
  return goals;
}

const tell = ({ expression }: Goal): string => `\`${expression.source}\``;
