// Who hears what, once and in order (B1–B5), over a real push endpoint.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBroadcast } from '../../shared/app/broadcast.ts';
import { readTold } from '../../shared/app/publish-told.ts';
import { subscribe } from '../../shared/app/subscribe.ts';
import type { Actor, WorkflowEvent } from '../../shared/engine/index.ts';
import { idsSent, NOW, startWorld, toldOf, type World } from '../support/listening.ts';
import { agent, BOSS, human, OWNER, STRANGER } from '../support/play.ts';
import { STORE_KINDS } from '../support/stores.ts';

const LONGEST_PUSH_MS = 2_000;

const assigned = (assigned_to_role: string): WorkflowEvent => ({
  type: 'workflow.task.assigned',
  data: { assigned_to_role, turn: 2 },
});
const claimed = (role: string): WorkflowEvent => ({ type: 'workflow.task.claimed', data: { role } });
const released: WorkflowEvent = { type: 'workflow.task.released', data: { by: 'arthur' } };
const blocked: WorkflowEvent = { type: 'workflow.step_blocked', data: { reason: 'not yet' } };

describe.each(STORE_KINDS)('broadcast on %s', (kind) => {
  let world: World;
  let count = 0;
  let instance_id: string;
  let topic: string;
  beforeAll(async () => {
    world = await startWorld(kind, LONGEST_PUSH_MS);
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    instance_id = `i-${++count}`;
    topic = `instance:${instance_id}`;
    await world.begin(instance_id);
  });

  let connected = 0;
  async function listen(said: string, actor: Actor = OWNER, expires_at?: number): Promise<string> {
    const connection = await world.connect(`c-${++connected}`, actor, expires_at);
    await subscribe(world, connection, { topic: said }, { now: NOW, id: `s-${connected}` });
    return connection.connection_id;
  }
  const heard = (connection_id: string) => idsSent(world.gateway, connection_id);
  const id = (seq: number, index = 0) => `${instance_id}:${seq}.${index}`;

  it('tells an event as SPEC 6 has it', async () => {
    const listener = await listen(topic);
    await world.broadcast(toldOf(await world.commit(instance_id, [blocked])), NOW);
    expect(world.gateway.sent(listener).at(-1)).toEqual({
      id: id(2),
      type: 'workflow.step_blocked',
      instance_id,
      workflow_id: 'delivery',
      seq: 2,
      of: 1,
      at: '2026-03-01T12:00:00.000Z',
      data: { reason: 'not yet' },
    });
  });

  it('tells the owner everything, and a role its assignments, claims and releases', async () => {
    const owner = await listen('user:me');
    const architect = await listen('role:architect', agent('arthur', 'architect'));
    const developer = await listen('role:developer', agent('dan', 'developer'));
    const events = [blocked, assigned('architect'), claimed('architect'), released, assigned('developer')];
    await world.broadcast(toldOf(await world.commit(instance_id, events)), NOW);
    expect(heard(owner)).toEqual([id(2, 0), id(2, 1), id(2, 2), id(2, 3), id(2, 4)]);
    expect(heard(architect)).toEqual([id(2, 1), id(2, 2), id(2, 3)]);
    expect(heard(developer)).toEqual([id(2, 3), id(2, 4)]);
  });

  it('tells both whoever owns an instance and whoever created it', async () => {
    const service = agent('service');
    const other = `${instance_id}-other`;
    const first = await world.begin(other, { by: service, owner: 'olga' });
    const [owner, creator] = [await listen('user:me'), await listen('user:me', service)];
    await world.broadcast(toldOf(first), NOW);
    expect(heard(owner)).toEqual([`${other}:1.0`, `${other}:1.1`]);
    expect(heard(creator)).toEqual(heard(owner));
  });

  it('tells nothing to those who may not read the instance, whatever they listen to (B5)', async () => {
    // "owner" stands for the owner of an instance; a token that holds it as a role is nobody.
    const impostor = await listen('role:owner', agent('eve', 'owner'));
    const stranger = await world.connect('c-stranger', STRANGER);
    await world.connections.subscribe({
      ...stranger,
      id: 's',
      topic,
      since: NOW,
      after: 0,
      resumed: false,
      phase: { name: 'live', from: 0 },
    });
    await world.broadcast(toldOf(await world.commit(instance_id, [assigned('owner'), blocked])), NOW);
    expect(heard(impostor)).toEqual([]);
    expect(heard('c-stranger')).toEqual([]);
  });

  it('keeps order per connection, whatever the order of the batch, and drops what is in it twice (B3)', async () => {
    const listener = await listen(topic);
    const told = toldOf(
      await world.commit(instance_id, [blocked, blocked]),
      await world.commit(instance_id),
      await world.commit(instance_id),
    );
    await world.broadcast([...told.toReversed(), ...told], NOW);
    expect(heard(listener)).toEqual([id(2, 0), id(2, 1), id(3), id(4)]);
  });

  it('pushes a redelivered record once, and an earlier one that comes late still (B2)', async () => {
    const listener = await listen(topic);
    const [second, third] = toldOf(await world.commit(instance_id), await world.commit(instance_id));
    if (!second || !third) throw new Error('two were written');
    await world.broadcast([third], NOW);
    await world.broadcast([third], NOW);
    await world.broadcast([second, third], NOW);
    expect(heard(listener)).toEqual([id(3), id(2)]);
  });

  it('tells a connection once what belongs to several of its topics (B2)', async () => {
    const actor = human('olga', 'developer');
    const connection = await world.connect(`c-${++connected}`, actor);
    for (const [i, said] of ['user:me', 'role:developer', topic].entries())
      await subscribe(world, connection, { topic: said }, { now: NOW, id: `m-${i}` });
    await world.broadcast(toldOf(await world.commit(instance_id, [assigned('developer')])), NOW);
    expect(heard(connection.connection_id)).toEqual([id(2)]);
  });

  it('forgets connections that are gone, and tells the others', async () => {
    const [gone, here] = [await listen(topic), await listen(topic)];
    world.gateway.gone.add(gone);
    await world.broadcast(toldOf(await world.commit(instance_id)), NOW);
    expect(heard(here)).toEqual([id(2)]);
    expect(await world.connections.find(gone)).toBeNull();
    expect((await world.connections.subscribers(topic)).map((one) => one.connection_id)).toEqual([here]);
  });

  it('hangs up on a connection that takes too long, and holds nobody up for it', async () => {
    const slow = await listen(topic);
    const others = await Promise.all(Array.from({ length: 60 }, () => listen(topic)));
    world.gateway.slow.add(slow);
    const told = toldOf(await world.commit(instance_id), await world.commit(instance_id));
    await world.broadcast(told, NOW);
    for (const other of others) expect(heard(other)).toEqual([id(2), id(3)]);
    expect(heard(slow)).toEqual([]);
    expect(world.gateway.closed).toContain(slow);
    expect(await world.connections.find(slow)).toBeNull();
  });

  it('sends nothing once a token has run out, and hangs up (B5)', async () => {
    const expired = await listen(topic, OWNER, Date.parse(NOW) / 1000);
    await world.broadcast(toldOf(await world.commit(instance_id)), NOW);
    expect(heard(expired)).toEqual([]);
    expect(world.gateway.closed).toContain(expired);
    expect(await world.connections.find(expired)).toBeNull();
  });

  it('hangs up on a connection whose replay has died, so that its client comes again', async () => {
    const connection = await world.connect(`c-${++connected}`);
    const { connection_id } = connection;
    const left = {
      ...connection,
      id: 's',
      topic,
      after: 1,
      resumed: true,
      phase: { name: 'replaying' },
    } as const;
    await world.connections.subscribe({ ...left, since: NOW });
    await world.broadcast(toldOf(await world.commit(instance_id)), NOW);
    expect(world.gateway.closed).not.toContain(connection_id);
    await world.broadcast(toldOf(await world.commit(instance_id)), '2099-03-01T12:01:01.000Z');
    expect(world.gateway.closed).toContain(connection_id);
    expect(heard(connection_id)).toEqual([]);
  });

  it('sends a notice with the same id instead of an event that is too large (PB2)', async () => {
    const listener = await listen(topic);
    const large: WorkflowEvent = { type: 'workflow.reminder', data: { text: 'ü'.repeat(70 * 1024) } };
    await world.broadcast(toldOf(await world.commit(instance_id, [large])), NOW);
    const message = world.gateway.sent(listener).at(-1);
    expect(message).toMatchObject({
      id: id(2),
      type: 'workflow.reminder',
      seq: 2,
      notice: 'too_large',
      href: `/api/workflows/${instance_id}/history?after=1&limit=1`,
    });
    expect(message).not.toHaveProperty('data');
  });

  it('is heard outside its session by those who know its id, and by nobody else (TP1)', async () => {
    const { commit } = await world.commit(instance_id, [assigned('developer')]);
    const inside = readTold({ ...commit, state: { ...commit.state, session_name: 'draft' } });
    const [byId, owner] = [await listen(topic), await listen('user:me')];
    const role = await listen('role:developer', agent('dan', 'developer'));
    await world.broadcast(
      [{ ...inside, seq: 3, messages: inside.messages.map((one) => ({ ...one, seq: 3 })) }],
      NOW,
    );
    expect(heard(byId)).toEqual([id(2)]);
    expect([...heard(owner), ...heard(role)]).toEqual([]);
  });

  it('leaves the owner and admins where the definition cannot be read', async () => {
    const { commit } = await world.commit(instance_id);
    const lost = readTold({ ...commit, state: { ...commit.state, definition: 'lost' } });
    const [owner, admin] = [await listen('user:me'), await listen(`role:developer`, BOSS)];
    const role = await listen('role:developer', agent('dan', 'developer'));
    const message = { ...assigned('developer'), ...lost.messages[0], ...assigned('developer') };
    await world.broadcast([{ ...lost, messages: [message as (typeof lost.messages)[number]] }], NOW); // retyped only
    expect([heard(owner), heard(admin), heard(role)]).toEqual([[id(2)], [id(2)], []]);
  });

  it('asks once per batch whether anyone has come or gone, and reads topics only then (B1)', async () => {
    const commands: string[] = [];
    const ports = world.through((command) => Promise.resolve(void commands.push(command)));
    const broadcast = createBroadcast({ ...ports, push: world.push });
    const listener = await listen(topic);
    const requests = async () => {
      commands.length = 0;
      await broadcast(toldOf(await world.commit(instance_id)), NOW);
      return [...commands];
    };
    expect(await requests()).toEqual(['GetItemCommand', 'QueryCommand', 'QueryCommand']); // instance and owner
    expect(await requests()).toEqual(['GetItemCommand']);
    expect(await requests()).toEqual(['GetItemCommand']);
    const another = await listen(topic);
    expect(await requests()).toEqual(['GetItemCommand', 'QueryCommand', 'QueryCommand']);
    expect(heard(listener)).toEqual([id(2), id(3), id(4), id(5)]);
    expect(heard(another)).toEqual([id(5)]);
  });

  it('asks for nothing when nothing is told', async () => {
    const commands: string[] = [];
    const ports = world.through((command) => Promise.resolve(void commands.push(command)));
    await createBroadcast({ ...ports, push: world.push })(toldOf(await world.commit(instance_id, [])), NOW);
    expect(commands).toEqual([]);
  });

  it('fails as a whole when the store is away, and tells each event once when the batch comes again', async () => {
    let away = false;
    const ports = world.through((command) => {
      if (away && command === 'DeleteItemCommand')
        throw Object.assign(new Error('no'), { code: 'ECONNRESET' });
      return Promise.resolve();
    });
    const broadcast = createBroadcast({ ...ports, push: world.push });
    const [gone, here] = [await listen(topic), await listen(topic)];
    world.gateway.gone.add(gone);
    const told = toldOf(await world.commit(instance_id), await world.commit(instance_id));
    away = true;
    await expect(broadcast(told, NOW)).rejects.toMatchObject({ code: 'unavailable' });
    away = false;
    await broadcast(told, NOW);
    expect(heard(here)).toEqual([id(2), id(3)]);
  });
});
