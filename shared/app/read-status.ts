// The state schema's get_workflow_status: an instance in eight fields, on a fresh consistent read.
import { type Actor, workflowStatus } from '../engine/index.ts';
import type { App } from './app.ts';
import { findInstance } from './find-instance.ts';

export async function status(app: App, id: string, caller: Actor) {
  const { workflow, state } = await findInstance(app, id, caller);
  return workflowStatus(workflow, state);
}
