// The commit behind an answer: what the state was right after it. No request if this process has just written it.
import type { Answer, Workflow } from '../engine/index.ts';
import type { Entry } from '../ports.ts';
import type { App } from './app.ts';
import { workflowOf } from './find-instance.ts';

export interface After {
  readonly entry: Entry;
  readonly workflow: Workflow;
}

export async function after(app: App, { instance_id, version }: Answer): Promise<After> {
  const warm = app.warm.get(instance_id);
  const entry = warm?.commit.seq === version ? warm : await app.log.at(instance_id, version);
  if (entry === null) throw new Error(`commit ${version} of "${instance_id}" is not in the log`);
  return { entry, workflow: await workflowOf(app, entry.commit.state) };
}
