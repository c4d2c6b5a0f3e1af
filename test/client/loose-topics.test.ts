// Topics without replay, over real sockets: a person's, a role's.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Client, createClient, type StepgateEvent, type Topic } from '../../client/node.ts';
import { eventOf, INSTANCE, ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer;
let client: Client;
const FAST = { backoff: { first_ms: 2, most_ms: 10 }, grace_ms: 40, retry: { first_ms: 1, most_ms: 5 } };

beforeEach(async () => {
  server = await ScriptedServer.start();
  client = createClient({ url: server.url, token: 'secret', timing: FAST });
});
afterEach(async () => {
  client.close();
  await server.stop();
});

async function hear(topic: Topic): Promise<StepgateEvent[]> {
  const heard: StepgateEvent[] = [];
  await client.subscribe(topic, { onEvent: (event) => void heard.push(event) }).ready;
  return heard;
}
const places = (events: readonly StepgateEvent[]) =>
  events.map(({ id }) => id.slice(id.lastIndexOf(':') + 1));
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 5 });

it("a person's events come once, in order, and across a gap without a history", async () => {
  const heard = await hear('user:me');
  server.push(eventOf(3, 0, 2), eventOf(4, 0, 1), eventOf(3, 1, 2), eventOf(3, 1, 2), eventOf(9, 0, 1));
  await until(() => expect(places(heard)).toEqual(['3.0', '3.1', '4.0', '9.0']));
  expect(server.historyReads).toBe(0);
});

it("a role's events come at once, whatever lies between them", async () => {
  client = createClient({ url: server.url, token: 'secret', timing: { ...FAST, grace_ms: 60_000 } });
  const heard = await hear('role:qa');
  server.push(eventOf(3, 2, 3), eventOf(9, 1, 2), eventOf(9, 1, 2));
  await until(() => expect(places(heard)).toEqual(['3.2', '9.1']));
});

it('each topic hears what is for it alone, and is heard again after a drop', async () => {
  const [mine, ours] = [await hear('user:me'), await hear('role:qa')];
  await client.subscribe(`instance:${INSTANCE}`, { onEvent: () => expect.unreachable() }).ready;
  expect(server.tokens).toHaveLength(3);
  const [toMe] = server.sockets;
  toMe?.send(JSON.stringify(eventOf(1, 0, 1)));
  await until(() => expect(places(mine)).toEqual(['1.0']));
  expect(ours).toEqual([]);
  server.drop();
  await until(() => expect(server.subscribes.filter(({ topic }) => topic === 'user:me')).toHaveLength(2));
});

it('an old line still listens while the new one begins', async () => {
  client = createClient({ url: server.url, token: 'secret', timing: { ...FAST, most_age_ms: 30 } });
  const heard = await hear('user:me');
  const [old] = server.sockets;
  server.onFrame = (frame, socket) => {
    old?.send(JSON.stringify(eventOf(1, 0, 1)));
    server.takeIn(frame, socket);
  };
  await until(() => expect(places(heard)).toEqual(['1.0']));
});

it('an event that was too large is read; one that cannot be read is told of without its data', async () => {
  const heard = await hear('user:me');
  const [{ data: _data, ...large } = eventOf(0, 0, 0)] = server.commit(1, { text: 'long' });
  server.push({ ...large, notice: 'too_large' });
  await until(() => expect(heard[0]?.data).toEqual({ text: 'long' }));
  const { data: _none, ...other } = { ...eventOf(1, 0, 1), instance_id: 'other', id: 'other:1.0' };
  server.push({ ...other, notice: 'too_large' });
  await until(() => expect(heard[1]).toMatchObject({ id: 'other:1.0', data: {} }));
});
