// Deleting instances: nothing is left but tombstones that expire, and nobody can write to what is gone.
import { beforeAll, describe, expect, it } from 'vitest';
import { followClosing } from '../../shared/app/follow-closing.ts';
import { project } from '../../shared/app/project.ts';
import { closeSession, openSession } from '../../shared/app/sessions.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { Closing, Entry, NewCommit } from '../../shared/ports.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, human, NOON } from '../support/play.ts';
import { contentsOf, dieAfter, type Stored } from '../support/table-contents.ts';
import { freshTables, STORE_KINDS, type FreshTables } from '../support/stores.ts';

const OLGA = human('olga');
const DEV = agent('dev-1', 'runner');
const RELAY = { id: 'relay', steps: [{ id: 'first', agents: ['runner'] }] };
/** Seven days after noon. */
const EXPIRY = Date.parse('2026-03-08T12:00:00.000Z') / 1000;

const nextOf = ({ commit }: Entry, id: string): NewCommit => ({
  ...commit,
  id,
  seq: commit.seq + 1,
  state: { ...commit.state, seq: commit.seq + 1 },
});

describe.each(STORE_KINDS)('deleting, on %s', (kind) => {
  let tables: FreshTables;
  let app: TestApp;
  beforeAll(async () => {
    tables = await freshTables(kind);
    app = process();
  });

  const process = () => appOn(tables, { relay: RELAY });
  const started = async (session_name?: string, key?: string) => {
    const body = { workflow_id: 'relay', ...(session_name === undefined ? {} : { session_name }) };
    return (await startInstance(app, { body, caller: OLGA, key })).instance_id;
  };
  const stay = (instance_id: string, on = app) =>
    tell(on, {
      instance_id,
      type: 'signal',
      body: { action: 'stay', data: { note: 'secret words' } },
      caller: DEV,
      key: `k${Math.random()}`,
    });
  const projected = async (id: string, on = app) => {
    const entry = await on.log.latest(id);
    if (entry) await project(on, entry.commit.state);
  };
  /** A session with a few instances that were worked on and listed. */
  const worked = async (session_name: string, instances = 2) => {
    await openSession(app, { body: { session_name }, caller: OLGA });
    const ids: string[] = [];
    for (let i = 0; i < instances; i++) {
      const id = await started(session_name, `${session_name}-${i}`);
      for (let n = 0; n <= i; n++) await stay(id);
      await projected(id);
      ids.push(id);
    }
    return ids;
  };
  const cancelled = async (name: string): Promise<Closing> => {
    await closeSession(app, name, OLGA, { kind: 'cancelled' });
    const closing = await app.sessions.closingOf(name);
    if (closing === null) throw new Error('it is open');
    return closing;
  };
  /** What is left of a session and its instances: keys that stay, and what expires. */
  const leftOf = async (name: string, ids: readonly string[]) =>
    leftIn(await contentsOf(app.client, tables.table), name, ids);
  const leftIn = (all: readonly Stored[], name: string, ids: readonly string[]) => {
    const text = ({ item }: Stored) => JSON.stringify(item);
    const about = all.filter((one) => [name, ...ids].some((word) => text(one).includes(word)));
    return {
      staying: about.filter(({ expires_at }) => expires_at === undefined).map(({ pk, sk }) => `${pk} ${sk}`),
      expiring: about.filter(({ expires_at }) => expires_at !== undefined),
      secrets: all.filter((one) => text(one).includes('secret words') && about.includes(one)).length,
    };
  };

  it('a cancelled session leaves its own two items and tombstones that expire', async () => {
    const fact = { id: 'f', user_id: 'olga', category: 'c', memory: 'A fact of hers.', metadata: {} };
    await app.memory.add({ ...fact, created_by: 'olga', created_at: NOON });
    const ids = await worked('plain');
    await followClosing(app, await cancelled('plain'), NOON);
    const { staying, expiring, secrets } = await leftOf('plain', ids);
    expect(staying.toSorted()).toEqual(['S#plain C#000000000001', 'S#plain C#000000000002']);
    expect(new Set(expiring.map(({ expires_at }) => expires_at))).toEqual(new Set([EXPIRY]));
    for (const { item } of expiring)
      expect(
        Object.keys(item).filter((name) => !['pk', 'sk', 'erased', 'rank', 'ttl'].includes(name)),
      ).toEqual([]);
    expect(secrets).toBe(0);
    expect(await app.memory.count('olga', 'c')).toBe(1);
  });

  it('wherever it dies, delivering the closing again leaves the same', async () => {
    const probe = await worked('probe');
    const counting = process();
    await followClosing(counting, await cancelled('probe'), NOON);
    const writes = counting.sent().filter((name) => /Put|Delete/.test(name)).length;
    const expected = (await leftOf('probe', probe)).expiring.length;
    expect(writes).toBeGreaterThan(12);
    const sessions = await Promise.all(
      Array.from({ length: writes + 1 }, async (_, died) => {
        const name = `dies-after-${died}-`;
        const ids = await worked(name);
        const closing = await cancelled(name);
        const dying = process();
        dieAfter(dying.client, died);
        await followClosing(dying, closing, NOON).catch(() => {});
        await followClosing(process(), closing, NOON);
        return { name, ids };
      }),
    );
    const all = await contentsOf(app.client, tables.table);
    for (const { name, ids } of sessions) {
      const { staying, expiring, secrets } = leftIn(all, name, ids);
      expect(staying.toSorted()).toEqual([`S#${name} C#000000000001`, `S#${name} C#000000000002`]);
      expect([expiring.length, secrets]).toEqual([expected, 0]);
    }
  });

  it('a writer that remembers cannot bring an instance back, neither from its last commit nor from an earlier one', async () => {
    const [id = ''] = await worked('revive', 1);
    await stay(id);
    const entries = await app.log.after(id, 0, 100);
    expect(entries).toHaveLength(3);
    await followClosing(app, await cancelled('revive'), NOON);
    for (const [i, before] of entries.entries())
      expect(await app.log.append(nextOf(before, `late-${i}`), before)).toEqual({ lostTo: null });
    await expect(stay(id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await app.log.latest(id)).toBeNull();
    expect(await app.log.at(id, 1)).toBeNull();
    expect(await app.log.after(id, 0, 100)).toEqual([]);
  });

  it('a writer at full speed loses in the end: nothing of what it wrote is left', async () => {
    const id = await started();
    const writer = process();
    let written = 0;
    const writing = (async () => {
      for (;;) {
        await stay(id, writer);
        written++;
      }
    })();
    const end = writing.catch((error: unknown) => error);
    while (written < 5) await new Promise((resolve) => setImmediate(resolve));
    await app.log.erase(id, EXPIRY);
    expect(await end).toMatchObject({ code: 'not_found' });
    expect(await leftOf(id, [id])).toMatchObject({ staying: [], secrets: 0 });
    expect(await app.log.latest(id)).toBeNull();
  });

  it('an instance with an active pointer gives it up, unless it points at another by now', async () => {
    const uma = human('uma');
    const start = () => startInstance(app, { body: { workflow_id: 'onboarding' }, caller: uma });
    const first = (await start()).instance_id;
    await tell(app, { instance_id: first, type: 'cancel', body: {}, caller: uma });
    const second = (await start()).instance_id;
    await app.log.erase(first, EXPIRY);
    expect(await app.log.activeOf('uma', 'onboarding')).toBe(second);
    await app.log.erase(second, EXPIRY);
    expect(await app.log.activeOf('uma', 'onboarding')).toBeNull();
    await start();
  });

  it('an erased id cannot be taken again while its tombstones last', async () => {
    const body = { workflow_id: 'relay', instance_id: 'chosen' };
    await startInstance(app, { body, caller: OLGA });
    await app.log.erase('chosen', EXPIRY);
    await expect(startInstance(app, { body, caller: OLGA })).rejects.toMatchObject({ code: 'name_taken' });
  });
});
