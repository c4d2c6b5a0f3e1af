// The signal an agent or a person sends: complete_step, stay, need_input, or an action of the workflow's own.
//   E1  A finished instance never changes.
//   E2  A signal counts only for the turn it answers, so a late or doubled one is harmless.
//   E3  Role is judged before anything else; a false guard or a missing criterion blocks and changes nothing.
import type { Decision } from '../model/decision.ts';
import type { SignalOf } from '../model/signal.ts';
import { findStep, type Step, type Transition } from '../model/workflow.ts';
import { digestOf } from '../digest.ts';
import { isOutcome } from '../compile/transitions.ts';
import { openIfDue } from './attempts.ts';
import { judge } from './check.ts';
import { guardClaim, leaseOn } from './claims.ts';
import type { Draft } from './draft.ts';
import { askForInput } from './input.ts';
import { actingAnyhow, allowedActions, pathsOn, roleAlong } from './legal.ts';
import { merge } from './merge.ts';
import { decided, fail, followAutomatic, guardsMissing, type Mover, openWay, take } from './move.ts';
import { block, refuse, settle, violate } from './outcome.ts';
import { isOwner } from './permissions.ts';
import { holds } from '../model/actor.ts';

type StepSignal = SignalOf<'signal'>;
const GENERAL = ['stay', 'need_input', 'complete_step'];
const SIGNALLED_OUTCOMES = ['ok', 'fail', 'skip', 'iterate'];

export function onSignal(draft: Draft, signal: StepSignal): Decision {
  const { body } = signal;
  const { workflow, from, actor, step } = draft;
  const action = body.action ?? 'stay';
  const paths =
    action === 'complete_step'
      ? waysOnOutcome(step, body.outcome).map((way) => [way])
      : GENERAL.includes(action)
        ? []
        : pathsOn(workflow, step, action);
  const permitted = paths.filter((path) => roleAlong(workflow, from, step, path, actor, body.role) !== null);
  const general = actingAnyhow(workflow, from, step, actor, body.role);
  const role = permitted[0]
    ? roleAlong(workflow, from, step, permitted[0], actor, body.role)
    : paths.length > 0
      ? null
      : general;
  if (role === null)
    return violate(draft, signal, 'role_not_allowed', notYours(step, action, body.role), {
      allowed_roles: whoMay(step, paths),
      current_step: step.id,
    });
  if (step.human && actor.kind !== 'human')
    return violate(
      draft,
      signal,
      'human_required',
      `Step "${step.id}" is a person's; agents cannot act on it.`,
    );
  const agent = agentOf(draft, body.agent);
  if (agent === false)
    return violate(
      draft,
      signal,
      'role_not_allowed',
      `You do not act for the agent "${body.agent}" of step "${step.id}".`,
      { agents: step.agents },
    );
  if (body.step !== undefined && findStep(workflow, body.step)?.id !== step.id)
    return mismatch(draft, signal, body.step);
  if (body.turn !== undefined && body.turn !== draft.record.turn) {
    return refuse(
      draft,
      'stale_turn',
      `This signal answers turn ${body.turn}, but step "${step.id}" is at turn ${draft.record.turn}. Read the instance and act on what it asks now.`,
      { turn: draft.record.turn },
    );
  }
  const taken = guardClaim(draft);
  if (taken) return taken;
  if (!GENERAL.includes(action) && paths.length === 0) {
    return violate(draft, signal, 'invalid_transition', `"${action}" is not possible in step "${step.id}".`, {
      allowed_actions: allowedActions(workflow, from, actor),
      current_step: step.id,
    });
  }
  if (action !== 'stay' && !openIfDue(draft)) {
    return block(draft, signal, [
      {
        type: 'attempt',
        reason: `Attempt ${draft.record.attempts?.current} opens at ${draft.record.attempts?.opens_at}.`,
        opens_at: draft.record.attempts?.opens_at,
      },
    ]);
  }
  const refused = merge(draft, body);
  if (refused) return refused;
  const by: Mover = { action, role: agent ?? role, feedback: body.feedback };
  const only = paths.length > 0 ? permitted.flat() : undefined;
  if (action === 'stay') return stay(draft, signal, by);
  if (action === 'need_input') return askForInput(draft, signal);
  if (draft.status.status === 'waiting_input') {
    return block(draft, signal, [
      { type: 'input', reason: "The step waits for a person's answer; it goes on once that is there." },
    ]);
  }
  return action === 'complete_step'
    ? complete(draft, signal, agent, { ...by, only })
    : act(draft, signal, permitted, by);
}

/** Work that changes while it waits for an approval is asked about again, by whoever changed it. */
function stay(draft: Draft, signal: StepSignal, by: Mover): Decision {
  const { status, record } = draft;
  if (status.status !== 'waiting_approval' || record.approval?.digest === digestOf(record))
    return onward(draft, signal, by);
  const { action, role } = status.pending;
  return requestApproval(draft, signal, { action, role: role ?? 'owner' }, status.pending.outcome);
}

