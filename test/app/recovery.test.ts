// Resuming, starting over, forking and migrating, on real stores.
import { beforeAll, describe, expect, it } from 'vitest';
import { forkInstance } from '../../shared/app/fork-instance.ts';
import { migrateInstance } from '../../shared/app/migrate-instance.ts';
import { proveLog } from '../../shared/app/prove-log.ts';
import { publishDefinition } from '../../shared/app/publish-definition.ts';
import { details, history } from '../../shared/app/read-instance.ts';
import { closeSession, openSession } from '../../shared/app/sessions.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { Actor, SignalType } from '../../shared/engine/index.ts';
import { Fault } from '../../shared/faults.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, BOSS, human, STRANGER } from '../support/play.ts';
import { type FreshTables, freshTables, STORE_KINDS } from '../support/stores.ts';

const OLGA = human('olga');
const BOT = agent('bot-1', 'bot');
const step = (id: string) => ({ id, agents: ['bot'], outputs: [`${id}_out`] });
const LINE = { id: 'line', steps: [step('a'), step('b'), step('c')] };
const ONE = {
  id: 'one',
  single_active: true,
  steps: [
    { id: 'a', agents: ['bot'] },
    { id: 'b', agents: ['bot'] },
  ],
};
const MORE = { line: LINE, one: ONE };

