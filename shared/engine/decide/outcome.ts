// The engine's two ways to answer a rule: settle (a commit) or refuse (a fault, recorded if it is a violation).
import type { FaultCode, Refusal } from '../../faults.ts';
import type { Missing } from '../criteria/checker.ts';
import type { Decision, Verdict } from '../model/decision.ts';
import type { Signal } from '../model/signal.ts';
import { assign } from './assign.ts';
import { Draft } from './draft.ts';
import { remember } from './key-ring.ts';

type Result = Verdict['result'];

/** A commit with what the draft has become. Whoever is to act next is told. */
export function settle(
  draft: Draft,
  signal: Signal,
  result: Result | null,
  extra: { reason?: string | undefined; missing?: readonly Missing[] } = {},
): Decision {
  const before = draft.from.current_step;
  const moved =
    draft.current !== draft.workflow.index.get(before) || draft.record.entered !== enteredBefore(draft);
  if (moved) announceMove(draft, before);
  if (draft.turn !== draft.from.turn) assign(draft);
  return {
    kind: 'commit',
    state: draft.seal(signal.idempotency),
    events: draft.events,
    notes: draft.notes,
    verdict: {
      result: result ?? resultOf(draft, moved),
      previous_step: before,
      ...(extra.reason === undefined ? {} : { reason: extra.reason }),
      ...(extra.missing === undefined ? {} : { missing_criteria: extra.missing }),
    },
  };
}

/** `step_changed` comes before the event that ends the instance, so that the last word is the end. */
function announceMove(draft: Draft, before: string): void {
  const end = draft.events.findIndex(
    ({ type }) => type === 'workflow.completed' || type === 'workflow.failed',
  );
  const later = end < 0 ? [] : draft.events.splice(end);
  draft.emit('workflow.step_changed', {
    workflow_id: draft.workflow.id,
    previous_step: before,
    current_step: draft.step.id,
    progress: draft.progress(),
  });
  draft.events.push(...later);
}

function enteredBefore(draft: Draft): number | undefined {
  return draft.from.steps[draft.workflow.index.get(draft.from.current_step) ?? -1]?.entered;
}

function resultOf(draft: Draft, moved: boolean): Result {
  const { status } = draft.status;
  if (status === 'completed' || status === 'failed') return status;
  if (status === 'waiting_approval' || status === 'waiting_input') return 'waiting';
  return moved ? 'advanced' : 'stayed';
}

/** Recorded, but nothing else changes: the caller is told what is missing. */
export function block(draft: Draft, signal: Signal, missing: readonly Missing[]): Decision {
  const fresh = new Draft(draft.workflow, draft.from, draft.actor, draft.facts, draft.from.updated_at);
  const reason = missing.map((item) => item.reason).join(' ');
  fresh.emit('workflow.step_blocked', {
    workflow_id: draft.workflow.id,
    current_step: fresh.step.id,
    reason,
    missing_criteria: missing,
  });
  return {
    kind: 'commit',
    state: fresh.seal(signal.idempotency),
    events: fresh.events,
    notes: draft.notes,
    verdict: { result: 'blocked', previous_step: draft.from.current_step, reason, missing_criteria: missing },
  };
}

export function refuse(
  draft: Draft,
  code: FaultCode,
  message: string,
  details?: Record<string, unknown>,
): Decision {
  return refused(draft, { code, message, ...(details ? { details } : {}) });
}

export const refused = ({ notes }: Draft, refusal: Refusal): Decision => ({ kind: 'refuse', refusal, notes });

/** Null if it answers the turn the step is at, or names none. Judged after the role: a stranger to the step learns no turn. */
export function staleTurn(draft: Draft, turn: number | undefined): Decision | null {
  const { step, record } = draft;
  if (turn === undefined || turn === record.turn) return null;
  return refuse(
    draft,
    'stale_turn',
    `This answers turn ${turn}, but step "${step.id}" is at turn ${record.turn}. Read the instance and act on what it asks now.`,
    { turn: record.turn },
  );
}

/** A refusal that stays in the trail: a commit that changes nothing but `seq` and the keys heard. */
export function violate(
  draft: Draft,
  signal: Signal,
  code: FaultCode,
  message: string,
  details?: Record<string, unknown>,
): Decision {
  const { from, actor } = draft;
  const seq = from.seq + 1;
  const body = signal.body as { action?: string; step?: string | number; role?: string }; // read for the record only
  const data = {
    workflow_id: from.workflow_id,
    code,
    message,
    by: actor.sub,
    kind: actor.kind,
    current_step: from.current_step,
    attempted: body.action ?? signal.type,
    ...(body.step === undefined ? {} : { step: body.step }),
    ...(body.role === undefined ? {} : { role: body.role }),
  };
  return {
    kind: 'refuse',
    refusal: { code, message, ...(details ? { details } : {}) },
    record: {
      state: { ...from, seq, keys: remember(from.keys, signal.idempotency, seq) },
      events: [{ type: 'workflow.violation', data }],
    },
    notes: draft.notes,
  };
}