/** What was sent may be what an automatic transition was waiting for. */
function onward(draft: Draft, signal: StepSignal, by: Mover): Decision {
  const { turn } = draft;
  followAutomatic(draft, by);
  return settle(draft, signal, draft.turn === turn && draft.status.status !== 'completed' ? 'stayed' : null);
}

/** An action of the workflow: the first permitted path whose guards hold, all of it in one commit. */
function act(draft: Draft, signal: StepSignal, paths: readonly Transition[][], by: Mover): Decision {
  const start = draft.step;
  const path = paths.find(([first]) => first !== undefined && openWay(draft, [first]) !== undefined);
  if (!path)
    return block(
      draft,
      signal,
      guardsMissing(
        draft,
        paths.flatMap((way) => way.slice(0, 1)),
      ),
    );
  for (const [position, transition] of path.entries()) {
    const last = position === path.length - 1;
    if (
      transition.feedback_required &&
      !signal.body.feedback &&
      !(draft.feedback !== null && receives(draft.step, transition))
    ) {
      return block(draft, signal, [
        { type: 'feedback', reason: `${transition.on} needs feedback that says why; send it in "feedback".` },
      ]);
    }
    if (position > 0 && last) merge(draft, signal.body);
    if (position > 0 && openWay(draft, [transition]) === undefined)
      return block(draft, signal, guardsMissing(draft, [transition]));
    const { missing } = transition.completes ? judge(draft, draft.step, draft.record) : { missing: [] };
    if (missing.length > 0) {
      if (last && position === 0 && onlyApproval(missing)) return requestApproval(draft, signal, by);
      return block(draft, signal, missing);
    }
    take(draft, transition, { ...by, action: transition.on, feedback: last ? by.feedback : undefined });
    if (transition.claims && last) leaseOn(draft, { role: by.role, agent: null });
  }
  validated(draft, signal, start, by);
  return settle(draft, signal, null);
}

/** Whoever revises was given feedback; whoever rejects has to give it. */
const receives = (step: Step, { implied, roles }: Transition): boolean =>
  implied || (roles.length > 0 && !roles.some((role) => step.roles.includes(role)));

/** complete_step: the criteria, then the outcome's way out. */
function complete(draft: Draft, signal: StepSignal, agent: string | null, by: Mover): Decision {
  const { step } = draft;
  const outcome = outcomeOf(step, signal.body.outcome);
  if (outcome === null) {
    return refuse(
      draft,
      'invalid_request',
      `"${signal.body.outcome}" is not an outcome; send ok, fail, skip or iterate.`,
      { issues: [{ path: 'outcome', message: 'must be ok, fail, skip or iterate' }] },
    );
  }
  if (outcome === 'fail') {
    fail(draft, signal.body.feedback ?? 'The agent reported a failure.', by);
    return settle(draft, signal, null, { reason: draft.last_error ?? undefined });
  }
  const decides = step.handler.kind === 'decide' || step.handler.kind === 'function';
  const ways = by.only;
  if (!decides && !ways) {
    const message =
      outcome === 'skip'
        ? `Step "${step.id}" is required and cannot be skipped.`
        : `Step "${step.id}" has no way on for the outcome "${outcome}".`;
    return violate(draft, signal, 'invalid_transition', message, {
      allowed_actions: allowedActions(draft.workflow, draft.from, draft.actor),
      allowed_outcomes: [...step.by_on.keys()].filter(isOutcome),
      current_step: step.id,
    });
  }
  const free = outcome === 'skip' && !step.required;
  if (!decides && ways && (free || !ways.some(({ completes }) => completes))) {
    if (outcome === 'iterate')
      draft.patch({
        state: { ...draft.record.state, iteration: Number(draft.record.state.iteration ?? 1) + 1 },
      });
    return leave(draft, signal, ways, by);
  }
  const team = reportOf(draft, agent);
  if (team === 'out of turn') {
    const first = step.agents.find((name) => !draft.record.agents_done.includes(name));
    return block(draft, signal, [
      {
        type: 'all_agents',
        reason: `The agents of "${step.id}" work one after the other; ${first} is next.`,
        waiting_for: [first],
      },
    ]);
  }
  if (team === 'handed over')
    return settle(draft, signal, 'stayed', {
      reason: `Handed on to ${step.agents.find((name) => !draft.record.agents_done.includes(name))}.`,
    });
  const { missing, failed } = judge(draft, step, draft.record);
  if (missing.length > 0) {
    if (onlyApproval(missing)) return requestApproval(draft, signal, by);
    if (team === 'reported')
      return settle(draft, signal, 'stayed', {
        reason: missing.map(({ reason }) => reason).join(' '),
        missing,
      });
    return block(draft, signal, missing);
  }
  if (failed !== null) {
    fail(draft, failed, { ...by, only: undefined, feedback: signal.body.feedback ?? failed });
    return settle(draft, signal, null, { reason: failed });
  }
  if (!decides) return leave(draft, signal, ways ?? [], by);
  const way = decided(draft, step, null);
  return way
    ? leave(draft, signal, [way], by)
    : block(draft, signal, [
        { type: 'decision', reason: `The decision of "${step.id}" led nowhere; tell an operator.` },
      ]);
}

