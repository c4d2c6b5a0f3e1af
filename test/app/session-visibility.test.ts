// Who sees what was started in a session: before it is closed, once it is committed, once it is cancelled.
import { beforeAll, describe, expect, it } from 'vitest';
import { followClosing } from '../../shared/app/follow-closing.ts';
import { listInstances } from '../../shared/app/list-instances.ts';
import { pendingTasks } from '../../shared/app/pending-tasks.ts';
import { headOf, project } from '../../shared/app/project.ts';
import { activeInstance, details, history } from '../../shared/app/read-instance.ts';
import { closeSession, openSession, showSession } from '../../shared/app/sessions.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { Actor } from '../../shared/engine/index.ts';
import type { Closing } from '../../shared/ports.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, BOSS, human, NOON } from '../support/play.ts';
import { dieAfter } from '../support/table-contents.ts';
import { freshTables, STORE_KINDS, type FreshTables } from '../support/stores.ts';

const OLGA = human('olga');
const DEV = agent('dev-1', 'developer');
const STRANGER = human('stranger');

describe.each(STORE_KINDS)('an instance in a session, on %s', (kind) => {
  let tables: FreshTables;
  let app: TestApp;
  let count = 0;
  beforeAll(async () => {
    tables = await freshTables(kind);
    app = appOn(tables);
  });

  const opened = async () => {
    const body = { session_name: `draft-${++count}` };
    return (await openSession(app, { body, caller: OLGA })).session_name;
  };
  const started = async (session_name: string, workflow_id = 'delivery', caller: Actor = OLGA) => {
    const { instance_id } = await startInstance(app, { body: { workflow_id, session_name }, caller });
    await projected(instance_id);
    return instance_id;
  };
  const stateOf = async (id: string) => {
    const entry = await app.log.latest(id);
    if (entry === null) throw new Error(`${id} is not there`);
    return entry.commit.state;
  };
  const projected = async (id: string) => project(app, await stateOf(id));
  const closed = async (name: string, how: Closing['kind']): Promise<Closing> => {
    await closeSession(appOn(tables), name, OLGA, { kind: how });
    const closing = await app.sessions.closingOf(name);
    if (closing === null) throw new Error('it is open');
    return closing;
  };
  const followed = async (name: string, how: Closing['kind']) =>
    followClosing(app, await closed(name, how), NOON);
  const listed = async (caller: Actor, filter: { session_name?: string; workflow_id?: string } = {}) =>
    (await listInstances(app, caller, { ...filter, limit: 100 })).items.map(({ instance_id }) => instance_id);
  const inbox = async (caller: Actor, role: string) =>
    (await pendingTasks(app, caller, { role, limit: 100 })).tasks.map(({ task_id }) => task_id);

  describe('until it is committed', () => {
    it('is in no list, no inbox and not the active one', async () => {
      const name = await opened();
      const id = await started(name);
      const walk = await started(name, 'onboarding');
      for (const caller of [OLGA, DEV, BOSS]) expect(await listed(caller)).not.toContain(id);
      expect(await listed(DEV, { workflow_id: 'delivery' })).not.toContain(id);
      expect(await inbox(DEV, 'developer')).not.toContain(id);
      await expect(activeInstance(app, OLGA, 'onboarding')).rejects.toMatchObject({ code: 'not_found' });
      expect(await stateOf(walk)).toMatchObject({ status: 'in_progress', session_name: name });
    });

    it("is there by its id for its creator, its session's owner and the agents its steps need", async () => {
      const name = await opened();
      const id = await started(name, 'delivery', BOSS);
      for (const caller of [OLGA, DEV, BOSS]) {
        const shown = await details(app, id, caller);
        expect(shown).toMatchObject({ instance_id: id, session_name: name });
        expect(shown).not.toHaveProperty('committed_from_session');
      }
      await expect(details(app, id, STRANGER)).rejects.toMatchObject({ code: 'not_found' });
      const claim = { instance_id: id, type: 'claim' as const, body: {}, caller: DEV };
      expect(await tell(app, claim)).toMatchObject({ current_step: 'implementing' });
    });

    it("is in its session's list, which is its owner's and an admin's alone", async () => {
      const name = await opened();
      const ids = [await started(name), await started(name)].toSorted();
      for (const caller of [OLGA, BOSS])
        expect((await listed(caller, { session_name: name })).toSorted()).toEqual(ids);
      for (const caller of [DEV, STRANGER]) expect(await listed(caller, { session_name: name })).toEqual([]);
      const shown = await showSession(app, name, OLGA, { limit: 100 });
      expect(shown).toMatchObject({ status: 'open', next: null, consistency: 'eventual' });
      expect(shown.instances.map(({ instance_id }) => instance_id).toSorted()).toEqual(ids);
    });
  });

  describe('once it is committed', () => {
    it('is where all others are, with a mark', async () => {
      const name = await opened();
      const [id, walk] = [await started(name), await started(name, 'onboarding')];
      await followed(name, 'committed');
      const mark = { session_name: name, committed_from_session: name };
      expect(await details(app, id, OLGA)).toMatchObject(mark);
      expect(await activeInstance(app, OLGA, 'onboarding')).toMatchObject({ instance_id: walk, ...mark });
      const { items } = await listInstances(app, OLGA, { limit: 100 });
      expect(items.find(({ instance_id }) => instance_id === id)).toMatchObject(mark);
      expect(await listed(DEV)).toContain(id);
      expect(await inbox(DEV, 'developer')).toContain(id);
      expect(await listed(DEV, { session_name: name })).toEqual([id]);
      expect(await listed(STRANGER, { session_name: name })).toEqual([]);
      expect((await showSession(app, name, OLGA, {})).instances).toHaveLength(2);
      expect(await app.sessions.members(name, undefined, 10)).toEqual([]);
    });

    it('is global by its id at once, before any projection follows, also to a process that saw it open', async () => {
      const name = await opened();
      const id = await started(name);
      await details(app, id, DEV);
      await closed(name, 'committed');
      expect(await details(app, id, DEV)).toMatchObject({ committed_from_session: name });
    });

    it('goes on, and every further projection is global', async () => {
      const name = await opened();
      const id = await started(name);
      await followed(name, 'committed');
      await tell(app, { instance_id: id, type: 'claim', body: {}, caller: DEV });
      await projected(id);
      const { items } = await listInstances(app, OLGA, { limit: 100 });
      expect(items.find(({ instance_id }) => instance_id === id)).toMatchObject({
        version: 2,
        committed_from_session: name,
      });
    });

    it('is not hidden again by a projection that found the session open and comes late', async () => {
      const name = await opened();
      const id = await started(name);
      await tell(app, { instance_id: id, type: 'claim', body: {}, caller: DEV });
      const workflow = await app.definitions.current('delivery');
      if (workflow === null) throw new Error('no delivery');
      const hidden = headOf(workflow, await stateOf(id), 'session');
      await followed(name, 'committed');
      await app.listings.project(hidden);
      expect(await listed(OLGA)).toContain(id);
      expect(await inbox(DEV, 'developer')).toContain(id);
    });

    it('is projected with the others, wherever the first delivery of the closing died', async () => {
      for (const writes of [0, 1, 2, 3, 5, 8]) {
        const name = await opened();
        const ids = [];
        for (let i = 0; i < 4; i++) ids.push(await started(name));
        const closing = await closed(name, 'committed');
        const dying = appOn(tables);
        dieAfter(dying.client, writes);
        await followClosing(dying, closing, NOON).catch(() => {});
        await followClosing(appOn(tables), closing, NOON);
        expect(await listed(OLGA)).toEqual(expect.arrayContaining(ids));
        expect(await app.sessions.members(name, undefined, 10)).toEqual([]);
      }
    });
  });

  describe('once it is cancelled', () => {
    it('is gone at once, for everyone and in every process, before anything is deleted', async () => {
      const name = await opened();
      const id = await started(name);
      const warm = appOn(tables);
      const stay = (on: TestApp) =>
        tell(on, { instance_id: id, type: 'signal', body: { action: 'stay' }, caller: DEV });
      await stay(warm);
      await closed(name, 'cancelled');
      for (const caller of [OLGA, DEV, BOSS]) {
        await expect(details(app, id, caller)).rejects.toMatchObject({ code: 'not_found' });
        await expect(history(app, id, caller, { limit: 10 })).rejects.toMatchObject({ code: 'not_found' });
      }
      await expect(stay(warm)).rejects.toMatchObject({ code: 'not_found' });
      await expect(stay(appOn(tables))).rejects.toMatchObject({ code: 'not_found' });
      for (const caller of [OLGA, BOSS]) expect(await listed(caller, { session_name: name })).toEqual([]);
      expect((await app.log.latest(id))?.commit.seq).toBe(2);
    });

    it('is not listed by a projection that comes before it is deleted', async () => {
      const name = await opened();
      const body = { workflow_id: 'delivery', session_name: name };
      const { instance_id } = await startInstance(app, { body, caller: OLGA });
      await closed(name, 'cancelled');
      await projected(instance_id);
      expect(await app.listings.list({ session: name }, undefined, 10)).toEqual([]);
    });

    it('is not listed by a projection that comes late', async () => {
      const name = await opened();
      const id = await started(name);
      const workflow = await app.definitions.current('delivery');
      if (workflow === null) throw new Error('no delivery');
      const state = await stateOf(id);
      await followed(name, 'cancelled');
      await app.listings.project(headOf(workflow, state, 'session'));
      await project(app, state);
      expect(await app.listings.list({ session: name }, undefined, 10)).toEqual([]);
    });
  });
});
