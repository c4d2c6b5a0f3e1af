// What is heard of a session: on its own topic by those it concerns, elsewhere only once it is committed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toldOfClosing } from '../../shared/app/follow-closing.ts';
import { openSession } from '../../shared/app/sessions.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { subscribe, unsubscribe } from '../../shared/app/subscribe.ts';
import type { Actor } from '../../shared/engine/index.ts';
import type { Closing } from '../../shared/ports.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { idsSent, NOW, startWorld, toldOf, type World } from '../support/listening.ts';
import { agent, BOSS, human, OWNER } from '../support/play.ts';
import { STORE_KINDS } from '../support/stores.ts';

const DEV = agent('dev-1', 'developer');
/** Needed by other workflows than the one that is started here. */
const ELSEWHERE = agent('else', 'elsewhere');
const STRANGER = human('stranger');

describe.each(STORE_KINDS)('the topic of a session, on %s', (kind) => {
  let world: World;
  let app: TestApp;
  let count = 0;
  beforeAll(async () => {
    world = await startWorld(kind);
    app = appOn(world.tables);
  });
  afterAll(() => world.stop());

  const opened = async () => {
    const body = { session_name: `s-${++count}` };
    return (await openSession(app, { body, caller: OWNER })).session_name;
  };
  const started = async (session_name: string, caller: Actor = OWNER) => {
    const body = { workflow_id: 'delivery', session_name };
    return (await startInstance(app, { body, caller })).instance_id;
  };
  const closed = (session_name: string, how: Closing['kind']) =>
    app.sessions.close({ session_name, owner: 'olga', kind: how, by: 'olga', at: NOW, reason: null });
  const listen = async (topic: string, actor: Actor = OWNER): Promise<string> => {
    const id = `c-${++count}`;
    const connection = await world.connect(id, actor);
    await subscribe(world, connection, { topic }, { now: NOW, id });
    return id;
  };
  const heard = (connection_id: string) => idsSent(world.gateway, connection_id);
  const happens = async (instance_id: string) =>
    world.broadcast(toldOf(await world.commit(instance_id)), NOW);

  it('is for its owner, admins, and those whom steps need', async () => {
    const name = await opened();
    for (const actor of [OWNER, BOSS, DEV])
      expect(world.gateway.sent(await listen(`session:${name}`, actor))).toMatchObject([
        { type: 'subscribed', topic: `session:${name}` },
      ]);
    await expect(listen(`session:${name}`, STRANGER)).rejects.toMatchObject({ code: 'not_found' });
    await expect(listen('session:nowhere')).rejects.toMatchObject({ code: 'not_found' });
    await closed(name, 'cancelled');
    await expect(listen(`session:${name}`)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('carries what happens in it, which is heard on no topic of persons or roles', async () => {
    const name = await opened();
    const id = await started(name, BOSS);
    const [owner, dev, own] = [
      await listen(`session:${name}`),
      await listen(`session:${name}`, DEV),
      await listen(`instance:${id}`),
    ];
    const outside = [await listen('user:me'), await listen('role:developer', DEV)];
    await happens(id);
    for (const connection of [owner, dev, own]) expect(heard(connection)).toEqual([`${id}:2.0`]);
    for (const connection of outside) expect(heard(connection)).toEqual([]);
    await unsubscribe(world, { connection_id: owner, actor: OWNER, expires_at: 0 }, `session:${name}`);
    await happens(id);
    expect(heard(owner)).toEqual([`${id}:2.0`]);
  });

  it('tells nobody what they may not read', async () => {
    const name = await opened();
    const id = await started(name);
    const connection = await world.connect('elsewhere', ELSEWHERE);
    const begun = { ...connection, id: 'x', topic: `session:${name}`, since: NOW, after: 0, resumed: false };
    await world.connections.subscribe({ ...begun, phase: { name: 'live', from: 0 } });
    await happens(id);
    expect(heard('elsewhere')).toEqual([]);
  });

  it('goes on after a commit, which it tells itself, and persons and roles hear as well', async () => {
    const name = await opened();
    const id = await started(name);
    const inside = [await listen(`session:${name}`), await listen(`session:${name}`, DEV)];
    const person = await listen('user:me');
    const closing = await closed(name, 'committed');
    await world.broadcast([toldOfClosing(closing)], NOW);
    await world.broadcast([toldOfClosing(closing)], NOW);
    await happens(id);
    const message = `session/${name}:2.0`;
    for (const connection of inside) expect(heard(connection)).toEqual([message, `${id}:2.0`]);
    expect(heard(person)).toEqual([`${id}:2.0`]);
    expect(world.gateway.sent(inside[0] ?? '')[1]).toMatchObject({
      type: 'workflow.session.committed',
      data: { session_name: name, owner: 'olga', committed_by: 'olga', committed_at: NOW },
    });
  });

  it('is silent once it is cancelled', async () => {
    const name = await opened();
    const id = await started(name);
    const all = [await listen(`session:${name}`), await listen(`instance:${id}`), await listen('user:me')];
    const entry = await world.commit(id);
    await closed(name, 'cancelled');
    await world.broadcast(toldOf(entry), NOW);
    for (const connection of all) expect(heard(connection)).toEqual([]);
  });
});
