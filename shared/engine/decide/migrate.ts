// Moving an instance on to another version of its definition: explicit, and only where it fits.
import { misfits, moveTo } from '../migration.ts';
import { isAdmin } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import type { SignalOf } from '../model/signal.ts';
import { isFinished } from '../model/state.ts';
import type { Workflow } from '../model/workflow.ts';
import { beginAttempts } from './attempts.ts';
import { Draft } from './draft.ts';
import { followAutomatic } from './move.ts';
import { refuse, settle, violate } from './outcome.ts';
import { isKeeper } from './permissions.ts';
import { RUNNING } from './status-part.ts';

export function onMigrate(draft: Draft, signal: SignalOf<'migrate'>, to: Workflow | null): Decision {
  const { from, workflow, actor, facts } = draft;
  if (!isKeeper(from, actor))
    return violate(draft, signal, 'role_not_allowed', 'Only the owner or an admin may migrate an instance.');
  if (from.status === 'completed')
    return refuse(draft, 'workflow_finished', 'The instance is completed; it stays on its version.', {
      status: from.status,
    });
  if (to?.id !== workflow.id || to.version !== signal.body.to)
    return refuse(draft, 'not_found', `There is no version "${signal.body.to}" of "${workflow.id}".`);
  if (to.version === workflow.version)
    return refuse(draft, 'invalid_request', `The instance is on version ${to.version} already.`, {
      issues: [{ path: 'version', message: 'is the one it is on' }],
    });
  // Otherwise a gate that a newer version brought could be passed by going back to an older one.
  if (!isAdmin(actor) && to.version !== facts.current_version)
    return violate(
      draft,
      signal,
      'role_not_allowed',
      'Only an admin may move an instance to a version that is not the current one.',
      { current_version: facts.current_version ?? null },
    );
  const problems = misfits(workflow, to, from);
  if (problems.length > 0)
    return refuse(
      draft,
      'step_mismatch',
      `The instance does not fit version ${to.version}: ${problems.map(({ reason }) => reason).join(' ')}`,
      { current_step: from.current_step, problems },
    );
  return moved(new Draft(to, moveTo(to, from), actor, facts, draft.now), signal, workflow);
}

/** Whoever is to act is told anew: roles, agents and instructions may have changed. */
function moved(draft: Draft, signal: SignalOf<'migrate'>, before: Workflow): Decision {
  const { workflow, step, from } = draft;
  draft.emit('workflow.migrated', {
    workflow_id: workflow.id,
    from_version: before.version,
    to_version: workflow.version,
    from_label: before.label,
    to_label: workflow.label,
    by: draft.actor.sub,
    progress: draft.progress(),
  });
  if (from.status !== 'in_progress') return settle(draft, signal, isFinished(from) ? 'stayed' : 'waiting');
  draft.status = RUNNING;
  draft.reassign();
  if (step.attempts && !draft.record.attempts)
    draft.patch({ attempts: beginAttempts(draft, step, draft.turn) });
  followAutomatic(draft, { action: 'MIGRATE', role: 'system' });
  return settle(draft, signal, null);
}
