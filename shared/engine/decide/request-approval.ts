// Asking a person: the instance waits, and remembers exactly what was asked about and by whom.
import { digestOf } from '../digest.ts';
import type { Decision } from '../model/decision.ts';
import type { SignalOf } from '../model/signal.ts';
import type { Draft } from './draft.ts';
import type { Mover } from './move.ts';
import { settle } from './outcome.ts';

type StepSignal = SignalOf<'signal'>;

export function requestApproval(
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
  announceApproval(draft);
  return settle(draft, signal, 'waiting', { reason: `Step "${step.id}" waits for a person's approval.` });
}

export function announceApproval(draft: Draft): void {
  const { step, record } = draft;
  draft.emit('workflow.approval.requested', {
    workflow_id: draft.workflow.id,
    step: step.id,
    approval_type: step.approval?.type ?? 'approve',
    requested_by: record.approval?.requested_by,
    digest: record.approval?.digest,
    artifacts: record.artifacts,
    variants: step.approval?.variants ?? [],
    prompt: step.approval?.prompt ?? '',
    progress: draft.progress(),
  });
}

export const onlyApproval = (missing: readonly { type: string }[]): boolean =>
  missing.every(({ type }) => type === 'human_approval');
