// Steps that several agents share: for whom a signal speaks, and who has done their part.
import { holds } from '../model/actor.ts';
import type { Draft } from './draft.ts';
import { isOwner } from './permissions.ts';

/** Notes which agent has finished its part of a shared step. */
export function reportOf(
  draft: Draft,
  agent: string | null,
): 'alone' | 'reported' | 'joined' | 'out of turn' | 'handed over' {
  const { step, record } = draft;
  if (step.teamwork === 'any' || agent === null || !step.agents.includes(agent)) return 'alone';
  const isNew = !record.agents_done.includes(agent);
  if (step.teamwork === 'sequence') {
    const next = step.agents.find((name) => !record.agents_done.includes(name));
    if (next !== undefined && next !== agent) return 'out of turn';
    const done = isNew ? [...record.agents_done, agent] : record.agents_done;
    if (done.length < step.agents.length) {
      draft.patch({ agents_done: done });
      draft.reassign();
      return 'handed over';
    }
    return 'alone';
  }
  if (!isNew) return 'reported';
  const done = [...record.agents_done, agent];
  draft.patch({ agents_done: done });
  return done.length === step.agents.length ? 'joined' : 'reported';
}

/** The agent a signal speaks for: named, held, or next in line; null if none, false if not the caller's to name. */
export function agentOf(draft: Draft, named: string | undefined): string | null | false {
  const { step, actor, from, record } = draft;
  const all = step.lead === null ? step.agents : [...step.agents, step.lead];
  const mine = all.filter((agent) => holds(actor, agent));
  if (named !== undefined) {
    const known = all.includes(named);
    if (!known) return all.length === 0 ? null : false;
    return mine.includes(named) || isOwner(from, actor) || step.roles.some((role) => holds(actor, role))
      ? named
      : false;
  }
  const open = step.agents.find((agent) => !record.agents_done.includes(agent));
  if (mine.length > 0) return mine.find((agent) => !record.agents_done.includes(agent)) ?? mine[0] ?? null;
  return step.teamwork === 'sequence' ? (open ?? null) : null;
}
