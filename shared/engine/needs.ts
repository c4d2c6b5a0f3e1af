// Which outside facts one commit may ask for, so that they are gathered before the engine is asked.
//   N1  Every criterion that `decide` could judge on the next signal has its needs listed here: those of the
//       current step, of steps passed through by implied transitions, of steps left automatically, of the step
//       whose attempt is judged, and of the entry where the workflow may start over.
import type { Need } from './criteria/checker.ts';
import { seesLocked } from './decide/permissions.ts';
import type { Actor } from './model/actor.ts';
import type { Facts } from './model/facts.ts';
import { isFinished, type State } from './model/state.ts';
import { type Step, stepAt, type Workflow } from './model/workflow.ts';
import { isUnlocked } from './views/locks.ts';

/** A compiled step belongs to one workflow and never changes, so its needs are worked out once. */
const known = new WeakMap<Step, readonly Need[]>();

export function needsOf(
  workflow: Workflow,
  state: Pick<State, 'current_step' | 'steps' | 'status'>,
): readonly Need[] {
  const current = stepAt(workflow, workflow.index.get(state.current_step) ?? workflow.entry);
  const here = known.get(current) ?? worthKeeping(workflow, current);
  if (!isFinished(state)) return here;
  // A failed or cancelled instance may be resumed from any step that was reached.
  const resumable = workflow.steps.filter(({ index }) => state.steps[index]);
  return distinct([...here, ...judgedIn(workflow, [], resumable).flatMap(needsOfStep)]);
}

/** Of gathered facts, those a caller may hear of: which ones there are tells what a step asks for (V1). */
export function knownTo(workflow: Workflow, state: State, actor: Actor): (facts: Facts) => Facts {
  if (seesLocked(actor)) return (facts) => facts;
  const open = workflow.steps.filter((step) => isUnlocked(state, step)).flatMap(needsOfStep);
  const named = (kind: Need['kind']) =>
    new Set(open.flatMap((need) => (need.kind === kind ? need.name : [])));
  const [memories, customs] = [named('memory'), named('custom')];
  return ({ memory, custom, ...others }) => ({
    ...others,
    ...(memory ? { memory: only(memory, memories) } : {}),
    ...(custom ? { custom: only(custom, customs) } : {}),
  });
}

const only = <T>(values: Readonly<Record<string, T>>, names: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));

function worthKeeping(workflow: Workflow, current: Step): readonly Need[] {
  const restarts = workflow.recovery === 'restart' ? [stepAt(workflow, workflow.entry)] : [];
  const needs = distinct(judgedIn(workflow, [current], restarts).flatMap(needsOfStep));
  known.set(current, needs);
  return needs;
}

/** The steps judged in one commit that acts on some steps and enters others. */
function judgedIn(workflow: Workflow, acted: readonly Step[], entered: readonly Step[]): readonly Step[] {
  const acting = new Set(acted);
  const entering = new Set(entered);
  for (const step of acting) {
    for (const { to, implied } of step.transitions) {
      if (to === null) continue;
      entering.add(stepAt(workflow, to));
      if (implied) acting.add(stepAt(workflow, to));
    }
    if (step.triggers_retry !== null) acting.add(stepAt(workflow, step.triggers_retry));
  }
  for (const step of entering) {
    for (const { to } of step.automatic ? step.transitions : step.auto)
      if (to !== null) entering.add(stepAt(workflow, to));
  }
  const left = [...entering].filter(({ automatic, auto }) => automatic || auto.length > 0);
  return [...new Set([...acting, ...left])];
}

function needsOfStep({ criteria }: Step): readonly Need[] {
  return criteria.flatMap(({ checker, params }) => {
    try {
      return checker.needs?.(params as never) ?? []; // parsed by this checker's own schema when compiled
    } catch {
      return []; // a checker that throws finds no facts, and counts as not met
    }
  });
}

function distinct(needs: readonly Need[]): readonly Need[] {
  const seen = new Map(needs.map((need) => [`${need.kind} ${need.name}`, need]));
  return Object.freeze([...seen.values()]);
}
