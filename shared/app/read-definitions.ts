// The workflows there are, as the caller may see them: the shape for everyone, the texts for admins.
import { type Actor, definitionView, mermaid, seesLocked } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { App } from './app.ts';

export async function listDefinitions(app: App, _caller: Actor) {
  const workflows = await app.definitions.list();
  return {
    items: workflows.map(({ id, version, label, title, description, form, steps, roles, single_active }) => ({
      workflow_id: id,
      version,
      label,
      title,
      description,
      form,
      steps: steps.length,
      roles: Object.keys(roles),
      single_active,
    })),
    next: null,
  };
}

export async function getDefinition(app: App, caller: Actor, workflow_id: string, version?: string) {
  const workflow =
    version === undefined
      ? await app.definitions.current(workflow_id)
      : await app.definitions.version(workflow_id, version);
  if (workflow === null) {
    const which = version === undefined ? '' : ` in version ${version}`;
    throw new Fault('not_found', `There is no workflow "${workflow_id}"${which}.`);
  }
  return { view: definitionView(workflow, caller), mermaid: mermaid(workflow, seesLocked(caller)) };
}
