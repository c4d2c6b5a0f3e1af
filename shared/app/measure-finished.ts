// Of a batch of commits, the instances that are finished by one, with their metrics: the numbers that the API gives.
//   MF1  A fork of a finished instance has not finished: it never ran.
import type { WorkflowMetrics } from '../engine/index.ts';
import type { App } from './app.ts';
import type { Told } from './publish-told.ts';
import { measure } from './read-metrics.ts';

export interface Finished {
  readonly instance_id: string;
  readonly workflow_id: string;
  readonly status: string;
  readonly measured: WorkflowMetrics;
}

const ENDS: Readonly<Record<string, string>> = {
  'workflow.completed': 'completed',
  'workflow.failed': 'failed',
  'workflow.cancelled': 'cancelled',
};

export async function measureFinished(
  app: Pick<App, 'log' | 'definitions'>,
  batch: readonly { readonly told: Told }[],
): Promise<readonly Finished[]> {
  const ends = batch.flatMap(({ told: { instance_id, workflow_id, seq, messages } }) => {
    const status = messages.map(({ type }) => ENDS[type]).find((end) => end !== undefined);
    return status === undefined || seq === 1 ? [] : [{ instance_id, workflow_id, status, seq }]; // MF1
  });
  return Promise.all(
    ends.map(async ({ seq, ...end }) => ({ ...end, measured: await measure(app, end.instance_id, seq) })),
  );
}
