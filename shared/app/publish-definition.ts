// Publishing a definition, and the versions there are of one.
//   PD1  What does not prove is refused with the whole report, and nothing is written.
import { type Actor, isAdmin, load, plainJson } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Published, VersionEntry } from '../ports.ts';
import type { App } from './app.ts';
import { idempotencyOf } from './idempotency.ts';

export interface Publication extends VersionEntry {
  readonly workflow_id: string;
  readonly change: Published['change'];
  readonly replayed?: true;
}

export async function publishDefinition(
  app: Pick<App, 'definitions' | 'chance'>,
  {
    workflow_id,
    body,
    caller,
    key,
  }: { workflow_id: string; body: unknown; caller: Actor; key?: string | undefined },
): Promise<Publication> {
  if (!isAdmin(caller)) throw new Fault('role_not_allowed', 'Only an admin may publish a definition.');
  const under = idempotencyOf(key, caller.sub, ['publish', workflow_id, body]);
  const definition = plainJson(body, 'definition');
  const named =
    typeof definition === 'object' && definition !== null && 'id' in definition ? definition.id : workflow_id;
  if (named !== workflow_id) {
    const message = `must be "${workflow_id}", as in the path, or be left out`;
    throw new Fault('invalid_request', `id ${message}.`, { issues: [{ path: 'id', message }] });
  }
  const workflow = load(definition, { name: workflow_id }); // PD1
  const by = { sub: caller.sub, at: app.chance.now(), under };
  const { entry, ...published } = await app.definitions.publish(workflow, by);
  return { workflow_id, ...entry, ...published };
}

export async function listVersions(app: Pick<App, 'definitions'>, workflow_id: string) {
  const [versions, current] = await Promise.all([
    app.definitions.versions(workflow_id),
    app.definitions.current(workflow_id),
  ]);
  if (versions.length === 0) throw new Fault('not_found', `There is no workflow "${workflow_id}".`);
  return {
    workflow_id,
    items: versions.map((entry) => ({ ...entry, current: entry.version === current?.version })),
    next: null,
  };
}
