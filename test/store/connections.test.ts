// Who is connected and who listens to what (CN1–CN3), on every store there is.
import { GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection, Subscription } from '../../shared/ports.ts';
import { createConnections } from '../../shared/store/connections.ts';
import { connectionKey, subscriptionKey } from '../../shared/store/keys.ts';
import { LATER, NOW, startWorld, type World } from '../support/listening.ts';
import { human } from '../support/play.ts';
import { STORE_KINDS } from '../support/stores.ts';

describe.each(STORE_KINDS)('connections on %s', (kind) => {
  let world: World;
  let count = 0;
  let connection: Connection;
  let topic: string;
  beforeAll(async () => {
    world = await startWorld(kind);
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    connection = await world.connect(`c-${++count}`, human('olga', 'qa', 'lead'));
    topic = `instance:i-${count}`;
  });

  const subscription = (more: Partial<Subscription> = {}): Subscription => ({
    ...connection,
    id: 's1',
    topic,
    since: NOW,
    after: 3,
    resumed: true,
    phase: { name: 'replaying' },
    ...more,
  });
  const subscribed = async (more: Partial<Subscription> = {}) => {
    const one = subscription(more);
    expect(await world.connections.subscribe(one)).toBe('subscribed');
    return one;
  };
  const everything = async () => {
    const { Items = [] } = await world
      .client()
      .send(new ScanCommand({ TableName: world.tables.connections }));
    return Items.filter(({ pk, sk }) => [pk?.S, sk?.S].join().includes(connection.connection_id));
  };

  it('finds a connection as it was opened, and nothing once it is forgotten', async () => {
    expect(await world.connections.find(connection.connection_id)).toEqual(connection);
    await world.connections.forget(connection.connection_id);
    expect(await world.connections.find(connection.connection_id)).toBeNull();
  });

  it('gives back a subscription as it was written, replaying or live', async () => {
    const replaying = await subscribed();
    expect(await world.connections.subscribers(topic)).toEqual([replaying]);
    const live = await subscribed({ phase: { name: 'live', from: 7 } });
    expect(await world.connections.subscribers(topic)).toEqual([live]);
  });

  it('lets both end by themselves two hours and ten minutes after they began', async () => {
    await subscribed();
    const keys = [connectionKey(connection.connection_id), subscriptionKey(topic, connection.connection_id)];
    for (const { pk, sk } of keys) {
      const Key = { pk: { S: pk }, sk: { S: sk } };
      const { Item } = await world
        .client()
        .send(new GetItemCommand({ TableName: world.tables.connections, Key }));
      expect(new Date(Number(Item?.ttl?.N) * 1000).toISOString()).toBe('2099-03-01T14:10:00.000Z');
    }
  });

  it('counts a change only after the subscription is written (CN1)', async () => {
    const before = await world.connections.generation();
    const seen: [number, number][] = [];
    const paused = createConnections(
      world.client(async () => {
        seen.push([
          await world.connections.generation(),
          (await world.connections.subscribers(topic)).length,
        ]);
      }),
      world.tables.connections,
    );
    await paused.subscribe(subscription());
    expect(seen).toEqual([
      [before, 0],
      [before, 0],
      [before, 1],
    ]);
    expect(await world.connections.generation()).toBe(before + 1);
  });

  it('counts unsubscribing as a change, and leaves nothing of it', async () => {
    await subscribed();
    const before = await world.connections.generation();
    await world.connections.unsubscribe(topic, connection.connection_id);
    expect(await world.connections.generation()).toBe(before + 1);
    expect(await world.connections.subscribers(topic)).toEqual([]);
  });

  it('forgets a connection with every subscription it has', async () => {
    await subscribed();
    await subscribed({ topic: 'role:qa' });
    expect(await everything()).toHaveLength(3);
    await world.connections.forget(connection.connection_id);
    expect(await everything()).toEqual([]);
  });

  it('takes no subscription of a connection that is not known', async () => {
    await world.connections.forget(connection.connection_id);
    expect(await world.connections.subscribe(subscription())).toBe('not_connected');
    await world.connections.unsubscribe(topic, connection.connection_id);
    expect(await everything()).toEqual([]);
  });

  it('takes a hundred topics of one connection and no more, but each of them again', async () => {
    for (let i = 0; i < 100; i++) await subscribed({ topic: `${topic}-${i}` });
    expect(await world.connections.subscribe(subscription())).toBe('too_many');
    expect(await world.connections.subscribe(subscription({ topic: `${topic}-7` }))).toBe('subscribed');
    await world.connections.unsubscribe(`${topic}-7`, connection.connection_id);
    expect(await world.connections.subscribe(subscription())).toBe('subscribed');
  });

  it('goes live where nothing was left to it', async () => {
    const one = await subscribed();
    expect(await world.connections.goLive(one, 5)).toBe('live');
    expect(await world.connections.subscribers(topic)).toEqual([
      { ...one, phase: { name: 'live', from: 5 } },
    ]);
    expect(await world.connections.goLive(one, 5)).toBe('live'); // a retry of our own
  });

  it.each([
    ['goes live at the commit that was left to it', 6, 'live'],
    ['goes live past the commit that was left to it', 7, 'live'],
    ['stays behind before the commit that was left to it', 5, 'behind'],
  ])('%s (CN2)', async (_, from, outcome) => {
    const one = await subscribed();
    expect(await world.connections.leaveToReplay(one, 6)).toBe('left');
    expect(await world.connections.leaveToReplay(one, 4)).toBe('left'); // an earlier one changes nothing
    expect(await world.connections.goLive(one, from)).toBe(outcome);
  });

  it('tells who leaves a commit to it that it is live by now, or gone', async () => {
    const one = await subscribed();
    await world.connections.goLive(one, 5);
    expect(await world.connections.leaveToReplay(one, 6)).toEqual({
      ...one,
      phase: { name: 'live', from: 5 },
    });
    await world.connections.unsubscribe(topic, connection.connection_id);
    expect(await world.connections.leaveToReplay(one, 7)).toBeNull();
    expect(await world.connections.subscribers(topic)).toEqual([]);
  });

  it('does not go live over a later subscription of the same connection, nor after it was taken back', async () => {
    const first = await subscribed();
    const second = await subscribed({ id: 's2', after: 4 });
    expect(await world.connections.goLive(first, 5)).toBe('replaced');
    expect(await world.connections.goLive(second, 5)).toBe('live');
    await world.connections.unsubscribe(topic, connection.connection_id);
    expect(await world.connections.goLive(second, 5)).toBe('replaced');
  });

  it('lists all listeners of a topic that many share', async () => {
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        world.connect(`${connection.connection_id}-${i}`, human(`u${i}`), LATER),
      ),
    );
    for (const each of all) await world.connections.subscribe({ ...subscription(), ...each });
    const subs = (await world.connections.subscribers(topic)).map(({ actor }) => actor.sub);
    expect(new Set(subs)).toEqual(new Set(all.map(({ actor }) => actor.sub)));
  });
});
