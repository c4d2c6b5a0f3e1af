// The metrics of one instance, counted over its whole log.
import { type Actor, Meter, type WorkflowMetrics } from '../engine/index.ts';
import type { App } from './app.ts';
import { findInstance, workflowOf } from './find-instance.ts';

type Ports = Pick<App, 'log' | 'definitions' | 'sessions'>;

const PAGE = 200;

export async function readMetrics(
  app: Ports,
  instance_id: string,
  caller: Actor,
): Promise<{ readonly workflow_metrics: WorkflowMetrics }> {
  await findInstance(app, instance_id, caller);
  return { workflow_metrics: await measure(app, instance_id) };
}

/** Up to a commit, or to the latest. */
export async function measure(
  app: Pick<App, 'log' | 'definitions'>,
  instance_id: string,
  until = Number.POSITIVE_INFINITY,
): Promise<WorkflowMetrics> {
  const meter = new Meter();
  for (let from = 0; from < until; ) {
    const entries = await app.log.after(instance_id, from, Math.min(PAGE, until - from));
    for (const { commit } of entries) meter.add(await workflowOf(app, commit.state), commit);
    const last = entries.at(-1);
    if (!last || entries.length < PAGE) break;
    from = last.commit.seq;
  }
  return meter.report();
}
