// Writes the next commit of an instance. One that brings a finished instance back to life takes the owner's active
// pointer with it, where a workflow allows one active instance per owner.
//   RV1  Of resuming one and starting another, at the same time, one is refused: both write the pointer.
import { isFinished, type Workflow } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Entry, NewCommit } from '../ports.ts';
import type { App } from './app.ts';
import { scopeNow } from './session-scope.ts';
import { activeOf, alreadyActive } from './start-claims.ts';

const TRIES = 10;

export async function appendOrRevive(app: App, workflow: Workflow, commit: NewCommit, before: Entry) {
  const { state } = commit;
  const revives = isFinished(before.commit.state) && !isFinished(state);
  if (!revives || !workflow.single_active || (await scopeNow(app.sessions, state)) === 'session')
    return app.log.append(commit, before);
  for (let tries = 0; tries < TRIES; tries++) {
    const { claim, active } = await activeOf(app, state.owner, state.workflow_id);
    if (active !== null && active.instance_id !== state.instance_id) throw alreadyActive(active);
    const written = await app.log.revive(commit, before, claim);
    if (!('taken' in written)) return written;
    await app.chance.backOff(tries + 1);
  }
  throw new Fault(
    'version_conflict',
    `Others start "${workflow.id}" for the same owner right now. Try again.`,
  );
}
