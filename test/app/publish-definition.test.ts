// Publishing definitions at run time, on real stores.
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { listVersions, publishDefinition } from '../../shared/app/publish-definition.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import { Fault } from '../../shared/faults.ts';
import { definitionKey } from '../../shared/store/keys.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, BOSS, human } from '../support/play.ts';
import { type FreshTables, freshTables, STORE_KINDS } from '../support/stores.ts';

const OLGA = human('olga');
const line = (version: string, ...ids: string[]) => ({
  version,
  steps: ids.map((id) => ({ id, agents: ['bot'] })),
});

describe.each(STORE_KINDS)('publishing, on %s', (kind) => {
  let tables: FreshTables;
  let app: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    tables = await freshTables(kind);
    app = appOn(tables);
    other = appOn(tables);
  });
  let names = 0;
  const fresh = () => `flow-${++names}`;
  const publish = (workflow_id: string, body: unknown, key?: string, caller = BOSS) =>
    publishDefinition(app, { workflow_id, body, caller, key });
  const start = async (on: TestApp, workflow_id: string) =>
    (await startInstance(on, { body: { workflow_id }, caller: OLGA })).instance_id;
  const codeOf = (refused: Promise<unknown>): Promise<string> =>
    refused.then(
      () => 'accepted',
      (error: unknown) => (error instanceof Fault ? error.code : String(error)),
    );

  it('DV4: a version that was changed in the table is not run', async () => {
    const id = fresh();
    const { version } = await publish(id, line('1', 'a', 'b'));
    const Key = definitionKey(id, version);
    const documents = DynamoDBDocumentClient.from(app.client);
    const { Item } = await documents.send(new GetCommand({ TableName: tables.table, Key }));
    const source = String(Item?.['source']).replace('"a"', '"z"');
    await documents.send(new PutCommand({ TableName: tables.table, Item: { ...Item, source } }));
    expect(await appOn(tables).definitions.version(id, version)).toBeNull();
    expect(await codeOf(start(appOn(tables), id))).toBe('not_found');
  });

  it('makes a version that the next start of any process runs on', async () => {
    const id = fresh();
    expect(await codeOf(start(other, id))).toBe('not_found');
    const first = await publish(id, line('1', 'a', 'b'));
    expect(first).toMatchObject({
      workflow_id: id,
      change: 'created',
      label: '1',
      steps: 2,
      published_by: 'boss',
    });
    const pinned = await start(other, id);
    const second = await publish(id, line('2', 'a', 'c'));
    expect(second.version).not.toBe(first.version);
    const newer = await start(other, id);
    const definitionOf = async (instance: string) =>
      (await other.log.latest(instance))?.commit.state.definition;
    expect(await definitionOf(pinned)).toBe(first.version);
    expect(await definitionOf(newer)).toBe(second.version);
    const done = {
      instance_id: pinned,
      type: 'signal',
      body: { action: 'complete_step' },
      caller: OLGA,
    } as const;
    expect(await tell(appOn(tables), done)).toMatchObject({ current_step: 'b' });
  });

  it('goes before what ships with the code, which stays the default until then', async () => {
    const shipped = await app.definitions.current('onboarding');
    const source = { ...(shipped?.source as object), title: 'Our own' };
    await publish('onboarding', source);
    expect((await other.definitions.current('onboarding'))?.title).toBe('Our own');
    expect(await publish('onboarding', shipped?.source)).toMatchObject({ change: 'created' });
    expect((await other.definitions.current('onboarding'))?.version).toBe(shipped?.version);
  });

  it('of unchanged content is not a new version', async () => {
    const id = fresh();
    const first = await publish(id, line('1', 'a'));
    expect(await publish(id, line('1', 'a'))).toEqual({ ...first, change: 'unchanged' });
    const shipped = await app.definitions.current('delivery');
    expect(await publish('delivery', shipped?.source)).toMatchObject({
      change: 'unchanged',
      published_at: null,
    });
    expect((await listVersions(app, id)).items).toHaveLength(1);
  });

  it('of earlier content brings that version back', async () => {
    const id = fresh();
    const first = await publish(id, line('1', 'a'));
    const second = await publish(id, line('2', 'a'));
    expect(await publish(id, line('1', 'a'))).toEqual({ ...first, change: 'restored' });
    expect((await listVersions(other, id)).items).toMatchObject([
      { version: second.version, label: '2', current: false, published_at: second.published_at },
      { version: first.version, label: '1', current: true },
    ]);
  });

  it('lists what was published beside what ships with the code', async () => {
    const id = fresh();
    await publish(id, line('1', 'a'));
    const ids = (await other.definitions.list()).map((workflow) => workflow.id);
    expect(ids).toEqual(expect.arrayContaining([id, 'onboarding', 'delivery']));
    expect((await listVersions(app, 'planning')).items).toMatchObject([
      { published_at: null, current: true },
    ]);
    expect(await codeOf(listVersions(app, 'nothing'))).toBe('not_found');
  });

  it('refuses what does not prove with the whole report, and writes nothing', async () => {
    const id = fresh();
    app.sent();
    const refused = publish(id, {
      steps: [
        { id: 'a', next: 'nowhere' },
        { id: 'b', roles: ['ghost'] },
      ],
    });
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_definition',
      details: {
        problems: expect.arrayContaining([expect.objectContaining({ step: 'a', fix: expect.any(String) })]),
        unchecked: [3, 4, 6, 7, 8],
      },
    });
    expect(app.sent()).toEqual([]);
    expect(await codeOf(listVersions(app, id))).toBe('not_found');
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['by someone who is no admin', () => publish('x', line('1', 'a'), undefined, OLGA), 'role_not_allowed'],
    [
      'by an admin that is an agent',
      () => publish('by-agent', line('1', 'a'), undefined, agent('ci', 'admin')),
      'accepted',
    ],
    [
      'under another id than the path says',
      () => publish('x', { id: 'y', ...line('1', 'a') }),
      'invalid_request',
    ],
    ['that is no object', () => publish('x', ['a']), 'invalid_definition'],
    [
      'past what one item can hold',
      () => publish('x', { steps: [{ id: 'a', content: 'x'.repeat(400_000) }] }),
      'state_too_large',
    ],
  ])('%s: %s', async (_, run, outcome) => {
    expect(await codeOf(run())).toBe(outcome);
  });

  it('under a key answers a repeat as the first time, whatever was published since', async () => {
    const id = fresh();
    const first = await publish(id, line('1', 'a'), 'k1');
    const second = await publish(id, line('2', 'a'), 'k2');
    expect(await publish(id, line('1', 'a'), 'k1')).toEqual({ ...first, replayed: true });
    expect((await app.definitions.current(id))?.version).toBe(second.version);
    expect(await codeOf(publish(id, line('3', 'a'), 'k1'))).toBe('idempotency_mismatch');
    const delivery = await app.definitions.current('delivery');
    const unchanged = await publish('delivery', delivery?.source, 'k3');
    expect(await publish('delivery', delivery?.source, 'k3')).toEqual({ ...unchanged, replayed: true });
  });

  it('by many at once keeps every version, and one of them is current', async () => {
    const id = fresh();
    const apps = Array.from({ length: 6 }, () => appOn(tables));
    const made = await Promise.all(
      apps.map((each, i) =>
        publishDefinition(each, { workflow_id: id, body: line(String(i), 'a'), caller: BOSS, key: `k${i}` }),
      ),
    );
    const { items } = await listVersions(app, id);
    expect(new Set(items.map(({ version }) => version))).toEqual(new Set(made.map(({ version }) => version)));
    expect(items.filter(({ current }) => current)).toHaveLength(1);
    expect(items[0]?.current).toBe(true);
  });
});
