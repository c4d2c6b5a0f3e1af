// Load → gather facts → decide → commit, on real stores.
import { beforeAll, describe, expect, it } from 'vitest';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import { KEPT_KEYS, replay } from '../../shared/engine/index.ts';
import { agent, human, STRANGER } from '../support/play.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { freshTables, STORE_KINDS, type FreshTables } from '../support/stores.ts';

const OLGA = human('olga');
const RELAY = {
  id: 'relay',
  steps: [
    { id: 'first', agents: ['runner'] },
    { id: 'second', agents: ['runner'] },
  ],
};

describe.each(STORE_KINDS)('saying something to an instance, on %s', (kind) => {
  let tables: FreshTables;
  let app: TestApp;
  beforeAll(async () => {
    tables = await freshTables(kind);
    app = appOn(tables, { relay: RELAY });
  });

  const start = async (workflow_id = 'relay', by = OLGA) =>
    (await startInstance(app, { body: { workflow_id }, caller: by })).instance_id;
  const stay = (on: TestApp, instance_id: string, data = {}, key?: string) =>
    tell(on, { instance_id, type: 'signal', body: { action: 'stay', data }, caller: OLGA, key });
  const log = (instance_id: string) => app.log.after(instance_id, 0, 1_000);

  it('costs one request when warm and two when cold', async () => {
    const id = await start();
    app.sent();
    await stay(app, id);
    expect(app.sent()).toEqual(['PutItemCommand']);
    const cold = appOn(tables, { relay: RELAY });
    await stay(cold, id);
    expect(cold.sent()).toEqual(['QueryCommand', 'PutItemCommand']);
    await stay(cold, id);
    expect(cold.sent()).toEqual(['PutItemCommand']);
  });

  it('refuses only on a fresh read: a state remembered from before never says no', async () => {
    const id = await start();
    const other = appOn(tables, { relay: RELAY });
    await stay(other, id);
    const done = { action: 'complete_step', step: 'first' };
    await tell(app, { instance_id: id, type: 'signal', body: done, caller: OLGA });
    other.sent();
    const late = { action: 'complete_step', step: 'second' };
    const answer = await tell(other, { instance_id: id, type: 'signal', body: late, caller: OLGA });
    expect(answer).toMatchObject({ result: 'completed', version: 4 });
  });

  it('lets one of many writers win each time; every one lands, none twice', async () => {
    const id = await start();
    const others = Array.from({ length: 4 }, () => appOn(tables, { relay: RELAY }));
    await Promise.all(
      Array.from({ length: 32 }, (_, i) => stay(others[i % others.length] ?? app, id, { [`n${i}`]: i })),
    );
    const entries = await log(id);
    expect(entries.map(({ commit }) => commit.seq)).toEqual(Array.from({ length: 33 }, (_, i) => i + 1));
    const said = entries.slice(1).map(({ commit }) => Object.keys(commit.signal.body.data ?? {})[0]);
    expect(new Set(said).size).toBe(32);
  });

  it('chains the commits by the hash of the text, and every state follows from the log alone', async () => {
    const id = await start();
    for (let i = 0; i < 5; i++) await stay(app, id, { i });
    const entries = await log(id);
    entries.slice(1).forEach(({ commit }, i) => expect(commit.previous).toBe(entries[i]?.hash));
    expect(entries[0]?.commit.previous).toBe('');
    const workflow = await app.definitions.current('relay');
    expect(
      workflow &&
        replay(
          workflow,
          entries.map(({ commit }) => commit),
        ),
    ).toEqual({ ok: true });
  });

  describe('under an idempotency key', () => {
    it('answers a repeat as the first time and writes nothing', async () => {
      const id = await start();
      const first = await stay(app, id, { a: 1 }, 'k');
      const again = await stay(app, id, { a: 1 }, 'k');
      expect(again).toEqual({ ...first, replayed: true });
      expect(await log(id)).toHaveLength(2);
    });

    it('writes one commit for many at once, from several processes', async () => {
      const id = await start();
      const others = Array.from({ length: 4 }, () => appOn(tables, { relay: RELAY }));
      const answers = await Promise.all(
        others.flatMap((on) => [stay(on, id, {}, 'k'), stay(on, id, {}, 'k')]),
      );
      expect(new Set(answers.map(({ version }) => version))).toEqual(new Set([2]));
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(await log(id)).toHaveLength(2);
    });

    it('finds a key that the ring has long forgotten, and adds one read for it', async () => {
      const id = await start();
      const first = await stay(app, id, { a: 1 }, 'old');
      for (let i = 0; i < KEPT_KEYS + 3; i++) await stay(app, id, { i }, `k${i}`);
      app.sent();
      expect(await stay(app, id, { a: 1 }, 'old')).toEqual({ ...first, replayed: true });
      expect(app.sent()).toEqual(['QueryCommand', 'GetItemCommand']);
      await stay(app, id, {}, 'new');
      expect(app.sent()).toEqual(['QueryCommand', 'PutItemCommand']);
      await expect(stay(app, id, { a: 2 }, 'old')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    });

    it('refuses the same key with another body, and keeps callers apart', async () => {
      const id = await start();
      await stay(app, id, { a: 1 }, 'k');
      await expect(stay(app, id, { a: 2 }, 'k')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
      const runner = agent('r', 'runner');
      const body = { action: 'stay', data: { a: 2 } };
      const answer = await tell(app, { instance_id: id, type: 'signal', body, caller: runner, key: 'k' });
      expect(answer.version).toBe(3);
    });

    it('repeats a recorded violation without recording it again', async () => {
      const id = await start('delivery');
      const body = { action: 'APPROVE_STORY' };
      const wrong = {
        instance_id: id,
        type: 'signal' as const,
        body,
        caller: agent('d', 'developer'),
        key: 'v',
      };
      await expect(tell(app, wrong)).rejects.toMatchObject({ code: 'invalid_transition' });
      await expect(tell(app, wrong)).rejects.toMatchObject({ code: 'invalid_transition' });
      expect(await log(id)).toHaveLength(2);
    });
  });

  it('starts once under a key, also at once and from several processes', async () => {
    const body = { workflow_id: 'relay', subject: 'one' };
    const others = Array.from({ length: 3 }, () => appOn(tables, { relay: RELAY }));
    const answers = await Promise.all(
      others.map((on) => startInstance(on, { body, caller: OLGA, key: 's1' })),
    );
    expect(new Set(answers.map(({ instance_id }) => instance_id)).size).toBe(1);
    const other = { body: { ...body, subject: 'two' }, caller: OLGA, key: 's1' };
    await expect(startInstance(app, other)).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it('allows one active instance per owner where the workflow says so, and a new one after it', async () => {
    const uma = human('uma');
    const body = { workflow_id: 'onboarding' };
    const starts = await Promise.allSettled(
      Array.from({ length: 3 }, () => startInstance(appOn(tables), { body, caller: uma })),
    );
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [{ instance_id } = { instance_id: '' }] = await app.log.activesOf('uma');
    await expect(startInstance(app, { body, caller: uma })).rejects.toMatchObject({
      code: 'already_active',
      details: { instance_id },
    });
    await tell(app, { instance_id, type: 'cancel', body: {}, caller: uma });
    const second = await startInstance(app, { body, caller: uma });
    expect(await app.log.activeOf('uma', 'onboarding')).toBe(second.instance_id);
  });

  it('refuses a chosen id that is taken', async () => {
    const body = { workflow_id: 'relay', instance_id: 'mine' };
    await startInstance(app, { body, caller: OLGA });
    await expect(startInstance(app, { body, caller: OLGA })).rejects.toMatchObject({ code: 'name_taken' });
  });

  it('writes nothing for strangers, stale versions, malformed and oversized signals', async () => {
    const id = await start();
    const to = { instance_id: id, type: 'signal' as const, caller: OLGA };
    await expect(tell(app, { ...to, body: {}, caller: STRANGER })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(tell(app, { ...to, body: { expected_version: 9 } })).rejects.toMatchObject({
      code: 'version_conflict',
    });
    await expect(tell(app, { ...to, body: { action: 7 } })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(tell(app, { ...to, body: { data: { x: 'я'.repeat(170_000) } } })).rejects.toMatchObject({
      code: 'state_too_large',
    });
    await expect(tell(app, { ...to, instance_id: 'nowhere', body: {} })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await log(id)).toHaveLength(1);
    expect(await stay(app, id)).toMatchObject({ version: 2 });
  });

  it('judges a criterion on the facts of the moment and keeps them with the commit', async () => {
    const ida = human('ida');
    const id = await start('onboarding', ida);
    const done = () =>
      tell(app, { instance_id: id, type: 'signal', body: { action: 'complete_step' }, caller: ida });
    await done();
    expect(await done()).toMatchObject({ result: 'blocked', current_step: 'discovery' });
    for (const n of [1, 2, 3]) {
      const fact = { id: `f${n}`, user_id: 'ida', category: 'priorities', memory: `fact ${n}` };
      await app.memory.add({ ...fact, metadata: {}, created_by: 'ida', created_at: app.chance.now() });
    }
    expect(await done()).toMatchObject({ result: 'advanced', current_step: 'brain_dump' });
    const entries = await log(id);
    expect(entries.map(({ commit }) => commit.facts.memory?.priorities)).toEqual([
      undefined,
      undefined,
      0,
      3,
    ]);
  });
});
