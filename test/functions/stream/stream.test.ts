// Both consumers of the stream as the event source mapping calls them, fed with what the table's own stream says.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { subscribe } from '../../../shared/app/subscribe.ts';
import { ENV } from '../../../shared/names.ts';
import type { Entry } from '../../../shared/ports.ts';
import { commitKey } from '../../../shared/store/keys.ts';
import { delivery } from '../../support/definitions.ts';
import { idsSent, startWorld, type World } from '../../support/listening.ts';
import { appOn, type TestApp } from '../../support/app.ts';
import { STORE_KINDS } from '../../support/stores.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-stream-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Handler = (
  event: Pick<DynamoDBStreamEvent, 'Records'>,
) => Promise<{ batchItemFailures: { itemIdentifier: string }[] }>;

describe.each(STORE_KINDS)('the stream’s consumers on %s', (kind) => {
  let world: World;
  let app: TestApp;
  let broadcast: Handler;
  let project: Handler;
  beforeAll(async () => {
    world = await startWorld(kind);
    app = appOn(world.tables);
    const definitions = path.join(folder, `${kind}.json`);
    writeFileSync(definitions, JSON.stringify({ delivery: delivery.source }));
    vi.stubEnv(ENV.table, world.tables.table);
    vi.stubEnv(ENV.connections, world.tables.connections);
    vi.stubEnv(ENV.websocket, world.gateway.endpoint);
    vi.stubEnv(ENV.definitions, definitions);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', world.tables.endpoint);
    vi.resetModules();
    ({ handler: broadcast } = await import('../../../functions/stream/broadcast.ts'));
    ({ handler: project } = await import('../../../functions/stream/project.ts'));
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    app.client.destroy();
    await world.stop();
  });

  let sequence = 0;
  const recordOf = (
    { commit }: Entry,
    image: object = { commit: { S: JSON.stringify(commit) } },
  ): DynamoDBRecord => {
    const { pk, sk } = commitKey(commit.state.instance_id, commit.seq);
    const Keys = { pk: { S: pk }, sk: { S: sk } };
    return {
      eventName: 'INSERT',
      dynamodb: { Keys, SequenceNumber: String(++sequence), NewImage: { ...Keys, ...image } },
    };
  };
  const failuresOf = async (handler: Handler, records: DynamoDBRecord[]) =>
    (await handler({ Records: records })).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  const headOf = async (instance_id: string) =>
    (await app.listings.list({ owner: 'olga' }, undefined, 100)).find(
      ({ head }) => head.instance_id === instance_id,
    )?.head;

  it('push events and keep listings; redelivered and late records change nothing', async () => {
    const first = await world.begin('i-1');
    const listener = await world.connect('c-1', undefined, Date.now() / 1000 + 3600);
    await subscribe(world, listener, { topic: 'instance:i-1' }, { now: new Date().toISOString(), id: 's' });
    const records = [first, await world.commit('i-1'), await world.commit('i-1')].map((entry) =>
      recordOf(entry),
    );
    for (const batch of [records, records, records.slice(0, 1)]) {
      expect(await failuresOf(broadcast, batch)).toEqual([]);
      expect(await failuresOf(project, batch)).toEqual([]);
    }
    expect(idsSent(world.gateway, 'c-1')).toEqual(['i-1:2.0', 'i-1:3.0']);
    expect(await headOf('i-1')).toMatchObject({
      version: 3,
      current_step: 'todo',
      assigned_to: ['developer'],
    });
  });

  it('let a record fail alone that cannot be read (SR1)', async () => {
    const good = await world.begin('i-2');
    const poison = recordOf(await world.begin('i-3'), { commit: { S: '{"seq":' } });
    const hollow = recordOf(await world.begin('i-4'), {});
    const batch = [poison, recordOf(good), hollow];
    const bad = [poison, hollow].map(({ dynamodb }) => dynamodb?.SequenceNumber);
    expect(await failuresOf(broadcast, batch)).toEqual(bad);
    expect(await failuresOf(project, batch)).toEqual(bad);
    expect(await headOf('i-2')).toMatchObject({ version: 1 });
  });

  it('let an instance fail alone that cannot be projected', async () => {
    const good = recordOf(await world.begin('i-5'));
    const { commit, hash } = await world.begin('i-6');
    const lost = recordOf({ hash, commit: { ...commit, state: { ...commit.state, definition: 'lost' } } });
    expect(await failuresOf(project, [lost, good])).toEqual([lost.dynamodb?.SequenceNumber]);
    expect(await headOf('i-5')).toMatchObject({ version: 1 });
  });

  it('pass over what is no new commit', async () => {
    const record = recordOf(await world.begin('i-7'), {});
    const others: DynamoDBRecord[] = [
      { ...record, eventName: 'MODIFY' },
      { ...record, eventName: 'REMOVE' },
      { ...record, dynamodb: { ...record.dynamodb, Keys: { pk: { S: 'H#i-7' }, sk: { S: 'HEAD' } } } },
    ];
    expect(await failuresOf(broadcast, others)).toEqual([]);
    expect(await failuresOf(project, others)).toEqual([]);
    expect(await headOf('i-7')).toBeUndefined();
  });
});