describe.each(STORE_KINDS)('recovery, on %s', (kind) => {
  let tables: FreshTables;
  let app: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    tables = await freshTables(kind);
    app = appOn(tables, MORE);
    other = appOn(tables, MORE);
  });
  let people = 0;
  const someone = () => human(`person-${++people}`);
  const start = async (workflow_id: string, caller: Actor = OLGA, more = {}) =>
    (await startInstance(app, { body: { workflow_id, ...more }, caller })).instance_id;
  const say = (
    instance_id: string,
    type: SignalType,
    body: object = {},
    caller: Actor = OLGA,
    key?: string,
    on = app,
  ) => tell(on, { instance_id, type, body, caller, key });
  const done = (instance_id: string, artifacts = {}, caller: Actor = OLGA) =>
    say(instance_id, 'signal', { action: 'complete_step', artifacts }, caller);
  const stateOf = async (instance_id: string) => {
    const entry = await app.log.latest(instance_id);
    if (!entry) throw new Error(`${instance_id} is gone`);
    return entry.commit.state;
  };
  const refusal = (refused: Promise<unknown>): Promise<string> =>
    refused.then(
      () => 'accepted',
      (error: unknown) => (error instanceof Fault ? error.code : String(error)),
    );
  const proves = async (instance_id: string) =>
    expect(await proveLog(app, instance_id, BOSS, { after: 0, limit: 1_000 })).toMatchObject({
      ok: true,
      first_problem: null,
    });
  const atC = async () => {
    const id = await start('line');
    await done(id, { a_out: 1 });
    await done(id, { b_out: 2 });
    return id;
  };

  describe('one active instance per owner', () => {
    it('is refused a second by resuming while another is active, and takes the pointer back once it is not', async () => {
      const uma = someone();
      const first = await start('one', uma);
      await say(first, 'cancel', {}, uma);
      const second = await start('one', uma);
      await expect(say(first, 'resume', {}, uma)).rejects.toMatchObject({
        code: 'already_active',
        details: { instance_id: second },
      });
      expect((await stateOf(first)).status).toBe('cancelled');
      await say(second, 'cancel', {}, uma);
      expect(await say(first, 'resume', {}, uma)).toMatchObject({ result: 'advanced', current_step: 'a' });
      expect(await app.log.activeOf(uma.sub, 'one')).toBe(first);
      expect(await refusal(start('one', uma))).toBe('already_active');
      expect(await refusal(say(second, 'resume', {}, uma))).toBe('already_active');
    });

    it('holds when one is resumed and another started at the same time', async () => {
      for (let round = 0; round < 5; round++) {
        const uma = someone();
        const first = await start('one', uma);
        await say(first, 'cancel', {}, uma);
        const racers = await Promise.all([
          refusal(say(first, 'resume', {}, uma, undefined, app)),
          refusal(startInstance(other, { body: { workflow_id: 'one' }, caller: uma })),
        ]);
        expect(racers.toSorted()).toEqual(['accepted', 'already_active']);
      }
    });

    it('holds for a start that looked before the resuming and writes after it', async () => {
      const uma = someone();
      const first = await start('one', uma);
      await say(first, 'cancel', {}, uma);
      const looked = await app.log.activeClaim(uma.sub, 'one');
      await say(first, 'resume', {}, uma);
      const source = await app.log.at(first, 1);
      if (!source) throw new Error('it began');
      const { previous: _previous, ...commit } = source.commit;
      const late = { ...commit, id: 'late', state: { ...commit.state, instance_id: `late-${uma.sub}` } };
      expect(await app.log.create(late, { active: looked })).toEqual({ taken: 'active' });
    });

    it('counts forks: of a running one none, of a finished one as soon as it is resumed', async () => {
      const uma = someone();
      const first = await start('one', uma);
      expect(await refusal(forkInstance(app, { instance_id: first, body: {}, caller: uma }))).toBe(
        'already_active',
      );
      await say(first, 'cancel', {}, uma);
      const fork = await forkInstance(app, { instance_id: first, body: {}, caller: uma });
      expect((await stateOf(fork.instance_id)).status).toBe('cancelled');
      const early = await forkInstance(app, { instance_id: first, body: { at: 1 }, caller: uma });
      expect(await app.log.activeOf(uma.sub, 'one')).toBe(early.instance_id);
      expect(await refusal(say(fork.instance_id, 'resume', {}, uma))).toBe('already_active');
    });
  });

  it('resumes once per key, from a step before, with what came before it kept', async () => {
    const id = await atC();
    await say(id, 'signal', { action: 'complete_step', outcome: 'fail', feedback: 'Broken.' });
    expect(await stateOf(id)).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('Broken.'),
    });
    const first = await say(id, 'resume', { from_step: 2 }, OLGA, 'again');
    expect(first).toMatchObject({ current_step: 'b', progress: { completed_steps: ['a'] } });
    expect(await say(id, 'resume', { from_step: 2 }, OLGA, 'again', other)).toEqual({
      ...first,
      replayed: true,
    });
    const { steps } = await details(app, id, OLGA);
    expect(steps.map(({ status, artifacts }) => [status, artifacts])).toEqual([
      ['completed', { a_out: 1 }],
      ['in_progress', {}],
      ['pending', {}],
    ]);
    await proves(id);
  });

  describe('a fork', () => {
    it('goes on from any commit on its own; both know of each other, and both prove', async () => {
      const id = await atC();
      await done(id, { c_out: 3 });
      expect((await stateOf(id)).status).toBe('completed');
      const fork = await forkInstance(app, { instance_id: id, body: { at: 2 }, caller: OLGA });
      expect(fork).toMatchObject({
        result: 'advanced',
        version: 1,
        current_step: 'b',
        forked_from: { instance_id: id, seq: 2 },
      });
      expect(await details(app, fork.instance_id, OLGA)).toMatchObject({
        forked_from: { instance_id: id, seq: 2 },
        artifacts: { a_out: 1 },
      });
      const source = await details(app, id, OLGA);
      expect(source).toMatchObject({
        version: 5,
        status: 'completed',
        forks: [{ instance_id: fork.instance_id, seq: 2 }],
      });
      const { items } = await history(app, id, OLGA, { after: 4, limit: 10 });
      expect(items[0]?.events).toMatchObject([
        { type: 'workflow.forked', data: { forked_to: fork.instance_id, at: 2, by: 'olga' } },
      ]);
      await done(fork.instance_id, { b_out: 'other' });
      await done(fork.instance_id, { c_out: 'other' });
      expect(await details(app, fork.instance_id, OLGA)).toMatchObject({ status: 'completed' });
      expect((await details(app, id, OLGA)).artifacts).toMatchObject({ b_out: 2 });
      const { items: trail } = await history(app, fork.instance_id, OLGA, { after: 0, limit: 1 });
      expect(trail[0]?.signal.body).toMatchObject({ source: id, at: 2 });
      expect(trail[0]?.signal.body).not.toHaveProperty('state');
      await proves(id);
      await proves(fork.instance_id);
    });

    it('of what is completed can be resumed from any of its steps', async () => {
      const id = await atC();
      await done(id, { c_out: 3 });
      const { instance_id } = await forkInstance(app, { instance_id: id, body: {}, caller: OLGA });
      expect(await say(instance_id, 'resume', { from_step: 'b' })).toMatchObject({ current_step: 'b' });
      await proves(instance_id);
    });

    it('keeps what is locked locked', async () => {
      const id = await atC();
      const { instance_id } = await forkInstance(app, { instance_id: id, body: { at: 1 }, caller: OLGA });
      expect(await refusal(say(instance_id, 'signal', { action: 'complete_step', step: 'b' }))).toBe(
        'step_mismatch',
      );
      const { steps } = await details(app, instance_id, OLGA);
      expect(steps.map(({ status }) => status)).toEqual(['in_progress', 'pending', 'pending']);
    });

    it('is made once per key, concurrently and later', async () => {
      const id = await atC();
      const fork = (on: TestApp) =>
        forkInstance(on, { instance_id: id, body: {}, caller: OLGA, key: `fork-${id}` });
      const made = await Promise.all([fork(app), fork(other), fork(app)]);
      expect(new Set(made.map(({ instance_id }) => instance_id)).size).toBe(1);
      await done(id, { c_out: 3 });
      expect(await fork(app)).toMatchObject({
        instance_id: made[0]?.instance_id,
        replayed: true,
        forked_from: made[0]?.forked_from,
      });
      expect((await stateOf(id)).forks).toHaveLength(1);
      const mismatch = forkInstance(app, {
        instance_id: id,
        body: { at: 1 },
        caller: OLGA,
        key: `fork-${id}`,
      });
      expect(await refusal(mismatch)).toBe('idempotency_mismatch');
    });

    it('lands beside busy writers, and is noted exactly once', async () => {
      const id = await start('line');
      await Promise.all([
        forkInstance(other, { instance_id: id, body: { at: 1 }, caller: OLGA }),
        ...Array.from({ length: 12 }, (_, n) => say(id, 'signal', { action: 'stay', data: { n } })),
      ]);
      const { seq, forks } = await stateOf(id);
      expect([seq, forks?.length]).toEqual([14, 1]);
      await proves(id);
    });

    it.each<[string, Actor, object, string]>([
      ['a stranger', STRANGER, {}, 'not_found'],
      ['someone who works on it', BOT, {}, 'role_not_allowed'],
      ['its owner, at a commit that is not there', OLGA, { at: 99 }, 'not_found'],
      ['its owner, under an id that is taken', OLGA, { instance_id: 'taken' }, 'name_taken'],
    ])('is not made by %s', async (_, caller, body, code) => {
      await start('line', OLGA, { instance_id: 'taken' }).catch(() => {});
      const id = await start('line');
      expect(await refusal(forkInstance(app, { instance_id: id, body, caller }))).toBe(code);
      expect((await stateOf(id)).seq).toBe(code === 'role_not_allowed' ? 2 : 1);
    });

    it('of what a session hides is hidden in it, and gone with it', async () => {
      const session_name = `session-${++people}`;
      await openSession(app, { body: { session_name }, caller: OLGA });
      const id = await start('line', OLGA, { session_name });
      const { instance_id } = await forkInstance(app, { instance_id: id, body: {}, caller: OLGA });
      expect((await stateOf(instance_id)).session_name).toBe(session_name);
      await closeSession(app, session_name, OLGA, { kind: 'cancelled' });
      expect(await refusal(details(other, instance_id, OLGA))).toBe('not_found');
    });

    it('of what was committed from a session is in none', async () => {
      const session_name = `session-${++people}`;
      await openSession(app, { body: { session_name }, caller: OLGA });
      const id = await start('line', OLGA, { session_name });
      await closeSession(app, session_name, OLGA, { kind: 'committed' });
      const { instance_id } = await forkInstance(app, { instance_id: id, body: {}, caller: OLGA });
      expect((await stateOf(instance_id)).session_name).toBeNull();
    });
  });

  describe('moving to a version that was published meanwhile', () => {
    let flows = 0;
    const published = async (...versions: object[][]) => {
      const workflow_id = `moving-${++flows}`;
      const publish = (steps: object[]) =>
        publishDefinition(app, { workflow_id, body: { steps }, caller: BOSS }).then(({ version }) => version);
      const [first = [], ...later] = versions;
      const v1 = await publish(first);
      const id = await start(workflow_id);
      const newer: string[] = [];
      for (const steps of later) newer.push(await publish(steps));
      return { id, workflow_id, v1, newer };
    };
    const V1 = [step('a'), step('b')];
    const V2 = [step('a'), { ...step('b'), instructions: 'Better.' }, step('c')];
    const migrate = (instance_id: string, body = {}, caller: Actor = OLGA, key?: string) =>
      migrateInstance(app, { instance_id, body, caller, key });

    it('is tried first, then done, once per key, and proves over both versions', async () => {
      const { id, v1, newer } = await published(V1, V2);
      await done(id, { a_out: 1 });
      app.sent();
      expect(await migrate(id, { dry_run: true })).toEqual({
        instance_id: id,
        workflow_id: expect.any(String),
        from_version: v1,
        to_version: newer[0],
        fits: true,
        problems: [],
      });
      expect(app.sent()).not.toContain('PutItemCommand');
      const moved = await migrate(id, {}, OLGA, `move-${id}`);
      expect(moved).toMatchObject({ result: 'stayed', current_step: 'b', progress: { total: 3 } });
      expect(await details(app, id, OLGA)).toMatchObject({ definition_version: newer[0] });
      await done(id, { b_out: 2 });
      expect(await migrate(id, {}, OLGA, `move-${id}`)).toEqual({ ...moved, replayed: true });
      expect(await done(id, { c_out: 3 })).toMatchObject({ result: 'completed' });
      await proves(id);
    });

    it('says which step would not fit and why, and writes nothing', async () => {
      const { id } = await published(V1, [step('b')]);
      await done(id, { a_out: 1 });
      const { seq } = await stateOf(id);
      expect(await migrate(id, { dry_run: true })).toMatchObject({
        fits: false,
        problems: [{ step: 'a', reason: expect.stringContaining('no such step') }],
      });
      await expect(migrate(id)).rejects.toMatchObject({
        code: 'step_mismatch',
        details: { problems: [{ step: 'a' }] },
      });
      expect((await stateOf(id)).seq).toBe(seq);
    });

    it.each<[string, Actor, (v: { v1: string; newer: string[] }) => object, string]>([
      ['its owner, to the current version', OLGA, () => ({}), 'accepted'],
      ['its owner, to one in between', OLGA, ({ newer }) => ({ version: newer[0] }), 'role_not_allowed'],
      ['an admin, to one in between', BOSS, ({ newer }) => ({ version: newer[0] }), 'accepted'],
      ['its owner, to the one it is on', OLGA, ({ v1 }) => ({ version: v1 }), 'invalid_request'],
      ['an admin, to one that is not there', BOSS, () => ({ version: 'none' }), 'not_found'],
      ['someone who works on it', BOT, () => ({}), 'role_not_allowed'],
      ['a stranger', STRANGER, () => ({}), 'not_found'],
    ])('by %s: %s', async (_, caller, body, outcome) => {
      const { id, ...versions } = await published(V1, V2, [...V2, step('d')]);
      expect(await refusal(migrate(id, body(versions), caller))).toBe(outcome);
    });

    it('lets a failed instance be resumed on a mended definition', async () => {
      const { id } = await published(V1, V2);
      await say(id, 'signal', { action: 'complete_step', outcome: 'fail' });
      await migrate(id);
      expect(await say(id, 'resume')).toMatchObject({ current_step: 'a', progress: { total: 3 } });
      await proves(id);
    });
  });
});
