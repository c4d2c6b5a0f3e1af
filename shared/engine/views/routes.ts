// Where work goes from a step: the way that finishes it, and the step on which it then comes to rest.
import { isOutcome } from '../compile/transitions.ts';
import { type Step, stepAt, type Transition, type Workflow } from '../model/workflow.ts';

/** The way a step is meant to be left by: its required action, "ok", else the first that completes it. */
export function mainWay(step: Step): Transition | null {
  const named = step.required_action === null ? undefined : step.by_on.get(step.required_action)?.[0];
  const manual = step.transitions.filter(({ auto, retry }) => !auto && !retry);
  return (
    named ??
    step.by_on.get('ok')?.[0] ??
    manual.find(({ completes }) => completes) ??
    manual[0] ??
    step.transitions[0] ??
    null
  );
}

/** Follows what happens by itself. Null is the end of the workflow, a final step included. */
export function restingStep(workflow: Workflow, to: number | null): Step | null {
  const seen = new Set<number>();
  let at = to;
  while (at !== null && !seen.has(at)) {
    seen.add(at);
    const step = stepAt(workflow, at);
    if (step.final !== null) return null;
    const way = step.auto[0] ?? (step.automatic ? mainWay(step) : null);
    if (!way) return step;
    at = way.to;
  }
  return at === null ? null : stepAt(workflow, at);
}

/** The step after this one on the way that finishes it. */
export function nextResting(workflow: Workflow, step: Step): Step | null {
  const deciding = decidingStep(workflow, step);
  const way = deciding.final === null ? mainWay(deciding) : null;
  return way ? restingStep(workflow, way.to) : null;
}

/** The step on which something is decided: behind transitions that are implied, such as claiming. */
export function decidingStep(workflow: Workflow, from: Step): Step {
  const seen = new Set([from.index]);
  let step = from;
  for (;;) {
    const open = step.transitions.filter(({ auto }) => !auto);
    const [only] = open;
    if (!only || !open.every(({ implied }) => implied) || only.to === null || seen.has(only.to)) return step;
    seen.add(only.to);
    step = stepAt(workflow, only.to);
  }
}

/** The ways someone may choose between, one for each action. */
export function choices(step: Step): readonly Transition[] {
  const ways = step.transitions.filter(({ auto, implied, on }) => !auto && !implied && on !== '_default');
  return ways.filter(({ on }, index) => ways.findIndex((way) => way.on === on) === index);
}

/** How a transition is asked for in a signal. */
export const askFor = ({ on }: Transition): string =>
  on === 'ok' ? 'complete_step' : isOutcome(on) ? `complete_step with outcome "${on}"` : on;
