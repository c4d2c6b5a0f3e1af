// Subscriptions over real sockets that double, reorder and stay silent: what is handed on, and how it ends.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StepgateEvent } from '../../client/node.ts';
import { expectAll, places, Rig, TOPIC, until } from './rig.ts';
import { eventOf } from './scripted-server.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.stop());

describe('a subscription to an instance', () => {
  it('without "after" begins now, and hands on what the server sends, as it is', async () => {
    rig.server.commit();
    const subscription = rig.listen(rig.connect());
    await subscription.ready;
    const [event] = rig.server.commit(1, { to_state: 'implementing' });
    rig.server.push(event);
    await until(() => expect(places(rig.heard)).toEqual(['2.0']));
    const { of: _of, ...plain } = eventOf(2, 0, 1, { to_state: 'implementing' });
    expect(rig.heard).toEqual([plain]);
    expect(rig.server.tokens).toEqual(['secret']);
    expect(rig.server.subscribes).toEqual([{ action: 'subscribe', topic: TOPIC }]);
    expect(rig.states).toEqual([{ state: 'connecting' }, { state: 'live', again: false }]);
    expect([subscription.cursor, rig.server.historyReads]).toEqual([2, 0]);
  });

  it('with "after" gets what it missed first', async () => {
    for (const size of [1, 2, 1]) rig.server.commit(size);
    rig.listen(rig.connect(), { after: 1 });
    await until(() => expect(places(rig.heard)).toEqual(['2.0', '2.1', '3.0']));
    expect(rig.server.subscribes).toEqual([{ action: 'subscribe', topic: TOPIC, after: 1 }]);
    expect(rig.server.historyReads).toBe(0);
  });

  it('reads the history for what the server does not replay', async () => {
    for (const size of [1, 2, 1]) rig.server.commit(size);
    rig.server.onFrame = ({ topic }, socket) =>
      socket.send(JSON.stringify({ type: 'subscribed', topic, seq: 3, after: 3 }));
    rig.listen(rig.connect(), { after: 0 });
    await expectAll(rig);
    expect(rig.server.historyReads).toBe(1);
  });

  it('puts what was reordered and doubled in order, without asking anyone', async () => {
    const subscription = rig.listen(rig.connect(), { after: 0 });
    await subscription.ready;
    const [a, b, c, d] = [...rig.server.commit(2), ...rig.server.commit(1), ...rig.server.commit(1)];
    rig.server.push(d, b, b, c, a, a, d, c);
    await expectAll(rig);
    expect(rig.server.historyReads).toBe(0);
  });

  it('reads the history for what does not come, also over commits without events', async () => {
    const subscription = rig.listen(rig.connect(), { after: 0 });
    await subscription.ready;
    rig.server.commit(2);
    rig.server.commit(0);
    const [last] = rig.server.commit(1);
    rig.server.push(last);
    await expectAll(rig);
    expect(subscription.cursor).toBe(3);
    expect(rig.server.historyReads).toBe(1);
  });

  it('reads the history for the rest of a commit whose last event was lost', async () => {
    await rig.listen(rig.connect(), { after: 0 }).ready;
    rig.server.push(rig.server.commit(3)[0]);
    await expectAll(rig);
  });

  it('reads an event that was too large for a message', async () => {
    await rig.listen(rig.connect({ timing: { grace_ms: 60_000 } }), { after: 0 }).ready;
    const [{ data: _data, ...large } = eventOf(0, 0, 0)] = rig.server.commit(1, {
      text: 'x'.repeat(200_000),
    });
    rig.server.push({ ...large, notice: 'too_large', href: '/…' });
    await expectAll(rig);
    expect(rig.heard[0]?.data['text']).toHaveLength(200_000);
  });

  it('asks again while the history cannot be read', async () => {
    await rig.listen(rig.connect(), { after: 0 }).ready;
    const hidden = [rig.server.commit(), rig.server.commit()];
    const log = rig.server.log.splice(0); // until it is back, the history is a failing route
    rig.server.answer = () => ({ status: 503, body: { code: 'unavailable' } });
    rig.server.push(hidden[1]?.[0]);
    await until(() => expect(rig.server.historyReads).toBeGreaterThan(6));
    expect(rig.heard).toEqual([]);
    rig.server.log.push(...log);
    await expectAll(rig);
  });

  it('holds what comes before the answer to the subscription', async () => {
    for (const _ of [1, 2, 3]) rig.server.commit();
    rig.server.onFrame = (frame, socket) => {
      socket.send(JSON.stringify(rig.server.log[2]?.events[0])); // seen at once, but before the beginning
      const [next] = rig.server.commit();
      socket.send(JSON.stringify(next));
      socket.send(JSON.stringify({ type: 'subscribed', topic: frame.topic, seq: 3 }));
    };
    rig.listen(rig.connect());
    await until(() => expect(places(rig.heard)).toEqual(['4.0']));
  });
});

