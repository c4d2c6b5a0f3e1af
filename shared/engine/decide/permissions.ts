// Who may see an instance, and who may act on a step.
//   P1  A step with roles, or a transition with a role, is theirs alone.
//   P2  A step that only names agents takes signals from the owner and from holders of an agent's name.
//   P3  Whoever may not see an instance learns nothing of it.
import { type Actor, holds, isAdmin } from '../model/actor.ts';
import type { State } from '../model/state.ts';
import type { Step, Transition, Workflow } from '../model/workflow.ts';

type Owned = Pick<State, 'owner' | 'created_by'>;

export const isOwner = (state: Owned, actor: Actor): boolean =>
  actor.sub === state.owner || actor.sub === state.created_by;

/** May cancel, resume, fork or move it: the owner, an admin, or Stepgate itself. */
export const isKeeper = (state: Owned, actor: Actor): boolean =>
  actor.kind === 'system' || isOwner(state, actor) || isAdmin(actor);

export function mayRead(workflow: Pick<Workflow, 'audience'>, state: Owned, actor: Actor): boolean {
  if (isKeeper(state, actor)) return true;
  return actor.roles.some((role) => workflow.audience.has(role));
}

/** May see what is locked: instructions and formats of later steps. */
export const seesLocked = (actor: Actor): boolean => actor.kind === 'human' && isAdmin(actor);

/** The roles a signal on this step, or this transition of it, must be sent in; empty when agents and owner act. */
function rolesFor(step: Step, transition: Transition | null): readonly string[] {
  if (transition && transition.roles.length > 0) return transition.roles;
  if (transition === null && step.roles_in_charge.length > 0)
    return [...new Set([...step.roles_in_charge, ...step.roles])];
  return step.roles;
}

/** The role the caller acts in: a held role, an agent's name, "owner"; null if the caller may not act. */
export function actingRole(
  state: Owned,
  step: Step,
  transition: Transition | null,
  actor: Actor,
  chosen?: string,
): string | null {
  if (chosen !== undefined && !holds(actor, chosen)) return null;
  const roles = rolesFor(step, transition);
  if (roles.length > 0) {
    if (chosen !== undefined) return roles.includes(chosen) ? chosen : null;
    return roles.find((role) => holds(actor, role)) ?? null;
  }
  const agents = step.lead === null ? step.agents : [...step.agents, step.lead];
  if (chosen !== undefined && agents.includes(chosen)) return chosen;
  const held = agents.find((agent) => holds(actor, agent));
  if (held !== undefined) return held;
  return isOwner(state, actor) ? 'owner' : null;
}
