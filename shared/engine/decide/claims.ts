// Claims: a pending task taken by one agent for the length of a lease.
//   L1  While a lease runs, only its holder may act; once it has run out, as if it had never been.
//   L2  A claiming transition and a claim are one thing.
import type { Decision } from '../model/decision.ts';
import type { SignalOf } from '../model/signal.ts';
import type { Claim } from '../model/state.ts';
import { actingAnyhow, roleAlong } from './legal.ts';
import type { Draft } from './draft.ts';
import { judge } from './check.ts';
import { openWay, take } from './move.ts';
import { block, refuse, settle, staleTurn, violate } from './outcome.ts';
import { agentOf } from './team.ts';

/** The claim in force at an instant, if any. */
export function liveClaim(state: { status: string; claim?: Claim | null }, now: string): Claim | null {
  const claim = state.status === 'in_progress' ? (state.claim ?? null) : null;
  return claim !== null && Date.parse(claim.until) > Date.parse(now) ? claim : null;
}

/** L1, for anyone but the holder. */
export function guardClaim(draft: Draft): Decision | null {
  const claim = liveClaim(draft.status, draft.now);
  if (claim === null || claim.by === draft.actor.sub) return null;
  return refuse(
    draft,
    'not_holder',
    `"${draft.step.id}" is claimed until ${claim.until}; only its holder may act.`,
    { claimed_until: claim.until },
  );
}

export function leaseOn(
  draft: Draft,
  { role, agent }: { role: string | null; agent: string | null },
  seconds = draft.step.lease_seconds,
): void {
  if (draft.status.status !== 'in_progress') return;
  const until = new Date(Date.parse(draft.now) + seconds * 1000).toISOString();
  draft.status = { status: 'in_progress', claim: { by: draft.actor.sub, role, agent, at: draft.now, until } };
  draft.emit('workflow.task.claimed', {
    task_id: draft.from.instance_id,
    step: draft.step.id,
    by: draft.actor.sub,
    role,
    lease_until: until,
  });
}

export function onClaim(draft: Draft, signal: SignalOf<'claim'>): Decision {
  const { workflow, from, step, actor } = draft;
  const { body } = signal;
  const role = actingAnyhow(workflow, from, step, actor, body.role);
  if (role === null)
    return violate(draft, signal, 'role_not_allowed', `Step "${step.id}" is not yours to claim.`, {
      allowed_roles: step.roles_in_charge,
    });
  if (step.human && actor.kind !== 'human')
    return violate(
      draft,
      signal,
      'human_required',
      `Step "${step.id}" is a person's; agents cannot claim it.`,
    );
  const agent = body.agent === undefined ? null : agentOf(draft, body.agent);
  if (agent === false)
    return violate(
      draft,
      signal,
      'role_not_allowed',
      `You do not act for the agent "${body.agent}" of step "${step.id}".`,
      { agents: step.agents },
    );
  const late = staleTurn(draft, body.turn);
  if (late) return late;
  if (draft.status.status !== 'in_progress')
    return refuse(
      draft,
      'invalid_transition',
      `Step "${step.id}" is ${draft.status.status}; there is nothing to claim.`,
    );
  if (step.teamwork === 'all')
    return settle(draft, signal, 'stayed', {
      reason: `The agents of "${step.id}" work side by side; there is nothing to claim.`,
    });
  const claim = liveClaim(draft.status, draft.now);
  if (claim !== null && claim.by !== actor.sub) {
    return refuse(
      draft,
      'already_claimed',
      `"${step.id}" is claimed until ${claim.until}. Take another task, or try again then.`,
      { claimed_until: claim.until },
    );
  }
  const claiming = step.transitions.find(
    (transition) =>
      transition.claims && roleAlong(workflow, from, step, [transition], actor, body.role) !== null,
  );
  if (claiming) {
    const { missing } = judge(draft, step, draft.record);
    if (missing.length > 0) return block(draft, signal, missing);
    if (!openWay(draft, [claiming]))
      return block(draft, signal, [{ type: 'guard', reason: `The guard of ${claiming.on} does not hold.` }]);
  }
  if (claiming) take(draft, claiming, { action: claiming.on, role });
  leaseOn(draft, { role, agent }, body.lease_seconds);
  return settle(draft, signal, null);
}

export function onRelease(draft: Draft, signal: SignalOf<'release'>): Decision {
  const refused = notMine(draft, signal);
  if (refused) return refused;
  draft.status = { status: 'in_progress', claim: null };
  draft.emit('workflow.task.released', {
    task_id: draft.from.instance_id,
    step: draft.step.id,
    by: draft.actor.sub,
    reason: signal.body.reason ?? null,
  });
  draft.reassign();
  return settle(draft, signal, 'stayed');
}

export function onHeartbeat(draft: Draft, signal: SignalOf<'heartbeat'>): Decision {
  const refused = notMine(draft, signal);
  if (refused) return refused;
  const { status } = draft;
  const claim = status.status === 'in_progress' ? status.claim : null;
  if (claim) {
    const until = new Date(
      Date.parse(draft.now) + (signal.body.lease_seconds ?? draft.step.lease_seconds) * 1000,
    ).toISOString();
    draft.status = { status: 'in_progress', claim: { ...claim, until } };
  }
  return settle(draft, signal, 'stayed');
}

/** Null if the caller holds the claim that is in force. Role is judged first, then the turn, then who holds it. */
function notMine(draft: Draft, signal: SignalOf<'release'> | SignalOf<'heartbeat'>): Decision | null {
  const { workflow, from, step, actor } = draft;
  const claim = liveClaim(draft.status, draft.now);
  const holder = claim?.by === actor.sub;
  if (!holder && actingAnyhow(workflow, from, step, actor) === null)
    return violate(draft, signal, 'role_not_allowed', `Step "${step.id}" is not yours to hold.`, {
      allowed_roles: step.roles_in_charge,
    });
  const late = staleTurn(draft, signal.body.turn);
  if (late || holder) return late;
  // Where silence ends an attempt, a sign of life needs no lease.
  if (claim === null && signal.type === 'heartbeat' && step.attempts?.heartbeat_seconds) return null;
  return refuse(
    draft,
    'not_holder',
    claim
      ? `"${step.id}" is claimed by someone else until ${claim.until}.`
      : `You hold no claim on "${step.id}"; claim it first.`,
  );
}
