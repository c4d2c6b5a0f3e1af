// The first commit: an instance of a workflow, at its entry.
import { paramsFor } from '../compile/params.ts';
import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import { NO_FACTS } from '../model/facts.ts';
import type { IdempotencyKey, StartBody } from '../model/signal.ts';
import type { State } from '../model/state.ts';
import { stepAt, type Workflow } from '../model/workflow.ts';
import { assign } from './assign.ts';
import { beginAttempts } from './attempts.ts';
import { Draft } from './draft.ts';
import { followAutomatic } from './move.ts';
import { RUNNING } from './status-part.ts';

/** Throws a Fault if the parameters do not fit. */
export function begin(
  workflow: Workflow,
  body: StartBody,
  actor: Actor,
  now: string,
  idempotency?: IdempotencyKey,
): Extract<Decision, { kind: 'commit' }> {
  const entry = stepAt(workflow, workflow.entry);
  const blank: State = {
    instance_id: body.instance_id,
    workflow_id: workflow.id,
    definition: workflow.version,
    owner: body.owner ?? actor.sub,
    created_by: actor.sub,
    subject: body.subject ?? null,
    session_name: body.session_name ?? null,
    seq: 0,
    turn: 0,
    created_at: now,
    updated_at: now,
    params: paramsFor(workflow.params, body.params ?? {}),
    current_step: entry.id,
    steps: [],
    shared: {},
    artifacts: {},
    feedback: null,
    retry_count: 0,
    last_error: null,
    keys: [],
    status: 'in_progress',
    claim: null,
  };
  const draft = new Draft(workflow, blank, actor, NO_FACTS, now);
  draft.status = RUNNING;
  const progress = draft.progress();
  draft.emit('workflow.started', { workflow_id: workflow.id, initial_step: entry.id, progress });
  draft.enter(entry, entry.attempts ? { attempts: beginAttempts(draft, entry) } : {});
  followAutomatic(draft, { action: 'START', role: 'system' });
  if (draft.current !== entry.index) {
    draft.emit('workflow.step_changed', {
      workflow_id: workflow.id,
      previous_step: entry.id,
      current_step: draft.step.id,
      progress: draft.progress(),
    });
  }
  assign(draft);
  const state = draft.seal(idempotency);
  const result = state.status === 'completed' || state.status === 'failed' ? state.status : 'advanced';
  return {
    kind: 'commit',
    state,
    events: draft.events,
    notes: draft.notes,
    verdict: { result, previous_step: null },
  };
}