describe('the end of a subscription', () => {
  it('on close unsubscribes and closes the socket, and nothing is handed on any more', async () => {
    const subscription = rig.listen(rig.connect(), { after: 0 });
    await subscription.ready;
    subscription.close();
    await subscription.closed;
    await until(() => expect(rig.server.sockets.size).toBe(0));
    expect(rig.server.frames.at(-1)).toEqual({ action: 'unsubscribe', topic: TOPIC });
    expect(rig.states.at(-1)).toEqual({ state: 'closed' });
  });

  it('on abort is the same', async () => {
    const stop = new AbortController();
    const subscription = rig.listen(rig.connect(), { signal: stop.signal });
    await subscription.ready;
    stop.abort();
    await subscription.closed;
    expect(rig.states.at(-1)).toEqual({ state: 'closed' });
  });

  it('by a refusal rejects with it', async () => {
    rig.server.onFrame = ({ topic }, socket) => {
      const problem = { status: 404, code: 'not_found', detail: 'There is no such topic.' };
      socket.send(JSON.stringify({ type: 'error', topic, ...problem }));
    };
    const subscription = rig.listen(rig.connect());
    await expect(subscription.ready).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await expect(subscription.closed).rejects.toThrow('There is no such topic.');
  });

  it('by a token that is refused rejects; by a server that is away it does not', async () => {
    rig.server.refuse = 503;
    rig.server.answer = () => ({ status: 503, body: {} });
    const subscription = rig.listen(rig.connect());
    await until(() => expect(rig.states.length).toBeGreaterThan(4));
    rig.server.refuse = 401;
    rig.server.answer = () => ({ status: 401, body: { code: 'unauthenticated' } });
    await expect(subscription.closed).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('by a handler that throws rejects with what it threw, and hands nothing on after it', async () => {
    const events = [...rig.server.commit(2), ...rig.server.commit(1)];
    const subscription = rig.listen(rig.connect(), {
      after: 0,
      onEvent: (event) => {
        rig.heard.push(event);
        if (rig.heard.length === 2) throw new Error('my mistake');
      },
    });
    await expect(subscription.closed).rejects.toThrow('my mistake');
    expect(places(rig.heard)).toEqual(places(events).slice(0, 2));
  });
});

describe('the caller', () => {
  it('may take its time: the next event waits, and the cursor with it', async () => {
    for (const _ of [1, 2, 3]) rig.server.commit();
    const waiting: (() => void)[] = [];
    const subscription = rig.listen(rig.connect(), {
      after: 0,
      onEvent: (event) => {
        rig.heard.push(event);
        return new Promise((resolve) => void waiting.push(resolve));
      },
    });
    await until(() => expect(places(rig.heard)).toEqual(['1.0']));
    expect(subscription.cursor).toBe(0);
    waiting.shift()?.();
    await until(() => expect(places(rig.heard)).toEqual(['1.0', '2.0']));
    expect(subscription.cursor).toBe(1);
    waiting.shift()?.();
    await until(() => expect(waiting).toHaveLength(1));
    waiting.shift()?.();
    await until(() => expect(subscription.cursor).toBe(3));
  });

  it('may read events in a loop, and leave it', async () => {
    rig.server.commit(2);
    rig.server.commit(1);
    for await (const event of rig.connect().events(TOPIC, { after: 0 })) {
      rig.heard.push(event);
      if (event.seq === 2) break;
    }
    expect(places(rig.heard)).toEqual(['1.0', '1.1', '2.0']);
    await until(() => expect(rig.server.sockets.size).toBe(0));
  });

  it('may listen twice to the same instance on one socket, each from its own place', async () => {
    for (const _ of [1, 2]) rig.server.commit();
    const client = rig.connect();
    const late: StepgateEvent[] = [];
    await rig.listen(client, { after: 0 }).ready;
    await rig.listen(client, { after: 1, onEvent: (event) => void late.push(event) }).ready;
    rig.server.push(...rig.server.commit(1));
    await expectAll(rig);
    await until(() => expect(places(late)).toEqual(['2.0', '3.0']));
    expect(rig.server.tokens).toHaveLength(1);
  });

  it('gets an error that says what to do where there is no WebSocket', async () => {
    const { createClient: forBrowsers } = await import('../../client/index.ts');
    const none = forBrowsers({ url: rig.server.url, token: 'secret' }).subscribe(TOPIC, {
      onEvent: () => {},
    });
    const has = 'WebSocket' in globalThis;
    const outcome = has ? none.ready : none.closed.catch((error: unknown) => String(error));
    expect(await outcome).toSatisfy((said) =>
      has ? said === undefined : String(said).includes('client/node'),
    );
    none.close();
  });
});
