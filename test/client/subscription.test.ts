// Subscriptions over real sockets that drop, double, reorder and stay silent.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Client,
  type ClientOptions,
  createClient,
  type StepgateEvent,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionState,
} from '../../client/node.ts';
import { eventOf, INSTANCE, ScriptedServer } from './scripted-server.ts';

const TOPIC = `instance:${INSTANCE}` as const;
const FAST = {
  backoff: { first_ms: 2, most_ms: 10 },
  grace_ms: 15,
  again_ms: 5,
  overlap_ms: 10,
  retry: { first_ms: 1, most_ms: 5 },
};

let server: ScriptedServer;
let clients: Client[] = [];
let heard: StepgateEvent[] = [];
let states: SubscriptionState[] = [];

beforeEach(async () => {
  server = await ScriptedServer.start();
  [clients, heard, states] = [[], [], []];
});
afterEach(async () => {
  for (const client of clients) client.close();
  await server.stop();
});

function connect({ timing, ...options }: Partial<ClientOptions> = {}): Client {
  const client = createClient({
    url: server.url,
    token: 'secret',
    timing: { ...FAST, ...timing },
    ...options,
  });
  clients.push(client);
  return client;
}
function listen(client: Client, options: Partial<SubscribeOptions> = {}): Subscription {
  return client.subscribe(TOPIC, {
    onEvent: (event) => void heard.push(event),
    onState: (state) => states.push(state),
    ...options,
  });
}
const places = (events: readonly { id: string }[] = heard) =>
  events.map(({ id }) => id.slice(id.lastIndexOf(':') + 1));
const logged = () => places(server.log.flatMap(({ events }) => events));
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 5 });
const expectAll = (): Promise<void> => until(() => expect(places()).toEqual(logged()));

describe('a subscription to an instance', () => {
  it('without "after" begins now, and hands on what the server sends, as it is', async () => {
    server.commit();
    const subscription = listen(connect());
    await subscription.ready;
    const [event] = server.commit(1, { to_state: 'implementing' });
    server.push(event);
    await until(() => expect(places()).toEqual(['2.0']));
    const { of: _of, ...plain } = eventOf(2, 0, 1, { to_state: 'implementing' });
    expect(heard).toEqual([plain]);
    expect(server.tokens).toEqual(['secret']);
    expect(server.subscribes).toEqual([{ action: 'subscribe', topic: TOPIC }]);
    expect(states).toEqual([{ state: 'connecting' }, { state: 'live', again: false }]);
    expect([subscription.cursor, server.historyReads]).toEqual([2, 0]);
  });

  it('with "after" gets what it missed first', async () => {
    for (const size of [1, 2, 1]) server.commit(size);
    listen(connect(), { after: 1 });
    await until(() => expect(places()).toEqual(['2.0', '2.1', '3.0']));
    expect(server.subscribes).toEqual([{ action: 'subscribe', topic: TOPIC, after: 1 }]);
    expect(server.historyReads).toBe(0);
  });

  it('puts what was reordered and doubled in order, without asking anyone', async () => {
    const subscription = listen(connect(), { after: 0 });
    await subscription.ready;
    const [a, b, c, d] = [...server.commit(2), ...server.commit(1), ...server.commit(1)];
    server.push(d, b, b, c, a, a, d, c);
    await expectAll();
    expect(server.historyReads).toBe(0);
  });

  it('reads the history for what does not come, also over commits without events', async () => {
    const subscription = listen(connect(), { after: 0 });
    await subscription.ready;
    server.commit(2);
    server.commit(0);
    const [last] = server.commit(1);
    server.push(last);
    await expectAll();
    expect(subscription.cursor).toBe(3);
    expect(server.historyReads).toBe(1);
  });

  it('reads the history for the rest of a commit whose last event was lost', async () => {
    await listen(connect(), { after: 0 }).ready;
    server.push(server.commit(3)[0]);
    await expectAll();
  });

  it('reads an event that was too large for a message', async () => {
    await listen(connect({ timing: { grace_ms: 60_000 } }), { after: 0 }).ready;
    const [{ data: _data, ...large } = eventOf(0, 0, 0)] = server.commit(1, { text: 'x'.repeat(200_000) });
    server.push({ ...large, notice: 'too_large', href: '/…' });
    await expectAll();
    expect(heard[0]?.data['text']).toHaveLength(200_000);
  });

  it('asks again while the history cannot be read', async () => {
    await listen(connect(), { after: 0 }).ready;
    const hidden = [server.commit(), server.commit()];
    const log = server.log.splice(0); // until it is back, the history is a failing route
    server.answer = () => ({ status: 503, body: { code: 'unavailable' } });
    server.push(hidden[1]?.[0]);
    await until(() => expect(server.historyReads).toBeGreaterThan(6));
    expect(heard).toEqual([]);
    server.log.push(...log);
    await expectAll();
  });

  it('holds what comes before the answer to the subscription', async () => {
    for (const _ of [1, 2, 3]) server.commit();
    server.onFrame = (frame, socket) => {
      socket.send(JSON.stringify(server.log[2]?.events[0])); // seen at once, but before the beginning
      const [next] = server.commit();
      socket.send(JSON.stringify(next));
      socket.send(JSON.stringify({ type: 'subscribed', topic: frame.topic, seq: 3 }));
    };
    listen(connect());
    await until(() => expect(places()).toEqual(['4.0']));
  });
});

