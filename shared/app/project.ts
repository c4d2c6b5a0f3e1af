// What lists show of an instance, from the newest of its commits in a batch.
//   LI1  One write per instance and batch; the listing's own guard on `seq` makes late and repeated ones harmless.
//   LI2  The inbox holds an instance for each role and agent it waits for; none while it waits for its owner.
import {
  assignees,
  currentStep,
  isFinished,
  progressOf,
  recordOf,
  type State,
  type Workflow,
} from '../engine/index.ts';
import type { Definitions, Head, Listings, Sessions } from '../ports.ts';
import type { Scope } from './publish-told.ts';
import { committedFrom, scopeNow } from './session-scope.ts';

export interface ProjectPorts {
  readonly listings: Pick<Listings, 'project'>;
  readonly definitions: Pick<Definitions, 'version'>;
  readonly sessions: Pick<Sessions, 'closingOf'>;
}

/** Projects one state, unless its session was cancelled. Throws if its definition or the store cannot be reached. */
export async function project(
  { listings, definitions, sessions }: ProjectPorts,
  state: State,
  hash = '',
): Promise<void> {
  const scope = await scopeNow(sessions, state);
  if (scope === 'nowhere') return;
  const workflow = await definitions.version(state.workflow_id, state.definition);
  if (workflow === null)
    throw new Error(`version ${state.definition} of "${state.workflow_id}" is not in the store`);
  await listings.project(headOf(workflow, state, scope), hash);
}

export function headOf(workflow: Workflow, state: State, scope: Scope = 'session'): Head {
  const assigned_to = waitsFor(workflow, state);
  return {
    instance_id: state.instance_id,
    workflow_id: state.workflow_id,
    definition_version: state.definition,
    version: state.seq,
    status: state.status,
    current_step: state.current_step,
    percent: progressOf(workflow, state).percent,
    owner: state.owner,
    created_by: state.created_by,
    subject: state.subject,
    session_name: state.session_name,
    ...committedFrom(state, scope),
    created_at: state.created_at,
    updated_at: state.updated_at,
    assigned_to,
    assigned_at: waitingSince(workflow, state),
  };
}

/** LI2. A name that no step of the workflow needs is nobody's: `owner` stands for the owner. */
function waitsFor(workflow: Workflow, state: State): readonly string[] {
  if (isFinished(state) || state.status === 'waiting_input') return [];
  const step = currentStep(workflow, state);
  const named =
    state.status === 'waiting_approval'
      ? (step.approval?.roles ?? [])
      : assignees(step, recordOf(state, step) ?? { agents_done: [] });
  return [...new Set(named)].filter((name) => workflow.audience.has(name));
}

/** Since the step was entered or its approval asked for: a task given back keeps its place in the queue. */
function waitingSince(workflow: Workflow, state: State): string {
  const record = recordOf(state, currentStep(workflow, state));
  const asked = state.status === 'waiting_approval' ? record?.approval?.requested_at : undefined;
  return asked ?? record?.started_at ?? state.updated_at;
}
