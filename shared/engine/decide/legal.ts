// Which ways out of the current step an action can take, and which actions a caller has at all.
import type { Actor } from '../model/actor.ts';
import type { State } from '../model/state.ts';
import { type Step, stepAt, type Transition, type Workflow } from '../model/workflow.ts';
import { isOutcome } from '../compile/transitions.ts';
import { actingRole } from './permissions.ts';

/** The transitions on an action from a step: directly, or after implied ones. Shortest first. */
export function pathsOn(workflow: Workflow, from: Step, action: string): Transition[][] {
  const found: Transition[][] = [];
  const seen = new Set([from.index]);
  let open: { step: Step; path: Transition[] }[] = [{ step: from, path: [] }];
  while (open.length > 0 && found.length === 0) {
    const next: typeof open = [];
    for (const { step, path } of open) {
      for (const transition of step.by_on.get(action) ?? []) found.push([...path, transition]);
      for (const transition of step.transitions) {
        if (!transition.implied || transition.to === null || seen.has(transition.to)) continue;
        seen.add(transition.to);
        next.push({ step: stepAt(workflow, transition.to), path: [...path, transition] });
      }
    }
    open = next;
  }
  return found;
}

/** May the caller take every transition of the path? The role of the last one is the acting role. */
export function roleAlong(
  workflow: Workflow,
  state: State,
  from: Step,
  path: readonly Transition[],
  actor: Actor,
  chosen?: string,
): string | null {
  let step = from;
  let role: string | null = null;
  for (const transition of path) {
    role = actingRole(state, step, transition, actor, chosen);
    if (role === null) return null;
    if (transition.to !== null) step = stepAt(workflow, transition.to);
  }
  return role;
}

/** The actions that exist for this caller now: what is not in this list does not exist. */
export function allowedActions(workflow: Workflow, state: State, actor: Actor): string[] {
  const step = workflow.steps[workflow.index.get(state.current_step) ?? -1];
  if (!step || step.final !== null || actingAnyhow(workflow, state, step, actor) === null) return [];
  const actions = new Set(['stay', 'need_input']);
  const open: Step[] = [step];
  const seen = new Set([step.index]);
  for (const at of open) {
    for (const transition of at.transitions) {
      if (transition.auto || actingRole(state, at, transition, actor) === null) continue;
      if (!isOutcome(transition.on)) actions.add(transition.on);
      else if (at === step) actions.add('complete_step');
      if (transition.implied && transition.to !== null && !seen.has(transition.to)) {
        seen.add(transition.to);
        open.push(stepAt(workflow, transition.to));
      }
    }
  }
  return [...actions];
}

/** The role in which the caller may say anything at all on this step. */
export function actingAnyhow(
  workflow: Workflow,
  state: State,
  step: Step,
  actor: Actor,
  chosen?: string,
): string | null {
  const direct = actingRole(state, step, null, actor, chosen);
  if (direct !== null) return direct;
  for (const transition of step.transitions) {
    const role = transition.auto ? null : actingRole(state, step, transition, actor, chosen);
    if (role !== null) return role;
  }
  return null;
}