describe('a line that is lost', () => {
  it('is dialled again with a fresh token, and resumes at the cursor', async () => {
    let asked = 0;
    const subscription = listen(connect({ token: () => `token-${++asked}` }), { after: 0 });
    await subscription.ready;
    server.push(...server.commit(2));
    await expectAll();
    server.drop();
    server.commit(3);
    await expectAll();
    expect(server.tokens).toEqual(['token-1', 'token-2']);
    expect(server.subscribes.map(({ after }) => after)).toEqual([0, 1]);
    expect(states.map(({ state }) => state)).toEqual(['connecting', 'live', 'waiting', 'live']);
    expect(states.at(-1)).toEqual({ state: 'live', again: true });
  });

  it('is given up when nobody answers the ping, and pinged as long as somebody does', async () => {
    await listen(connect({ timing: { ping_ms: 10, pong_ms: 20 } }), { after: 0 }).ready;
    await until(() =>
      expect(server.frames.filter(({ action }) => action === 'ping').length).toBeGreaterThan(4),
    );
    expect(server.tokens).toHaveLength(1);
    server.onFrame = () => {};
    await until(() => expect(server.tokens.length).toBeGreaterThan(1));
  });

  it('is asked again with each ping, so that even a lost end is found', async () => {
    await listen(connect({ timing: { ping_ms: 20 } }), { after: 0 }).ready;
    server.commit(2);
    await expectAll();
  });

  it('is replaced before its age ends it: the old one closes once the new one listens', async () => {
    let mostOpen = 0;
    const takeIn = server.onFrame;
    server.onFrame = (frame, socket) => {
      mostOpen = Math.max(mostOpen, server.sockets.size);
      takeIn(frame, socket);
    };
    listen(connect({ timing: { most_age_ms: 40 } }), { after: 0 });
    await until(() => expect(server.tokens.length).toBeGreaterThanOrEqual(3));
    server.push(...server.commit(2), ...server.commit(1));
    await expectAll();
    expect(mostOpen).toBe(2);
    expect(states.map(({ state }) => state)).toEqual(['connecting', 'live']);
  });

  it('that drops again and again, reorders and doubles still gives every event once, in order', async () => {
    const subscription = listen(connect(), { after: 0 });
    await subscription.ready;
    for (let round = 0; round < 40; round++) {
      const events = [...server.commit(round % 4), ...server.commit(1 + (round % 2))];
      if (round % 3 === 0) events.reverse();
      server.push(...events.filter((_, index) => (index + round) % 5 !== 0), ...events.slice(0, 1));
      if (round % 4 === 3) server.drop();
      await until(() => expect(server.sockets.size).toBe(1));
    }
    await expectAll();
    expect(subscription.cursor).toBe(80);
  });
});

