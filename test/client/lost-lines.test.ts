// Lines that are lost, grow old or are refused for a while: what the client does to keep its promise.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectAll, Rig, until } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.stop());

describe('a line that is lost', () => {
  it('is dialled again with a fresh token, and resumes at the cursor', async () => {
    let asked = 0;
    const subscription = rig.listen(rig.connect({ token: () => `token-${++asked}` }), { after: 0 });
    await subscription.ready;
    rig.server.push(...rig.server.commit(2));
    await expectAll(rig);
    rig.server.drop();
    rig.server.commit(3);
    await expectAll(rig);
    expect(rig.server.tokens).toEqual(['token-1', 'token-2']);
    expect(rig.server.subscribes.map(({ after }) => after)).toEqual([0, 1]);
    expect(rig.states.map(({ state }) => state)).toEqual(['connecting', 'live', 'waiting', 'live']);
    expect(rig.states.at(-1)).toEqual({ state: 'live', again: true });
  });

  it('is given up when nobody answers the ping, and pinged as long as somebody does', async () => {
    await rig.listen(rig.connect({ timing: { ping_ms: 10, pong_ms: 20 } }), { after: 0 }).ready;
    await until(() =>
      expect(rig.server.frames.filter(({ action }) => action === 'ping').length).toBeGreaterThan(4),
    );
    expect(rig.server.tokens).toHaveLength(1);
    rig.server.onFrame = () => {};
    await until(() => expect(rig.server.tokens.length).toBeGreaterThan(1));
  });

  it('is asked again with each ping, so that even a lost end is found', async () => {
    await rig.listen(rig.connect({ timing: { ping_ms: 20 } }), { after: 0 }).ready;
    rig.server.commit(2);
    await expectAll(rig);
  });

  it('is replaced before its age ends it: the old one closes once the new one listens', async () => {
    let mostOpen = 0;
    const takeIn = rig.server.onFrame;
    rig.server.onFrame = (frame, socket) => {
      mostOpen = Math.max(mostOpen, rig.server.sockets.size);
      takeIn(frame, socket);
    };
    rig.listen(rig.connect({ timing: { most_age_ms: 40 } }), { after: 0 });
    await until(() => expect(rig.server.tokens.length).toBeGreaterThanOrEqual(3));
    rig.server.push(...rig.server.commit(2), ...rig.server.commit(1));
    await expectAll(rig);
    expect(mostOpen).toBe(2);
    expect(rig.states.map(({ state }) => state)).toEqual(['connecting', 'live']);
  });

  it('that drops again and again, reorders and doubles still gives every event once, in order', async () => {
    const subscription = rig.listen(rig.connect(), { after: 0 });
    await subscription.ready;
    for (let round = 0; round < 40; round++) {
      const events = [...rig.server.commit(round % 4), ...rig.server.commit(1 + (round % 2))];
      if (round % 3 === 0) events.reverse();
      rig.server.push(...events.filter((_, index) => (index + round) % 5 !== 0), ...events.slice(0, 1));
      if (round % 4 === 3) rig.server.drop();
      await until(() => expect(rig.server.sockets.size).toBe(1));
    }
    await expectAll(rig);
    expect(subscription.cursor).toBe(80);
  });
});

describe('what may pass', () => {
  it('a subscription that cannot be served right now is asked for again', async () => {
    let refusals = 3;
    rig.server.onFrame = (frame, socket) => {
      if (refusals-- <= 0) return rig.server.takeIn(frame, socket);
      const busy = { code: 'unavailable', retryable: true, message: 'busy' };
      socket.send(JSON.stringify({ type: 'error', topic: frame.topic, ...busy }));
    };
    await rig.listen(rig.connect(), { after: 0 }).ready;
    expect(rig.server.subscribes).toHaveLength(4);
    expect(rig.server.tokens).toHaveLength(1);
  });

  it('a token that has run out on an open line is replaced', async () => {
    let asked = 0;
    await rig.listen(rig.connect({ token: () => `token-${++asked}`, token_in: 'query' }), { after: 0 }).ready;
    rig.server.push({ type: 'error', code: 'unauthenticated', retryable: false, message: 'It has expired.' });
    rig.server.commit(2);
    await expectAll(rig);
    expect(rig.server.tokens).toEqual(['token-1', 'token-2']);
  });

  it('a token that is about to run out is replaced before it does', async () => {
    const claims = { exp: Math.floor(Date.now() / 1000) + 600 };
    const jwt = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      await rig.listen(rig.connect({ token: () => jwt, timing: { ping_ms: 3_600_000 } }), { after: 0 }).ready;
      await vi.advanceTimersByTimeAsync(470_000);
      expect(rig.server.tokens).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(20_000);
    } finally {
      vi.useRealTimers();
    }
    await until(() => expect(rig.server.tokens).toHaveLength(2));
  });
});
