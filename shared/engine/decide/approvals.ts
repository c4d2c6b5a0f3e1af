// Approvals and overrides: what only a person may do.
//   H1  Agents cannot approve, and nobody approves what they asked for themselves unless the definition says so.
//   H2  An approval is bound to a digest of exactly what was approved, after modifications.
import { digestOf } from '../digest.ts';
import { holds, isAdmin } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import type { JsonObject } from '../model/json.ts';
import type { SignalOf } from '../model/signal.ts';
import { findStep } from '../model/workflow.ts';
import { judge } from './check.ts';
import type { Draft } from './draft.ts';
import { allowedActions, pathsOn } from './legal.ts';
import { decided, fail, openWay, take } from './move.ts';
import { refuse, settle, staleTurn, violate } from './outcome.ts';
import { isOwner } from './permissions.ts';
import { RUNNING } from './status-part.ts';

export function onApprove(draft: Draft, signal: SignalOf<'approve'>): Decision {
  const { step, actor, from, status, record } = draft;
  const { body } = signal;
  if (actor.kind !== 'human')
    return violate(draft, signal, 'human_required', 'An approval needs a person; agents cannot approve.');
  const mayApprove =
    isAdmin(actor) ||
    isOwner(from, actor) ||
    (step.approval?.roles.some((role) => holds(actor, role)) ?? false);
  if (!mayApprove)
    return violate(draft, signal, 'role_not_allowed', `You may not approve step "${step.id}".`, {
      allowed_roles: step.approval?.roles ?? [],
    });
  if (body.step !== undefined && findStep(draft.workflow, body.step)?.id !== step.id) {
    return refuse(
      draft,
      'step_mismatch',
      `The approval is for step "${body.step}", but the current step is "${step.id}".`,
      { current_step: step.id },
    );
  }
  if (status.status !== 'waiting_approval' || record.approval === null)
    return refuse(draft, 'invalid_transition', `Step "${step.id}" is not waiting for an approval.`, {
      allowed_actions: allowedActions(draft.workflow, from, actor),
    });
  const late = staleTurn(draft, body.turn);
  if (late) return late;
  if (record.approval.requested_by === actor.sub && !step.approval?.allow_self) {
    return violate(
      draft,
      signal,
      'self_approval',
      'Whoever asked for the approval cannot give it; another person must.',
    );
  }
  if (body.digest !== undefined && body.digest !== digestOf(record))
    return refuse(
      draft,
      'version_conflict',
      'What you looked at has changed since; read it again, then decide.',
      { digest: digestOf(record) },
    );
  return body.approved ? approve(draft, signal) : reject(draft, signal);
}

function reject(draft: Draft, signal: SignalOf<'approve'>): Decision {
  const { record, actor } = draft;
  const feedback = signal.body.feedback ?? 'Rejected without a comment.';
  const approval = record.approval && {
    ...record.approval,
    approved: false,
    resolved_by: actor.sub,
    resolved_at: draft.now,
    feedback,
  };
  draft.patch({ status: 'in_progress', approval } as Partial<typeof record>);
  draft.status = RUNNING;
  draft.feedback = feedback;
  draft.reassign();
  draft.emit('workflow.approval.resolved', {
    workflow_id: draft.workflow.id,
    step: draft.step.id,
    approved: false,
    by: actor.sub,
    feedback,
    progress: draft.progress(),
  });
  return settle(draft, signal, 'stayed', { reason: feedback });
}