describe('the end of a subscription', () => {
  it('on close unsubscribes and closes the socket, and nothing is handed on any more', async () => {
    const subscription = listen(connect(), { after: 0 });
    await subscription.ready;
    subscription.close();
    await subscription.closed;
    await until(() => expect(server.sockets.size).toBe(0));
    expect(server.frames.at(-1)).toEqual({ action: 'unsubscribe', topic: TOPIC });
    expect(states.at(-1)).toEqual({ state: 'closed' });
  });

  it('on abort is the same', async () => {
    const stop = new AbortController();
    const subscription = listen(connect(), { signal: stop.signal });
    await subscription.ready;
    stop.abort();
    await subscription.closed;
    expect(states.at(-1)).toEqual({ state: 'closed' });
  });

  it('by a refusal rejects with it', async () => {
    server.onFrame = ({ topic }, socket) => {
      const problem = { status: 404, code: 'not_found', detail: 'There is no such topic.' };
      socket.send(JSON.stringify({ type: 'error', topic, ...problem }));
    };
    const subscription = listen(connect());
    await expect(subscription.ready).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await expect(subscription.closed).rejects.toThrow('There is no such topic.');
  });

  it('by a token that is refused rejects; by a server that is away it does not', async () => {
    server.refuse = 503;
    server.answer = () => ({ status: 503, body: {} });
    const subscription = listen(connect());
    await until(() => expect(states.length).toBeGreaterThan(4));
    server.refuse = 401;
    server.answer = () => ({ status: 401, body: { code: 'unauthenticated' } });
    await expect(subscription.closed).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('by a handler that throws rejects with what it threw, and hands nothing on after it', async () => {
    const events = [...server.commit(2), ...server.commit(1)];
    const subscription = listen(connect(), {
      after: 0,
      onEvent: (event) => {
        heard.push(event);
        if (heard.length === 2) throw new Error('my mistake');
      },
    });
    await expect(subscription.closed).rejects.toThrow('my mistake');
    expect(places()).toEqual(places(events).slice(0, 2));
  });
});

describe('the caller', () => {
  it('may take its time: the next event waits, and the cursor with it', async () => {
    for (const _ of [1, 2, 3]) server.commit();
    const waiting: (() => void)[] = [];
    const subscription = listen(connect(), {
      after: 0,
      onEvent: (event) => {
        heard.push(event);
        return new Promise((resolve) => void waiting.push(resolve));
      },
    });
    await until(() => expect(places()).toEqual(['1.0']));
    expect(subscription.cursor).toBe(0);
    waiting.shift()?.();
    await until(() => expect(places()).toEqual(['1.0', '2.0']));
    expect(subscription.cursor).toBe(1);
    waiting.shift()?.();
    await until(() => expect(waiting).toHaveLength(1));
    waiting.shift()?.();
    await until(() => expect(subscription.cursor).toBe(3));
  });

  it('may read events in a loop, and leave it', async () => {
    server.commit(2);
    server.commit(1);
    for await (const event of connect().events(TOPIC, { after: 0 })) {
      heard.push(event);
      if (event.seq === 2) break;
    }
    expect(places()).toEqual(['1.0', '1.1', '2.0']);
    await until(() => expect(server.sockets.size).toBe(0));
  });

  it('may listen twice to the same instance on one socket, each from its own place', async () => {
    for (const _ of [1, 2]) server.commit();
    const client = connect();
    const late: StepgateEvent[] = [];
    await listen(client, { after: 0 }).ready;
    await listen(client, { after: 1, onEvent: (event) => void late.push(event) }).ready;
    server.push(...server.commit(1));
    await expectAll();
    await until(() => expect(places(late)).toEqual(['2.0', '3.0']));
    expect(server.tokens).toHaveLength(1);
  });

  it('gets an error that says what to do where there is no WebSocket', async () => {
    const { createClient: forBrowsers } = await import('../../client/index.ts');
    const none = forBrowsers({ url: server.url, token: 'secret' }).subscribe(TOPIC, { onEvent: () => {} });
    const has = 'WebSocket' in globalThis;
    const outcome = has ? none.ready : none.closed.catch((error: unknown) => String(error));
    expect(await outcome).toSatisfy((said) =>
      has ? said === undefined : String(said).includes('client/node'),
    );
    none.close();
  });
});
