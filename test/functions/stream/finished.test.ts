// Instances that are finished are counted in CloudWatch with the numbers that the API gives.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { observeFinished } from '../../../functions/edge/telemetry.ts';
import { forkInstance } from '../../../shared/app/fork-instance.ts';
import { measureFinished } from '../../../shared/app/measure-finished.ts';
import { readTold } from '../../../shared/app/publish-told.ts';
import { readMetrics } from '../../../shared/app/read-metrics.ts';
import { startInstance } from '../../../shared/app/start-instance.ts';
import { tell } from '../../../shared/app/tell.ts';
import { appOn, type TestApp } from '../../support/app.ts';
import { human } from '../../support/play.ts';
import { freshTables, STORE_KINDS } from '../../support/stores.ts';

const OLGA = human('olga');
const LINE = { id: 'line', steps: ['a', 'b'].map((id) => ({ id, agents: ['bot'] })) };

afterEach(() => vi.restoreAllMocks());

describe.each(STORE_KINDS.slice(0, 1))('a finished instance, on %s', (kind) => {
  let app: TestApp;
  beforeAll(async () => {
    app = appOn(await freshTables(kind), { line: LINE });
  });
  const batchOf = async (instance_id: string) =>
    (await app.log.after(instance_id, 0, 100)).map(({ commit }) => ({ told: readTold(commit) }));
  const begun = async () =>
    (await startInstance(app, { body: { workflow_id: 'line' }, caller: OLGA })).instance_id;
  const say = (instance_id: string, type: 'signal' | 'cancel' | 'resume', body = {}) =>
    tell(app, { instance_id, type, body, caller: OLGA });

  it('is measured once for each time it ended, as of then', async () => {
    const id = await begun();
    await say(id, 'signal', { action: 'complete_step' });
    await say(id, 'cancel');
    await say(id, 'resume');
    await say(id, 'signal', { action: 'complete_step' });
    const found = await measureFinished(app, await batchOf(id));
    expect(found).toMatchObject([
      { instance_id: id, workflow_id: 'line', status: 'cancelled', measured: { agent_calls: 2 } },
      { instance_id: id, workflow_id: 'line', status: 'completed', measured: { agent_calls: 3 } },
    ]);
    expect(found[1]?.measured).toEqual((await readMetrics(app, id, OLGA)).workflow_metrics);
  });

  it('is measured over all of its log, however long', async () => {
    const id = await begun();
    for (let n = 0; n < 201; n++) await say(id, 'signal', { action: 'stay' });
    await say(id, 'signal', { action: 'complete_step' });
    expect((await readMetrics(app, id, OLGA)).workflow_metrics).toMatchObject({
      agent_calls: 2,
      step_times: [{ step: 1 }, { step: 2 }],
    });
  });

  it('is not counted while it runs, nor is a fork of a finished one', async () => {
    const id = await begun();
    expect(await measureFinished(app, await batchOf(id))).toEqual([]);
    await say(id, 'cancel');
    const fork = await forkInstance(app, { instance_id: id, body: {}, caller: OLGA });
    expect(await measureFinished(app, await batchOf(fork.instance_id))).toEqual([]);
  });

  it('is told to CloudWatch by workflow and status, and its steps by their numbers', () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      lines.push(String(text));
      return true;
    });
    observeFinished({
      instance_id: 'i-1',
      workflow_id: 'line',
      status: 'completed',
      measured: {
        workflow_id: 'i-1',
        total_time_seconds: 420,
        step_times: [
          { step: 1, duration_seconds: 5 },
          { step: 2, duration_seconds: 415 },
        ],
        retry_count: 1,
        human_approval_time_seconds: 30,
        agent_calls: 12,
        parallel_executions: 7,
      },
    });
    const told = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => '_aws' in line);
    expect(told).toMatchObject([
      {
        service: 'stepgate',
        workflow: 'line',
        status: 'completed',
        InstancesFinished: 1,
        WorkflowDuration: 420,
        ApprovalTime: 30,
        Retries: 1,
        AgentCalls: 12,
        ParallelExecutions: 7,
      },
      { service: 'stepgate', workflow: 'line', step: '1', StepDuration: 5 },
      { service: 'stepgate', workflow: 'line', step: '2', StepDuration: 415 },
    ]);
  });
});