/** Takes the first way whose guard holds, or says which guards do not. */
export function leave(
  draft: Draft,
  signal: SignalOf<'signal' | 'approve'>,
  ways: readonly Transition[],
  by: Mover,
): Decision {
  const way = openWay(draft, ways);
  if (!way) return block(draft, signal as StepSignal, guardsMissing(draft, ways));
  take(draft, way, by);
  return settle(draft, signal as StepSignal, null);
}

function requestApproval(
  draft: Draft,
  signal: StepSignal,
  by: Mover,
  outcome = signal.body.outcome ?? null,
): Decision {
  const { step, record, actor } = draft;
  const digest = digestOf(record);
  const repeated = draft.status.status === 'waiting_approval' && record.approval?.digest === digest;
  const asked = repeated ? record.approval : null; // asking again for the same work does not change who asked
  draft.patch({
    status: 'waiting_approval',
    approval: {
      approved: false,
      requested_by: asked?.requested_by ?? actor.sub,
      requested_at: asked?.requested_at ?? draft.now,
      resolved_by: null,
      resolved_at: null,
      digest,
      feedback: null,
      modifications: null,
      selected_variant: null,
    },
  } as Partial<typeof record>);
  draft.status = {
    status: 'waiting_approval',
    pending: { action: by.action, outcome, role: by.role },
  };
  draft.emit('workflow.approval.requested', {
    workflow_id: draft.workflow.id,
    step: step.id,
    approval_type: step.approval?.type ?? 'approve',
    requested_by: asked?.requested_by ?? actor.sub,
    digest,
    artifacts: record.artifacts,
    variants: step.approval?.variants ?? [],
    prompt: step.approval?.prompt ?? '',
    progress: draft.progress(),
  });
  return settle(draft, signal, 'waiting', { reason: `Step "${step.id}" waits for a person's approval.` });
}

/** The seed's validation answer, as an event. */
function validated(draft: Draft, signal: StepSignal, start: Step, by: Mover): void {
  draft.emit('workflow.validation.completed', {
    task_id: draft.from.instance_id,
    action: signal.body.action,
    actor_role: by.role,
    status: 'accepted',
    previous_state: start.id,
    current_state: draft.step.id,
    next_role: draft.step.roles_in_charge[0] ?? null,
    next_action: draft.step.final === null ? draft.step.required_action : null,
  });
}

/** Notes which agent has finished its part of a shared step. */
function reportOf(draft: Draft, agent: string | null): 'alone' | 'reported' | 'out of turn' | 'handed over' {
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
  if (isNew) draft.patch({ agents_done: [...record.agents_done, agent] });
  return 'reported';
}

/** The agent a signal speaks for: named, held, or next in line; null if none, false if not the caller's to name. */
function agentOf(draft: Draft, named: string | undefined): string | null | false {
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

/** The ways an outcome may lead; none if the step's own handler decides where to go. */
function waysOnOutcome(step: Step, given: string | undefined): readonly Transition[] {
  const outcome = outcomeOf(step, given);
  const decides = step.handler.kind === 'decide' || step.handler.kind === 'function';
  if (outcome === null || (decides && outcome !== 'fail')) return [];
  return step.by_on.get(outcome) ?? step.by_on.get('_default') ?? [];
}

function outcomeOf(step: Step, given: string | undefined): string | null {
  if (given === undefined) return 'ok';
  if (SIGNALLED_OUTCOMES.includes(given)) return given;
  const mapped =
    step.handler.kind === 'dispatch'
      ? Object.entries(step.handler.outcomes).find(([name]) => name.toLowerCase() === given.toLowerCase())
      : undefined;
  return mapped?.[1] ?? null;
}

function mismatch(draft: Draft, signal: StepSignal, name: string | number): Decision {
  const { workflow, from, step } = draft;
  const named = findStep(workflow, name);
  const record = named ? from.steps[named.index] : null;
  const locked = named !== undefined && (!record || record.status === 'pending');
  const message = `The signal is for step "${name}", but the current step is "${step.id}". ${locked ? `Complete "${step.id}" first.` : `Send it for "${step.id}", or leave "step" out.`}`;
  const details = { current_step: step.id, requested_step: name };
  return locked
    ? violate(draft, signal, 'step_mismatch', message, details)
    : refuse(draft, 'step_mismatch', message, details);
}

const onlyApproval = (missing: readonly { type: string }[]): boolean =>
  missing.every(({ type }) => type === 'human_approval');

function notYours(step: Step, action: string, role: string | undefined): string {
  const who =
    step.roles_in_charge.length > 0
      ? step.roles_in_charge.join(' or ')
      : step.agents.length > 0
        ? `the owner, ${step.agents.join(', ')}`
        : 'the owner';
  return `${role ? `The role "${role}"` : 'You'} may not ${GENERAL.includes(action) ? `act on step "${step.id}"` : action}; that is for ${who}.`;
}

function whoMay(step: Step, paths: readonly Transition[][]): readonly string[] {
  const asked = paths.flat().flatMap(({ roles }) => roles);
  return asked.length > 0
    ? [...new Set(asked)]
    : step.roles_in_charge.length > 0
      ? step.roles_in_charge
      : step.agents;
}
