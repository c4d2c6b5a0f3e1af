// Sessions: work that nobody outside sees until it is committed, or that leaves nothing behind.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '../../local/environment.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { sharedServer } from '../support/shared-server.ts';
import { clientConfig, endpointOf, ONE_STORE, STORE_KINDS } from '../support/stores.ts';
import { contentsOf } from '../support/table-contents.ts';
import { type Caller, callerOn, eventually, signal, started } from './callers.ts';

/** DynamoDB Local takes a transaction at a time: fewer will do there. */
const MANY = { dynoxide: 500, 'dynamodb-local': 100 };
const AT_ONCE = 16;

interface Page {
  readonly items?: readonly { readonly instance_id: string }[];
  readonly tasks?: readonly { readonly task_id: string }[];
  readonly next: string | null;
}

/** Every id of a list or an inbox, page by page. */
async function allOf(by: Caller, list: string): Promise<string[]> {
  const ids: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const { body } = await by.get(`${list}limit=100${next && `&next=${next}`}`);
    const page = body as unknown as Page; // as the wire gives it
    ids.push(...(page.items ?? []).map(({ instance_id }) => instance_id));
    ids.push(...(page.tasks ?? []).map(({ task_id }) => task_id));
    next = page.next;
  }
  return ids;
}
const listed = (by: Caller) => allOf(by, '/api/workflows?');
const inside = (by: Caller, name: string) => allOf(by, `/api/workflows?session_name=${name}&`);
const inbox = (by: Caller) => allOf(by, '/api/tasks?role=developer&');

async function opened(by: Caller, session_name: string): Promise<string> {
  const { status, body } = await by.post('/api/sessions', { session_name });
  expect([status, body.status]).toEqual([201, 'open']);
  return session_name;
}

