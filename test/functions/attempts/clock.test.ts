// The two functions that clocks are made of, as Step Functions and the stream call them, with faults in between.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { DynamoDBRecord } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startInstance } from '../../../shared/app/start-instance.ts';
import { tell } from '../../../shared/app/tell.ts';
import type { SignalType } from '../../../shared/engine/index.ts';
import { ENV } from '../../../shared/names.ts';
import { commitKey } from '../../../shared/store/keys.ts';
import { tombstone } from '../../../shared/store/tombstone.ts';
import { appOn, type TestApp } from '../../support/app.ts';
import { human } from '../../support/play.ts';
import { freshTables, STORE_KINDS } from '../../support/stores.ts';

const TIMED = {
  id: 'timed',
  steps: [
    { id: 'write', agents: ['writer'], attempts: { max: 2, timeout_seconds: 600, heartbeat_seconds: 60 } },
    { id: 'print', agents: ['printer'] },
  ],
};
const OLGA = human('olga');
const KEY = 'attempts#1#write';
const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-clock-'));
const sfn = mockClient(SFNClient);

type Handler = (event: unknown) => Promise<unknown>;

describe.each(STORE_KINDS.slice(0, 1))('the functions of a clock, on %s', (kind) => {
  let app: TestApp;
  let machine: Handler;
  let follow: (event: { Records: DynamoDBRecord[] }) => Promise<{
    batchItemFailures: { itemIdentifier: string }[];
  }>;
  beforeAll(async () => {
    const tables = await freshTables(kind);
    app = appOn(tables, { timed: TIMED });
    const definitions = path.join(folder, 'definitions.json');
    writeFileSync(definitions, JSON.stringify({ timed: TIMED }));
    vi.stubEnv(ENV.table, tables.table);
    vi.stubEnv(ENV.definitions, definitions);
    vi.stubEnv(ENV.machine, 'arn:aws:states:local:000000000000:stateMachine:clocks');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', tables.endpoint);
    ({ handler: machine } = await import('../../../functions/attempts/clock.ts'));
    ({ handler: follow } = await import('../../../functions/stream/clock.ts'));
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    app.client.destroy();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    sfn.reset();
    for (const command of [StartExecutionCommand, StopExecutionCommand])
      sfn.on(command as never).resolves({});
    for (const command of [SendTaskSuccessCommand, SendTaskHeartbeatCommand])
      sfn.on(command as never).resolves({});
  });

  const start = async () =>
    (await startInstance(app, { body: { workflow_id: 'timed' }, caller: OLGA })).instance_id;
  const say = (instance_id: string, type: SignalType, body: object) =>
    tell(app, { instance_id, type, body, caller: OLGA });
  const commitsOf = async (id: string): Promise<DynamoDBRecord[]> =>
    (await app.log.after(id, 0, 100)).map(({ commit }) => {
      const { pk, sk } = commitKey(id, commit.seq);
      const Keys = { pk: { S: pk }, sk: { S: sk } };
      const NewImage = { ...Keys, commit: { S: JSON.stringify(commit) } };
      return { eventName: 'INSERT', dynamodb: { Keys, NewImage, SequenceNumber: `${id}:${commit.seq}` } };
    });
  const sent = () => sfn.calls().map(({ args }) => args[0].constructor.name);
  /** As the state machine does: asks, and waits with a token. */
  const waiting = async (instance_id: string, token: string) => {
    const clock = { instance_id, key: KEY };
    const next = await machine({ op: 'ask', clock });
    await machine({ op: 'await', clock, next, token });
    return { clock, next };
  };

  it('the machine is told what to wait for, and that there is nothing left', async () => {
    const clock = { instance_id: await start(), key: KEY };
    expect(await machine({ op: 'ask', clock })).toMatchObject({
      wait: 'token',
      heartbeat_seconds: 60,
      seq: 1,
    });
    expect(await machine({ op: 'ask', clock: { ...clock, key: 'deadline#1#write' } })).toEqual({
      done: true,
    });
    expect(await machine({ op: 'ask', clock: { ...clock, instance_id: 'nobody' } })).toEqual({ done: true });
  });

  it('what it does not understand it refuses, so that the machine fails aloud', async () => {
    await expect(machine({ op: 'sing' })).rejects.toThrow(/op/);
    await expect(machine({ op: 'await', clock: { instance_id: 'a', key: 'b' } })).rejects.toThrow(/token/);
  });

  it('time that has come is told once, however often the machine says so', async () => {
    const instance_id = await start();
    const { clock, next } = await waiting(instance_id, 't');
    const silence = { op: 'tell', clock, next, because: 'silence' };
    expect(await Promise.all([machine(silence), machine(silence)])).toEqual(
      expect.arrayContaining([{ told: true }, { told: false }]),
    );
    expect(await machine(silence)).toEqual({ told: false });
    const state = (await app.log.latest(instance_id))?.commit.state;
    expect(state?.steps[0]?.attempts).toMatchObject({ current: 2, history: [{ result: 'timed_out' }] });
  });

  it('time that has not come is not told', async () => {
    const { clock } = await waiting(await start(), 't');
    const awaited = { visit: 1, at: '2020-01-01T00:00:00.000Z', tells: null, heartbeat_seconds: null };
    const next = { wait: 'token', seconds: 5, heartbeat_seconds: null, seq: 1, awaited };
    expect(await machine({ op: 'tell', clock, next, because: 'time' })).toEqual({ told: false });
  });

  it('the stream starts an execution, keeps its token alive and gives it back', async () => {
    const id = await start();
    await follow({ Records: await commitsOf(id) });
    expect(sent()).toEqual(['StartExecutionCommand']);
    await waiting(id, 'token');
    await say(id, 'heartbeat', {});
    await follow({ Records: await commitsOf(id) });
    await say(id, 'signal', { action: 'complete_step' });
    await follow({ Records: await commitsOf(id) });
    await follow({ Records: await commitsOf(id) });
    expect(sent()).toEqual(['StartExecutionCommand', 'SendTaskHeartbeatCommand', 'SendTaskSuccessCommand']);
  });

  it('cancelling stops it, and nothing is started', async () => {
    const id = await start();
    await say(id, 'cancel', {});
    await follow({ Records: await commitsOf(id) });
    expect(sent()).toEqual(['StopExecutionCommand']);
  });

  it('a deleted instance lets go of whoever waits for it', async () => {
    const id = await start();
    await waiting(id, 'token');
    const key = commitKey(id, 2);
    const Keys = { pk: { S: key.pk }, sk: { S: key.sk } };
    const NewImage = tombstone(key, 4_000_000_000) as never; // the same item in the stream's own words
    await follow({ Records: [{ eventName: 'INSERT', dynamodb: { Keys, NewImage, SequenceNumber: '1' } }] });
    expect(sent()).toEqual(['SendTaskSuccessCommand']);
  });

  it('what Step Functions does not take comes again, alone', async () => {
    const [good, bad] = [await start(), await start()];
    const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException', $metadata: {} });
    sfn.on(StartExecutionCommand).callsFake(({ input }: { input: string }) => {
      if (input.includes(bad)) throw throttled;
      return {};
    });
    const { batchItemFailures } = await follow({
      Records: [...(await commitsOf(bad)), ...(await commitsOf(good))],
    });
    expect(batchItemFailures).toEqual([{ itemIdentifier: `${bad}:1` }]);
  });
});