function approve(draft: Draft, signal: SignalOf<'approve'>): Decision {
  const { step, record, actor, status } = draft;
  const { selected_variant, modifications } = signal.body;
  const variants = step.approval?.variants ?? [];
  const invalid = (path: string, message: string) =>
    refuse(draft, 'invalid_request', `${path} ${message}.`, { issues: [{ path, message }] });
  if (step.approval?.type === 'select_variant') {
    if (selected_variant === undefined)
      return invalid('selected_variant', 'is needed: choose the variant to go on with');
    if (variants.length > 0 && !variants.includes(selected_variant))
      return invalid('selected_variant', `must be one of ${variants.join(', ')}`);
  }
  if (status.status !== 'waiting_approval' || record.approval === null)
    return invalid('step', 'is not waiting for an approval');
  const { pending } = status;
  if (modifications) draft.patch(modified(record, modifications));
  draft.patch({
    status: 'in_progress',
    approval: {
      ...record.approval,
      approved: true,
      resolved_by: actor.sub,
      resolved_at: draft.now,
      digest: digestOf(draft.record),
      feedback: signal.body.feedback ?? null,
      modifications: modifications ?? null,
      selected_variant: selected_variant ?? null,
    },
  } as Partial<typeof record>);
  draft.status = RUNNING;
  draft.emit('workflow.approval.resolved', {
    workflow_id: draft.workflow.id,
    step: step.id,
    approved: true,
    by: actor.sub,
    digest: draft.record.approval?.digest,
    ...(modifications ? { modifications } : {}),
    ...(selected_variant === undefined ? {} : { selected_variant }),
    progress: draft.progress(),
  });
  const { missing, failed } = judge(draft, step, draft.record);
  if (missing.length > 0) {
    draft.reassign();
    return settle(draft, signal, 'stayed', {
      reason: missing.map(({ reason }) => reason).join(' '),
      missing,
    });
  }
  const by = { action: pending.action, role: pending.role ?? 'owner', feedback: signal.body.feedback };
  if (failed !== null) {
    fail(draft, failed, by);
    return settle(draft, signal, null, { reason: failed });
  }
  const decides = step.handler.kind === 'decide' || step.handler.kind === 'function';
  const on = pending.action === 'complete_step' ? (pending.outcome ?? 'ok') : pending.action;
  const way = decides
    ? decided(draft, step, null)
    : openWay(draft, step.by_on.get(on) ?? step.by_on.get('_default') ?? []);
  if (!way) {
    draft.reassign();
    return settle(draft, signal, 'stayed', {
      reason: `Approved; "${on}" cannot be taken yet because its guard does not hold.`,
    });
  }
  take(draft, way, by);
  return settle(draft, signal, null);
}

/** A modification replaces the artifact or evidence of that name; anything else is kept with the step's data. */
function modified(record: Draft['record'], modifications: JsonObject): Partial<Draft['record']> {
  const pick = (test: (key: string) => boolean) =>
    Object.fromEntries(Object.entries(modifications).filter(([key]) => test(key)));
  const inArtifacts = (key: string) => Object.hasOwn(record.artifacts, key);
  const inEvidence = (key: string) => Object.hasOwn(record.evidence, key) && !inArtifacts(key);
  return {
    artifacts: { ...record.artifacts, ...pick(inArtifacts) },
    evidence: { ...record.evidence, ...pick(inEvidence) },
    data: { ...record.data, ...pick((key) => !inArtifacts(key) && !inEvidence(key)) },
  };
}

/** A block that is wrong, overruled by an admin who says why. */
export function onOverride(draft: Draft, signal: SignalOf<'override'>): Decision {
  const { step, actor, record, workflow } = draft;
  const { reason, action, outcome } = signal.body;
  if (!isAdmin(actor))
    return violate(draft, signal, 'role_not_allowed', 'Only an admin may override a block.');
  if (actor.kind !== 'human') return violate(draft, signal, 'human_required', 'An override needs a person.');
  const late = staleTurn(draft, signal.body.turn);
  if (late) return late;
  if (
    draft.status.status === 'waiting_approval' &&
    record.approval?.requested_by === actor.sub &&
    !step.approval?.allow_self
  ) {
    return violate(
      draft,
      signal,
      'self_approval',
      'Whoever asked for the approval cannot override it; another admin must.',
    );
  }
  const on = action ?? outcome ?? 'ok';
  const path = pathsOn(workflow, step, on)[0] ?? step.by_on.get('_default')?.slice(0, 1);
  if (!path)
    return refuse(draft, 'invalid_transition', `"${on}" is not a way out of "${step.id}".`, {
      allowed_actions: [...step.by_on.keys()],
    });
  draft.patch({ status: 'in_progress', overridden: { by: actor.sub, reason, at: draft.now } } as Partial<
    typeof record
  >);
  draft.status = RUNNING;
  draft.emit('workflow.overridden', { workflow_id: workflow.id, step: step.id, by: actor.sub, reason, on });
  for (const way of path)
    if (draft.step.transitions.includes(way)) take(draft, way, { action: 'OVERRIDE', role: 'admin' });
  return settle(draft, signal, null, { reason });
}