describe.each(STORE_KINDS)('a session, on %s', (kind) => {
  let olga: Caller;
  let max: Caller;
  let dev: Caller;
  beforeAll(async () => {
    const server = await sharedServer(kind);
    olga = await callerOn(server, 'olga-session');
    max = await callerOn(server, 'max-session');
    dev = await callerOn(server, 'dev-session', ['developer'], 'agent');
  });

  it('is invisible outside while work goes on inside, and global once committed', async () => {
    const name = await opened(olga, 'chapter-2');
    const listener = await olga.listen();
    listener.send({ action: 'subscribe', topic: `session:${name}` });
    await listener.until(({ type }) => type === 'subscribed');
    const id = await started(olga, 'delivery', { session_name: name });
    await listener.until(({ instance_id, type }) => instance_id === id && type === 'workflow.started');
    await eventually(
      () => inside(olga, name),
      (ids) => ids.includes(id),
    );
    expect(await listed(olga)).not.toContain(id);
    expect(await inbox(dev)).not.toContain(id);
    expect((await olga.get('/api/workflows/active?workflow_id=delivery')).status).toBe(404);
    expect((await max.get(`/api/workflows/${id}`)).status).toBe(404);
    const claim = await dev.post(`/api/workflows/${id}/claim`);
    expect([claim.status, claim.body.current_step]).toEqual([200, 'implementing']);
    await dev.post(`/api/workflows/${id}/release`);

    const committed = await olga.post(`/api/sessions/${name}/commit`);
    expect([committed.status, committed.body.status]).toEqual([200, 'committed']);
    expect((await olga.post(`/api/sessions/${name}/commit`)).body).toEqual(committed.body);
    expect((await olga.get(`/api/workflows/${id}`)).body).toMatchObject({ committed_from_session: name });
    await listener.until(({ type }) => type === 'workflow.session.committed');
    await eventually(
      () => inbox(dev),
      (ids) => ids.includes(id),
    );
    expect(await listed(olga)).toContain(id);
    expect((await olga.get('/api/workflows/active?workflow_id=delivery')).body.instance_id).toBe(id);
    const late = await olga.post('/api/workflows', { workflow_id: 'delivery', session_name: name });
    expect([late.status, late.body.code]).toEqual([409, 'session_closed']);
    const other = await olga.post(`/api/sessions/${name}/cancel`);
    const { status, body } = other;
    expect([status, body.code, body.session_status]).toEqual([409, 'session_closed', 'committed']);
    await listener.close();
    expect((await olga.post(`/api/workflows/${id}/cancel`)).status).toBe(200);
  });

  it('has a name that nobody else can take, look at, fill or close', async () => {
    const name = await opened(olga, 'hers');
    for (const by of [max, olga]) {
      const { status, body } = await by.post('/api/sessions', { name });
      expect([status, body.code]).toEqual([409, 'name_taken']);
    }
    for (const reply of [
      await max.get(`/api/sessions/${name}`),
      await max.post(`/api/sessions/${name}/commit`),
      await max.post(`/api/sessions/${name}/cancel`),
      await max.post('/api/workflows', { workflow_id: 'delivery', session_name: name }),
    ])
      expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
    expect((await olga.get(`/api/sessions/${name}`)).body).toMatchObject({
      owner: 'olga-session',
      status: 'open',
    });
    expect((await max.get('/api/sessions')).body.items).toEqual([]);
  });

  it('leaves nothing behind when it is cancelled, not even for a writer that remembers', async () => {
    const name = await opened(olga, 'draft-to-drop');
    const ids = await Promise.all([1, 2, 3].map(() => started(olga, 'delivery', { session_name: name })));
    for (const id of ids)
      expect((await signal(dev, id, { action: 'stay', data: { note: 'secret words' } })).status).toBe(200);
    await eventually(
      () => inside(olga, name),
      (seen) => seen.length === ids.length,
    );
    expect((await olga.post(`/api/sessions/${name}/cancel`, { reason: 'No.' })).body.status).toBe(
      'cancelled',
    );
    for (const id of ids) {
      expect((await olga.get(`/api/workflows/${id}`)).status).toBe(404);
      expect((await signal(dev, id, { action: 'stay' })).status).toBe(404);
    }
    const client = new DynamoDBClient(clientConfig(endpointOf(kind)));
    const about = async () => {
      const all = await contentsOf(client, TABLES.table);
      const words = [name, ...ids, 'secret words'];
      return all.filter(({ item }) => words.some((word) => JSON.stringify(item).includes(word)));
    };
    const left = await eventually(
      about,
      (items) => items.filter(({ expires_at }) => !expires_at).length === 2,
    );
    const staying = left.filter(({ expires_at }) => !expires_at).map(({ pk, sk }) => `${pk} ${sk}`);
    expect(staying.toSorted()).toEqual([`S#${name} C#000000000001`, `S#${name} C#000000000002`]);
    expect(JSON.stringify(left)).not.toContain('secret words');
    for (const id of ids) expect((await signal(dev, id, { action: 'stay' })).status).toBe(404);
    client.destroy();
  });
});

describe.each(ONE_STORE)('a large session, on %s', (kind) => {
  const many = MANY[kind];
  let server: TestServer;
  let max: Caller;
  beforeAll(async () => {
    server = await startServer({ store: kind });
    max = await callerOn(server, 'max');
  });
  afterAll(() => server?.stop());

  it(`of ${many} instances is committed, and a crash right after that changes nothing`, async () => {
    const name = await opened(max, 'sprint');
    const open = Array.from({ length: many }, (_, i) => `task-${i}`).values();
    const worker = async () => {
      for (const instance_id of open) await started(max, 'delivery', { session_name: name, instance_id });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(await listed(max)).toEqual([]);
    expect((await max.post(`/api/sessions/${name}/commit`)).status).toBe(200);
    await server.kill9();
    await server.restart();
    expect((await max.get('/api/workflows/task-0')).body).toMatchObject({ committed_from_session: name });
    const ids = await eventually(
      () => listed(max),
      (seen) => seen.length >= many,
    );
    expect(new Set(ids).size).toBe(many);
  }, 120_000);
});
