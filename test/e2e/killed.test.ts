// The server is killed in the middle of a load: nothing acknowledged is missing afterwards, nobody misses an event.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import {
  type Caller,
  callerOn,
  eventually,
  historyOf,
  type Listener,
  type Message,
  signal,
  started,
} from './callers.ts';

const INSTANCES = 6;

describe.each(STORE_KINDS)('kill -9 during load, on %s', (kind) => {
  let server: TestServer;
  let owner: Caller;
  beforeAll(async () => {
    server = await startServer({ store: kind });
    owner = await callerOn(server, 'olga', ['developer']);
  });
  afterAll(() => server?.stop());

  /** Commits nothing, so that each is blocked and told of. Writes until the server is gone; gives the versions that were acknowledged, and the key of each. */
  async function load(id: string): Promise<Map<string, number>> {
    const acknowledged = new Map<string, number>();
    for (let n = 0; ; n++) {
      const key = `${id}-${n}`;
      const answer = await signal(owner, id, { action: 'COMMIT_CODE', data: { key } }, key).catch(() => null);
      if (answer === null) return acknowledged;
      if (answer.status === 200) acknowledged.set(key, Number(answer.body.version));
    }
  }

  const collect = async (id: string, listener: Listener, after: number) => {
    listener.send({ action: 'subscribe', topic: `instance:${id}`, after });
    await listener.until((message) => message.type === 'subscribed' && message.topic === `instance:${id}`);
  };
  const seen = (messages: readonly Message[], id: string): string[] =>
    messages.filter((message) => message.instance_id === id).map((message) => String(message.id));

  it('loses nothing that was acknowledged, and doubles nothing', async () => {
    const ids = await Promise.all(Array.from({ length: INSTANCES }, () => started(owner, 'delivery')));
    const before = await owner.listen();
    for (const id of ids) await collect(id, before, 0);
    const loads = ids.map((id) => load(id));
    await before.until(({ seq }) => Number(seq) > 15);
    await server.kill9();
    const acknowledged = await Promise.all(loads);
    await server.restart();

    for (const [i, id] of ids.entries()) {
      const items = await historyOf(owner, id);
      const keys = items.map((item) => item.signal.body.data?.key);
      for (const [key, version] of acknowledged[i] ?? [])
        expect([key, keys.indexOf(key) + 1, keys.lastIndexOf(key) + 1]).toEqual([key, version, version]);
      expect(items.map(({ seq }) => seq)).toEqual(items.map((_, n) => n + 1));
    }
  });

  it('projections catch up with the log', async () => {
    const listed = async () =>
      (await owner.get('/api/workflows?limit=100')).body.items as { instance_id: string; version: number }[];
    const heads = await eventually(listed, (items) => items.length === INSTANCES);
    const versions = await Promise.all(
      heads.map(async ({ instance_id }) => (await owner.get(`/api/workflows/${instance_id}`)).body.version),
    );
    const caughtUp = await eventually(listed, (items) =>
      items.every(({ version }, i) => version === versions[i]),
    );
    expect(caughtUp.map(({ version }) => version)).toEqual(versions);
  });

  it('events of commits made just before the kill still reach a subscriber that resumes', async () => {
    const id = await started(owner, 'decision-critic', { params: { decision: 'ship it' } });
    const first = await owner.listen();
    await collect(id, first, 0);
    const shots = Array.from({ length: 20 }, () =>
      signal(owner, id, { action: 'complete_step' }).catch(() => null),
    );
    await first.until((message) => message.instance_id === id && message.type === 'workflow.step_changed');
    await server.kill9();
    await Promise.all(shots);
    await server.restart();
    const second = await owner.listen();
    // The last commit may have been cut off between two of its events.
    const cursor = Math.max(1, ...first.messages.map(({ seq }) => Number(seq ?? 0))) - 1;
    await collect(id, second, cursor);
    const expected = (await historyOf(owner, id)).flatMap(({ events }) => events.map((event) => event.id));
    await eventually(
      () => Promise.resolve(new Set([...seen(first.messages, id), ...seen(second.messages, id)])),
      (ids) => expected.every((event) => ids.has(event)),
    );
    const replayed = seen(second.messages, id);
    expect(new Set(replayed).size).toBe(replayed.length);
    await second.close();
  });
});
