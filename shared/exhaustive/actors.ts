// The callers a walk sends signals as, and its own reading of who may act: written apart from the engine's.
import { ADMIN, type Actor, SYSTEM } from '../engine/model/actor.ts';
import type { Step, Transition, Workflow } from '../engine/model/workflow.ts';

export interface Caller {
  readonly name: string;
  readonly actor: Actor;
}

export const OWNER: Caller = { name: 'owner', actor: { sub: 'walk:owner', kind: 'human', roles: [] } };
const STRANGER: Caller = { name: 'stranger', actor: { sub: 'walk:stranger', kind: 'human', roles: [] } };
export const CLOCK: Caller = { name: 'system', actor: SYSTEM };

/** Every declared role (a person), every agent, the owner, and someone who has no part in it. */
export function callersOf({ roles, steps }: Workflow): readonly Caller[] {
  const agents = new Set(steps.flatMap(({ agents: named, lead }) => (lead ? [...named, lead] : named)));
  const declared = Object.keys(roles).filter((role) => !agents.has(role));
  return [
    ...declared.map((role) => caller(role, 'human')),
    ...[...agents].map((agent) => caller(agent, 'agent')),
    OWNER,
    STRANGER,
  ];
}

const caller = (name: string, kind: 'human' | 'agent'): Caller => ({
  name,
  actor: { sub: `walk:${name}`, kind, roles: [name] },
});

export function approversOf(step: Step): readonly { caller: Caller; may: boolean }[] {
  const roles = [...(step.approval?.roles ?? []), ADMIN];
  return [
    { caller: { name: 'approver', actor: { sub: 'walk:approver', kind: 'human', roles } }, may: true },
    { caller: { name: 'agent-approver', actor: { sub: 'walk:machine', kind: 'agent', roles } }, may: false },
    { caller: STRANGER, may: false },
  ];
}

/** May the caller leave a step this way (or, without a transition, say anything there)? */
export function mayAct(caller: Caller, step: Step, transition: Transition | null): boolean {
  const { actor } = caller;
  if (step.human && actor.kind === 'agent') return false;
  if (transition === null) {
    const ways = step.transitions.filter(({ auto }) => !auto);
    return (
      ways.some((way) => mayAct(caller, step, way)) ||
      mayBe(actor, [...step.roles_in_charge, ...step.roles], step)
    );
  }
  return mayBe(actor, transition.roles.length > 0 ? transition.roles : step.roles, step);
}

function mayBe({ roles, sub }: Actor, wanted: readonly string[], { agents, lead }: Step): boolean {
  if (wanted.length > 0) return wanted.some((role) => roles.includes(role));
  return sub === OWNER.actor.sub || roles.some((role) => role === lead || agents.includes(role));
}
