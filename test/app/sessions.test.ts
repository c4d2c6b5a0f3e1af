// Sessions on real stores: names, closing, and starting inside.
import { beforeAll, describe, expect, it } from 'vitest';
import { closeSession, listSessions, openSession, showSession } from '../../shared/app/sessions.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { Actor } from '../../shared/engine/index.ts';
import { Fault } from '../../shared/faults.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { BOSS, human } from '../support/play.ts';
import { conflicts } from '../support/table-contents.ts';
import { freshTables, STORE_KINDS, type FreshTables } from '../support/stores.ts';

const OLGA = human('olga');
const MAX = human('max', 'developer');

const codeOf = (error: unknown): string => (error instanceof Fault ? error.code : String(error));

describe.each(STORE_KINDS)('a session, on %s', (kind) => {
  let tables: FreshTables;
  let app: TestApp;
  let count = 0;
  beforeAll(async () => {
    tables = await freshTables(kind);
    app = appOn(tables);
  });
  const newName = () => `chapter-${++count}`;
  const open = (session_name: string, caller: Actor = OLGA, key?: string, title?: string, on = app) =>
    openSession(on, {
      body: { session_name, ...(title === undefined ? {} : { title }) },
      caller,
      key,
    });
  const opened = async (caller: Actor = OLGA) => (await open(newName(), caller)).session_name;
  const commit = (name: string, caller: Actor = OLGA, on = app) =>
    closeSession(on, name, caller, { kind: 'committed' });
  const cancel = (name: string, caller: Actor = OLGA, on = app) =>
    closeSession(on, name, caller, { kind: 'cancelled', reason: 'Not this way.' });
  const start = (session_name: string, caller: Actor = OLGA, more: object = {}, key?: string, on = app) =>
    startInstance(on, { body: { workflow_id: 'delivery', session_name, ...more }, caller, key });

  describe('has a name', () => {
    it('that one of many takes, also at once and from several processes', async () => {
      const name = newName();
      const others = Array.from({ length: 6 }, (_, i) =>
        open(name, human(`u${i}`), undefined, 'T', appOn(tables)),
      );
      const ends = await Promise.allSettled(others);
      const codes = ends.map((end) => (end.status === 'fulfilled' ? 'opened' : codeOf(end.reason)));
      expect(codes.toSorted()).toEqual([...Array.from({ length: 5 }, () => 'name_taken'), 'opened']);
    });

    it("that stays its owner's: nobody takes it over, open or closed, not even the owner", async () => {
      const name = await opened();
      await expect(open(name, MAX)).rejects.toMatchObject({ code: 'name_taken' });
      await expect(open(name)).rejects.toMatchObject({ code: 'name_taken' });
      await cancel(name);
      await expect(open(name, MAX)).rejects.toMatchObject({ code: 'name_taken' });
      await expect(open(name)).rejects.toMatchObject({ code: 'name_taken' });
    });

    it('whose opening can be repeated under its key, by its owner alone', async () => {
      const name = newName();
      const first = await open(name, OLGA, 'k', 'One');
      expect(await open(name, OLGA, 'k', 'One')).toEqual({ ...first, replayed: true });
      await commit(name);
      expect(await open(name, OLGA, 'k', 'One')).toEqual({ ...first, replayed: true });
      await expect(open(name, OLGA, 'k', 'Two')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
      await expect(open(name, OLGA, 'other', 'One')).rejects.toMatchObject({ code: 'name_taken' });
      await expect(open(name, MAX, 'k', 'One')).rejects.toMatchObject({ code: 'name_taken' });
    });

    it('that others do not learn of', async () => {
      const name = await opened();
      const missing = { code: 'not_found', message: `There is no session "${name}".` };
      await expect(showSession(app, name, MAX, {})).rejects.toMatchObject(missing);
      await expect(commit(name, MAX)).rejects.toMatchObject(missing);
      await expect(cancel(name, MAX)).rejects.toMatchObject(missing);
      await expect(start(name, MAX)).rejects.toMatchObject(missing);
      await expect(showSession(app, 'nowhere', OLGA, {})).rejects.toMatchObject({ code: 'not_found' });
      expect(await showSession(app, name, BOSS, {})).toMatchObject({ owner: 'olga', status: 'open' });
    });

    it("that is in its owner's list, newest first, page by page", async () => {
      const ida = human('ida');
      const names = [];
      for (let i = 0; i < 3; i++) names.unshift(await opened(ida));
      await commit(names[1] ?? '', ida);
      const page = await listSessions(app, ida, { limit: 2 });
      expect(page.items.map(({ session_name, status }) => [session_name, status])).toEqual([
        [names[0], 'open'],
        [names[1], 'committed'],
      ]);
      const rest = await listSessions(app, ida, { limit: 2, next: page.next ?? '' });
      expect(rest).toMatchObject({ items: [{ session_name: names[2] }], next: null });
    });
  });

  describe('is closed', () => {
    it('once: the same again answers the same, the other is refused', async () => {
      const name = await opened();
      const first = await commit(name);
      expect(first).toMatchObject({ status: 'committed', closed_by: 'olga', reason: null });
      expect(await commit(name, BOSS)).toEqual(first);
      await expect(cancel(name)).rejects.toMatchObject({
        code: 'session_closed',
        details: { session_status: 'committed' },
      });
      const other = await opened();
      expect(await cancel(other, BOSS)).toMatchObject({ status: 'cancelled', closed_by: 'boss' });
      expect(await cancel(other)).toMatchObject({ closed_by: 'boss', reason: 'Not this way.' });
      await expect(commit(other)).rejects.toMatchObject({ code: 'session_closed' });
    });

    it('by one write, and by one of those who race for it', async () => {
      const name = await opened();
      app.sent();
      await commit(name);
      expect(app.sent()).toEqual(['QueryCommand', 'PutItemCommand']);
      const raced = await opened();
      const ends = await Promise.allSettled(
        Array.from({ length: 8 }, (_, i) => (i % 2 ? commit : cancel)(raced, OLGA, appOn(tables))),
      );
      const { status } = await showSession(app, raced, OLGA, {});
      const outcomes = ends.map((end) =>
        end.status === 'fulfilled' ? end.value.status : codeOf(end.reason),
      );
      const wins = Array.from({ length: 4 }, () => status as string);
      expect(outcomes.toSorted()).toEqual([...wins, ...Array.from({ length: 4 }, () => 'session_closed')]);
    });
  });

  describe('takes instances', () => {
    it('while it is open, and none afterwards', async () => {
      const name = await opened();
      const { instance_id } = await start(name);
      expect((await app.log.latest(instance_id))?.commit.state.session_name).toBe(name);
      expect(await app.sessions.members(name, undefined, 10)).toEqual([instance_id]);
      await start(name, BOSS);
      await commit(name);
      await expect(start(name)).rejects.toMatchObject({ code: 'session_closed' });
      const other = await opened();
      await cancel(other);
      await expect(start(other)).rejects.toMatchObject({ code: 'session_closed' });
    });

    it('many at once', async () => {
      const name = await opened();
      const started = await Promise.all(
        Array.from({ length: 24 }, () => start(name, OLGA, {}, undefined, appOn(tables))),
      );
      const members = await app.sessions.members(name, undefined, 100);
      expect(members.toSorted()).toEqual(started.map(({ instance_id }) => instance_id).toSorted());
    });

    it('none of which a closing at the same moment misses', async () => {
      const name = await opened();
      const starts = Array.from({ length: 12 }, () => start(name, OLGA, {}, undefined, appOn(tables)));
      await Promise.race(starts);
      await cancel(name, OLGA, appOn(tables));
      const members = new Set(await app.sessions.members(name, undefined, 100));
      const ends = await Promise.allSettled(starts);
      const missed = ends.filter((end) => end.status === 'fulfilled' && !members.has(end.value.instance_id));
      const codes = ends.flatMap((end) => (end.status === 'rejected' ? codeOf(end.reason) : []));
      expect(missed).toEqual([]);
      expect(codes.filter((code) => code !== 'session_closed')).toEqual([]);
    });

    it("also where transactions get in each other's way, and closing waits for them", async () => {
      const name = await opened();
      const busy = appOn(tables);
      const inTheWay = conflicts(busy.client, 4);
      await start(name, OLGA, {}, undefined, {
        ...busy,
        chance: { ...busy.chance, backOff: async () => {} },
      });
      expect(inTheWay()).toBe(0);
      const closing = appOn(tables);
      const before = conflicts(closing.client, 4);
      expect(await commit(name, OLGA, closing)).toMatchObject({ status: 'committed' });
      expect(before()).toBe(0);
    });

    it('not one that is still being written when it is closed', async () => {
      const name = await opened();
      const slow: TestApp = {
        ...app,
        log: {
          ...app.log,
          create: async (first, claims) => {
            await cancel(name, OLGA, appOn(tables));
            return app.log.create(first, claims);
          },
        },
      };
      const begun = start(name, OLGA, { instance_id: 'too-late' }, 'late', slow);
      await expect(begun).rejects.toMatchObject({ code: 'session_closed' });
      expect(await app.log.latest('too-late')).toBeNull();
      expect(await app.sessions.members(name, undefined, 10)).toEqual([]);
    });

    it('more than one of a workflow that allows one outside, without touching that one', async () => {
      const uma = human('uma');
      const name = await opened(uma);
      const outside = await startInstance(app, { body: { workflow_id: 'onboarding' }, caller: uma });
      await start(name, uma, { workflow_id: 'onboarding' });
      await start(name, uma, { workflow_id: 'onboarding' });
      expect(await app.log.activeOf('uma', 'onboarding')).toBe(outside.instance_id);
    });

    it('once under a key, also once it is committed; what was cancelled is not answered again', async () => {
      const [kept, dropped] = [await opened(), await opened()];
      const first = await start(kept, OLGA, {}, 'start-1');
      expect(await start(kept, OLGA, {}, 'start-1')).toEqual({ ...first, replayed: true });
      await commit(kept);
      expect(await start(kept, OLGA, {}, 'start-1')).toEqual({ ...first, replayed: true });
      await start(dropped, OLGA, {}, 'start-2');
      await cancel(dropped);
      await expect(start(dropped, OLGA, {}, 'start-2')).rejects.toMatchObject({ code: 'session_closed' });
    });
  });

  it('costs a signal one read while it is open, and none once it is known to be committed', async () => {
    const name = await opened();
    const { instance_id } = await start(name);
    const body = { action: 'stay' };
    const stay = () => tell(app, { instance_id, type: 'signal', body, caller: human('d', 'developer') });
    app.sent();
    await stay();
    expect(app.sent()).toEqual(['GetItemCommand', 'PutItemCommand']);
    await commit(name);
    await stay();
    app.sent();
    await stay();
    expect(app.sent()).toEqual(['PutItemCommand']);
  });
});
