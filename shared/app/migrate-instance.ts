// Moves an instance to another version of its definition, or says whether it would fit.
import { type Actor, type Answer, isKeeper, type Misfit, misfits, type State } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { App } from './app.ts';
import { findInstance } from './find-instance.ts';
import type { MigrateRequest } from './schemas-recovery.ts';
import { tell } from './tell.ts';

export interface Fit {
  readonly instance_id: string;
  readonly workflow_id: string;
  readonly from_version: string;
  readonly to_version: string;
  readonly fits: boolean;
  readonly problems: readonly Misfit[];
}

export interface Migrating {
  readonly instance_id: string;
  readonly body: MigrateRequest;
  readonly caller: Actor;
  readonly key?: string | undefined;
}

export async function migrateInstance(
  app: App,
  { instance_id, body, caller, key }: Migrating,
): Promise<Answer | Fit> {
  const { version, dry_run = false, expected_version } = body;
  const { state } = await findInstance(app, instance_id, caller);
  const to = version ?? (await app.definitions.current(state.workflow_id))?.version ?? state.definition;
  if (dry_run) return tryOn(app, state, to, caller);
  const moving = { to, ...(expected_version === undefined ? {} : { expected_version }) };
  return tell(app, { instance_id, type: 'migrate', body: moving, said: body, caller, key });
}

async function tryOn(app: App, state: State, to: string, caller: Actor): Promise<Fit> {
  if (!isKeeper(state, caller))
    throw new Fault('role_not_allowed', 'Only the owner or an admin may migrate an instance.');
  const { instance_id, workflow_id, definition: from_version } = state;
  const [from, target] = await Promise.all(
    [from_version, to].map((version) => app.definitions.version(workflow_id, version)),
  );
  if (!from || !target) throw new Fault('not_found', `There is no version "${to}" of "${workflow_id}".`);
  const problems = [...ended(state), ...misfits(from, target, state)];
  return { instance_id, workflow_id, from_version, to_version: to, fits: problems.length === 0, problems };
}

const ended = ({ status }: State): readonly Misfit[] =>
  status === 'completed'
    ? [
        {
          step: null,
          reason: 'The instance is completed; it stays on its version.',
          fix: 'Fork it, resume the fork from an earlier step, and migrate that.',
        },
      ]
    : [];
