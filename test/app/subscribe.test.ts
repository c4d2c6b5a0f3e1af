// Replay, then live: without a gap and without a double, wherever a commit and its broadcast fall in between (G1, G2).
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBroadcast } from '../../shared/app/broadcast.ts';
import { subscribe, unsubscribe } from '../../shared/app/subscribe.ts';
import { agent, BOSS, human, NOON, OWNER, STRANGER } from '../support/play.ts';
import { idsSent, NOW, startWorld, toldOf, type World } from '../support/listening.ts';
import { STORE_KINDS } from '../support/stores.ts';

const AT = { now: NOW, id: 's1' };

describe.each(STORE_KINDS)('subscribing on %s', (kind) => {
  let world: World;
  let count = 0;
  beforeAll(async () => {
    world = await startWorld(kind);
  });
  afterAll(() => world.stop());

  /** An instance with three commits, and a connection, both new. */
  async function prepared(actor = OWNER) {
    const n = ++count;
    const instance_id = `i-${n}`;
    const first = await world.begin(instance_id);
    const entries = [first, await world.commit(instance_id), await world.commit(instance_id)];
    return {
      instance_id,
      topic: `instance:${instance_id}`,
      entries,
      connection: await world.connect(`c-${n}`, actor),
    };
  }
  const idsOf = (instance_id: string, ...seqs: number[]) => seqs.map((seq) => `${instance_id}:${seq}.0`);

  it('says where the log stands, replays what comes after `after` in order, then goes live', async () => {
    const { instance_id, topic, connection } = await prepared();
    await subscribe(world, connection, { topic, after: 1 }, AT);
    await world.broadcast(toldOf(await world.commit(instance_id)), NOW);
    const [greeting] = world.gateway.sent(connection.connection_id);
    expect(greeting).toEqual({ type: 'subscribed', topic, seq: 3 });
    expect(idsSent(world.gateway, connection.connection_id)).toEqual(idsOf(instance_id, 2, 3, 4));
  });

  it('replays nothing without `after`, and hears what comes from then on', async () => {
    const { instance_id, topic, connection, entries } = await prepared();
    await subscribe(world, connection, { topic }, AT);
    await world.broadcast(toldOf(...entries, await world.commit(instance_id)), NOW);
    expect(world.gateway.sent(connection.connection_id)).toMatchObject([
      { type: 'subscribed', topic, seq: 3 },
      {
        id: `${instance_id}:4.0`,
        type: 'workflow.reminder',
        workflow_id: 'delivery',
        seq: 4,
        of: 1,
        at: NOON,
      },
    ]);
  });

  it('is exact wherever the commit and its broadcast fall between two requests of the subscriber', async () => {
    let points = Number.POSITIVE_INFINITY;
    let tried = 0;
    let step = () => Promise.resolve();
    const paused = world.through(() => step());
    // Every pair on the first store, neighbours on the others.
    const most = kind === STORE_KINDS[0] ? points : 1;
    for (let commitAt = 0; commitAt < points; commitAt++)
      for (let broadcastAt = commitAt; broadcastAt < Math.min(points, commitAt + most + 1); broadcastAt++) {
        const { instance_id, topic, connection, entries } = await prepared();
        const { connection_id } = connection;
        await world.broadcast(toldOf(...entries), NOW); // its cache knows the topic, with nobody on it
        let point = 0;
        step = async () => {
          const now = point++;
          if (now === commitAt) entries.push(await world.commit(instance_id));
          if (now === broadcastAt) await world.broadcast(toldOf(...entries), NOW);
        };
        world.gateway.before = (to) => (to === connection_id && point < 100 ? step() : Promise.resolve());
        await subscribe(paused, connection, { topic, after: 1 }, AT);
        const made = point;
        point = 100;
        points = Math.min(points, made);
        // The later the commit, the fewer requests: it may all have been over before.
        if (made <= commitAt) entries.push(await world.commit(instance_id));
        if (made <= broadcastAt) await world.broadcast(toldOf(...entries), NOW);
        const expectAll = () =>
          expect(
            idsSent(world.gateway, connection_id),
            `commit at ${commitAt}, broadcast at ${broadcastAt}`,
          ).toEqual(idsOf(instance_id, ...entries.slice(1).map(({ commit: { seq } }) => seq)));
        expectAll();
        await world.broadcast(toldOf(...entries), NOW);
        expectAll(); // a redelivery adds nothing
        entries.push(await world.commit(instance_id));
        await world.broadcast(toldOf(...entries), NOW);
        expectAll();
        tried++;
      }
    world.gateway.before = () => Promise.resolve();
    expect(tried).toBeGreaterThan(15);
  });

  it('is exact wherever the subscriber falls between two requests of the broadcast', async () => {
    let points = Number.POSITIVE_INFINITY;
    for (let at = 0; at < points; at++) {
      const { instance_id, topic, connection, entries } = await prepared();
      let point = 0;
      const broadcast = createBroadcast({
        ...world.through(async () => {
          if (point++ === at) await subscribe(world, connection, { topic, after: 1 }, AT);
        }),
        push: world.push,
      });
      await broadcast(toldOf(...entries), NOW);
      points = Math.min(points, point);
      entries.push(await world.commit(instance_id));
      await broadcast(toldOf(...entries), NOW);
      expect(idsSent(world.gateway, connection.connection_id), `at ${at}`).toEqual(
        idsOf(instance_id, 2, 3, 4),
      );
    }
    expect(points).toBeGreaterThan(1);
  });

  it('is exact however commits, broadcasts and two subscribers are interleaved', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 4 }), async (s, commits) => {
        const { instance_id, topic, connection, entries } = await prepared();
        const other = await world.connect(`${connection.connection_id}-other`);
        const ports = world.through((command) => s.schedule(Promise.resolve(), command));
        const broadcast = createBroadcast({ ...ports, push: world.push });
        const writing = async () => {
          for (let i = 0; i < commits; i++) {
            await s.schedule(Promise.resolve(), 'commit');
            entries.push(await world.commit(instance_id));
            await broadcast(toldOf(...entries.slice(-2)), NOW); // each is delivered twice
          }
        };
        const subscribing = async () => {
          await subscribe(ports, connection, { topic, after: 2 }, AT);
          await subscribe(ports, other, { topic, after: 1 }, { now: NOW, id: 's2' });
        };
        await s.waitFor(Promise.all([writing(), subscribing()]));
        const last = entries.length;
        const from = (seq: number) => Array.from({ length: last - seq + 1 }, (_, i) => seq + i);
        expect(idsSent(world.gateway, connection.connection_id)).toEqual(idsOf(instance_id, ...from(3)));
        expect(idsSent(world.gateway, other.connection_id)).toEqual(idsOf(instance_id, ...from(2)));
      }),
      { numRuns: 25 },
    );
  });

  it('hears an event once that belongs to several of its topics, replayed or live', async () => {
    const { instance_id, topic, connection, entries } = await prepared();
    await subscribe(world, connection, { topic: 'user:me' }, AT);
    let updates = 0;
    const paused = world.through(async (command) => {
      // Counted as a change, not live yet: the topic of the instance decides alone from here on.
      if (command === 'UpdateItemCommand' && ++updates === 3)
        await world.broadcast(toldOf(...entries.slice(1)), NOW);
    });
    await subscribe(paused, connection, { topic, after: 1 }, { now: NOW, id: 's2' });
    await world.broadcast(toldOf(await world.commit(instance_id)), NOW);
    expect(idsSent(world.gateway, connection.connection_id)).toEqual(idsOf(instance_id, 2, 3, 4));
  });

  it('is not told again on user:me what it says it has', async () => {
    const { instance_id, topic, connection, entries } = await prepared();
    await subscribe(world, connection, { topic: 'user:me' }, AT);
    await subscribe(world, connection, { topic, after: 3 }, { now: NOW, id: 's2' });
    await world.broadcast(toldOf(...entries, await world.commit(instance_id)), NOW);
    expect(idsSent(world.gateway, connection.connection_id)).toEqual(idsOf(instance_id, 4));
  });

  it('keeps hearing its own events on user:me while an instance is subscribed to without `after`', async () => {
    const { instance_id, topic, connection } = await prepared();
    await subscribe(world, connection, { topic: 'user:me' }, AT);
    const fourth = await world.commit(instance_id);
    await subscribe(world, connection, { topic }, { now: NOW, id: 's2' });
    await world.broadcast(toldOf(fourth, await world.commit(instance_id)), NOW);
    expect(idsSent(world.gateway, connection.connection_id)).toEqual(idsOf(instance_id, 4, 5));
  });

  it('replays only the newest commits of a long absence, and says where it began', async () => {
    const { instance_id, topic, connection } = await prepared();
    for (let i = 0; i < 3; i++) await world.commit(instance_id);
    await subscribe(world, connection, { topic, after: 1 }, { ...AT, mostReplayed: 2 });
    expect(world.gateway.sent(connection.connection_id)[0]).toEqual({
      type: 'subscribed',
      topic,
      seq: 6,
      after: 4,
    });
    expect(idsSent(world.gateway, connection.connection_id)).toEqual(idsOf(instance_id, 5, 6));
  });

  it('hangs up when time runs out in the middle of a replay, so that its client resumes (G3)', async () => {
    const { instance_id, topic, connection } = await prepared();
    let left = 1;
    await subscribe(world, connection, { topic, after: 1 }, { ...AT, hasTime: () => left-- > 0 });
    expect(idsSent(world.gateway, connection.connection_id)).toEqual(idsOf(instance_id, 2));
    expect(world.gateway.closed).toContain(connection.connection_id);
    expect(await world.connections.subscribers(topic)).toEqual([]);
  });

  it.each([
    ['another user’s instance', STRANGER, (id: string) => `instance:${id}`, 'not_found'],
    ['an instance that is not there', OWNER, () => 'instance:none', 'not_found'],
    ['a role one does not hold', OWNER, () => 'role:qa', 'not_found'],
    ['another user', OWNER, () => 'user:somebody', 'not_found'],
    ['a session', BOSS, () => 'session:any', 'not_found'],
    ['a topic that is none', OWNER, () => 'weather', 'invalid_request'],
    ['a topic of a kind that is none', OWNER, () => 'planet:mars', 'invalid_request'],
    ['a topic without a name', OWNER, () => 'role:', 'invalid_request'],
  ])('refuses %s', async (_, actor, topic, code) => {
    const { instance_id, connection } = await prepared(actor);
    await expect(subscribe(world, connection, { topic: topic(instance_id) }, AT)).rejects.toMatchObject({
      code,
    });
    expect(world.gateway.sent(connection.connection_id)).toEqual([]);
  });

  it('refuses to resume after a commit that does not exist yet', async () => {
    const { topic, connection } = await prepared();
    await expect(subscribe(world, connection, { topic, after: 4 }, AT)).rejects.toMatchObject({
      code: 'invalid_request',
      details: { version: 3 },
    });
  });

  it.each([
    ['a role that is held', agent('arthur', 'architect'), 'role:architect'],
    ['any role, as an admin', BOSS, 'role:architect'],
    ['oneself', human('olga'), 'user:me'],
    ['oneself by name', human('olga'), 'user:olga'],
  ])('allows %s', async (_, actor, topic) => {
    const { connection } = await prepared(actor);
    await subscribe(world, connection, { topic }, AT);
    expect(world.gateway.sent(connection.connection_id)).toEqual([{ type: 'subscribed', topic, seq: 0 }]);
  });

  it('is over after unsubscribing, for a broadcast that knew the subscription too', async () => {
    const { instance_id, topic, connection } = await prepared();
    await subscribe(world, connection, { topic }, AT);
    await world.broadcast(toldOf(await world.commit(instance_id)), NOW);
    await unsubscribe(world, connection, topic);
    await world.broadcast(toldOf(await world.commit(instance_id)), NOW);
    expect(idsSent(world.gateway, connection.connection_id)).toEqual(idsOf(instance_id, 4));
    expect(world.gateway.sent(connection.connection_id).at(-1)).toEqual({ type: 'unsubscribed', topic });
  });

  it('leaves no subscription behind when the log cannot be read (G3)', async () => {
    const { topic, connection } = await prepared();
    let queries = 0;
    const failing = world.through((command) => {
      if (command === 'QueryCommand' && ++queries === 2)
        throw Object.assign(new Error('no'), { code: 'ECONNRESET' });
      return Promise.resolve();
    });
    await expect(subscribe(failing, connection, { topic, after: 1 }, AT)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await world.connections.subscribers(topic)).toEqual([]);
  });

  it('forgets a connection that is gone in the middle of a replay', async () => {
    const { topic, connection } = await prepared();
    world.gateway.gone.add(connection.connection_id);
    await subscribe(world, connection, { topic, after: 1 }, AT);
    expect(await world.connections.find(connection.connection_id)).toBeNull();
    expect(await world.connections.subscribers(topic)).toEqual([]);
  });

  it('tells a connection that was dropped to come again', async () => {
    const { topic, connection } = await prepared();
    await world.connections.forget(connection.connection_id);
    await expect(subscribe(world, connection, { topic, after: 1 }, AT)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
    expect(await world.connections.subscribers(topic)).toEqual([]);
  });
});
