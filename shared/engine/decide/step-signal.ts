// The signal an agent or a person sends: complete_step, stay, need_input, or an action of the workflow's own.
//   E1  A finished instance never changes.
//   E2  A signal counts only for the turn it answers, so a late or doubled one is harmless.
//   E3  Role is judged before anything else; a false guard or a missing criterion blocks and changes nothing.
import { digestOf } from '../digest.ts';
import type { Decision } from '../model/decision.ts';
import type { SignalOf } from '../model/signal.ts';
import { findStep, type Step, type Transition } from '../model/workflow.ts';
import { act } from './act.ts';
import { openIfDue } from './attempts.ts';
import { guardClaim } from './claims.ts';
import { complete, waysOnOutcome } from './complete.ts';
import type { Draft } from './draft.ts';
import { askForInput } from './input.ts';
import { actingAnyhow, allowedActions, pathsOn, roleAlong } from './legal.ts';
import { merge } from './merge.ts';
import { deliver } from './messages.ts';
import { followAutomatic, type Mover } from './move.ts';
import { block, refuse, settle, staleTurn, violate } from './outcome.ts';
import { requestApproval } from './request-approval.ts';
import { agentOf } from './team.ts';

type StepSignal = SignalOf<'signal'>;
const GENERAL = ['stay', 'need_input', 'complete_step'];

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
  const late = staleTurn(draft, body.turn);
  if (late) return late;
  const taken = guardClaim(draft);
  if (taken) return taken;
  if (!GENERAL.includes(action) && paths.length === 0) {
    return violate(draft, signal, 'invalid_transition', `"${action}" is not possible in step "${step.id}".`, {
      allowed_actions: allowedActions(workflow, from, actor),
      current_step: step.id,
    });
  }
  const early = action === 'stay' ? null : openIfDue(draft);
  if (early) return block(draft, signal, [early]);
  // What comes with an action that passes through implied transitions belongs to the last step; see `act`.
  const passes = (permitted[0]?.length ?? 1) > 1;
  const refused = passes ? null : merge(draft, body);
  if (refused) return refused;
  if (body.reply !== undefined) deliver(draft, 'agent', body.reply);
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
