// A log is proven item by item; whatever is changed in the table is found and named.
import {
  type AttributeValue,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { forkInstance } from '../../shared/app/fork-instance.ts';
import { project } from '../../shared/app/project.ts';
import { proveLog } from '../../shared/app/prove-log.ts';
import { readMetrics } from '../../shared/app/read-metrics.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { Actor } from '../../shared/engine/index.ts';
import { Fault } from '../../shared/faults.ts';
import { hashOf } from '../../shared/store/commit-item.ts';
import { commitKey } from '../../shared/store/keys.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, BOSS, human, STRANGER } from '../support/play.ts';
import { type FreshTables, freshTables, STORE_KINDS } from '../support/stores.ts';

const OLGA = human('olga');
const LINE = { id: 'line', steps: ['a', 'b', 'c'].map((id) => ({ id, agents: ['bot'] })) };

type Item = Record<string, AttributeValue>;
interface Written {
  readonly state: object;
  readonly signal: object;
  readonly refusal?: object;
}

describe.each(STORE_KINDS)('a log, on %s', (kind) => {
  let tables: FreshTables;
  let app: TestApp;
  beforeAll(async () => {
    tables = await freshTables(kind);
    app = appOn(tables, { line: LINE });
  });

  /** Seven commits: a start, four remarks under keys, a refused signal, a completed step. */
  const lived = async (): Promise<string> => {
    const { instance_id } = await startInstance(app, { body: { workflow_id: 'line' }, caller: OLGA });
    const say = (body: object, key?: string, caller: Actor = OLGA) =>
      tell(app, { instance_id, type: 'signal', body, caller, key });
    for (let n = 0; n < 4; n++) await say({ action: 'stay', data: { n } }, `key-${n}`);
    const skip = say({ action: 'complete_step', step: 'c' });
    await expect(skip).rejects.toMatchObject({ code: 'step_mismatch' });
    await say({ action: 'complete_step', step: 'a' });
    return instance_id;
  };
  const prove = (id: string, caller: Actor = OLGA, after = 0, limit = 1_000) =>
    proveLog(appOn(tables, { line: LINE }), id, caller, { after, limit });

  const keyOf = (id: string, seq: number): Item => {
    const { pk, sk } = commitKey(id, seq);
    return { pk: { S: pk }, sk: { S: sk } };
  };
  const itemAt = async (id: string, seq: number): Promise<Item> => {
    const { Item } = await app.client.send(
      new GetItemCommand({ TableName: tables.table, Key: keyOf(id, seq), ConsistentRead: true }),
    );
    if (!Item) throw new Error(`there is no commit ${seq}`);
    return Item;
  };
  const put = (item: Item) => app.client.send(new PutItemCommand({ TableName: tables.table, Item: item }));
  const remove = (id: string, seq: number) =>
    app.client.send(new DeleteItemCommand({ TableName: tables.table, Key: keyOf(id, seq) }));
  /** Rewrites the text of a commit. */
  const rewrite = async (id: string, seq: number, change: (commit: Written) => unknown) => {
    const item = await itemAt(id, seq);
    const commit = JSON.parse(item.commit?.S ?? '') as Written; // as it was written
    await put({ ...item, commit: { S: JSON.stringify(change(commit)) } });
  };

  it('that nobody touched proves, with the hash of its last commit', async () => {
    const id = await lived();
    const last = await app.log.latest(id);
    expect(await prove(id)).toEqual({
      instance_id: id,
      ok: true,
      commits: 7,
      last: 7,
      hash: last?.hash,
      first_problem: null,
      next: null,
    });
  });

  it('proves page by page, each on the one before', async () => {
    const id = await lived();
    const pages = [];
    for (let after: string | null = '0'; after !== null; after = pages.at(-1)?.next ?? null)
      pages.push(await prove(id, OLGA, Number(after), 3));
    expect(pages.map(({ ok, commits, last, next }) => [ok, commits, last, next])).toEqual([
      [true, 3, 3, '3'],
      [true, 3, 6, '6'],
      [true, 1, 7, null],
    ]);
  });

  it.each<[string, (id: string) => Promise<unknown>, object]>([
    [
      'a state that was changed',
      (id) =>
        rewrite(id, 4, (commit) => ({
          ...commit,
          state: { ...commit.state, shared: { paid: true } },
        })),
      { seq: 4, what: 'state', detail: expect.stringContaining('state.shared.paid') },
    ],
    [
      'a signal that was changed',
      (id) =>
        rewrite(id, 3, (commit) => ({
          ...commit,
          signal: { ...commit.signal, body: { action: 'stay', data: { n: 99 } } },
        })),
      { seq: 3, what: 'state' },
    ],
    [
      'in which roles something was said',
      (id) =>
        rewrite(id, 3, (commit) => ({
          ...commit,
          actor: { ...OLGA, roles: ['vip'] },
        })),
      { seq: 3, what: 'chain', detail: expect.stringContaining('Commit 3 was changed') },
    ],
    [
      'an event in the last commit, which no link covers',
      (id) => rewrite(id, 7, (commit) => ({ ...commit, events: [] })),
      { seq: 7, what: 'state', detail: expect.stringContaining('events') },
    ],
    [
      'a refusal that was taken back',
      (id) =>
        rewrite(id, 6, ({ refusal: _refusal, ...commit }) => ({
          ...commit,
          verdict: { result: 'stayed', previous_step: 'a' },
        })),
      { seq: 6, what: 'state' },
    ],
    [
      'a text that is not JSON',
      async (id) => put({ ...(await itemAt(id, 5)), commit: { S: '{' } }),
      { seq: 5, what: 'text' },
    ],
    ['a text that is no commit', (id) => rewrite(id, 5, () => ({ seq: 5 })), { seq: 5, what: 'text' }],
    [
      'a link that was changed',
      (id) => rewrite(id, 5, (commit) => ({ ...commit, previous: hashOf('something else') })),
      { seq: 5, what: 'chain' },
    ],
    [
      'two commits that changed places',
      async (id) => {
        const [third, fourth] = [await itemAt(id, 3), await itemAt(id, 4)];
        await put({ ...fourth, ...keyOf(id, 3) });
        await put({ ...third, ...keyOf(id, 4) });
      },
      { seq: 3, what: 'place' },
    ],
    ['a commit that is missing', (id) => remove(id, 4), { seq: 4, what: 'missing' }],
    ['a first commit that is missing', (id) => remove(id, 1), { seq: 1, what: 'missing' }],
    [
      'a key that was moved',
      async (id) => {
        const { idempotency: _idempotency, ...item } = await itemAt(id, 4);
        await put(item);
      },
      { seq: 4, what: 'key' },
    ],
    [
      'an end that was cut off, which the lists have seen',
      async (id) => {
        const last = await app.log.latest(id);
        if (last) await project(app, last.commit.state);
        await remove(id, 7);
      },
      { seq: 7, what: 'missing' },
    ],
    [
      'a last commit that was changed so that it still follows, once the lists have seen it',
      async (id) => {
        const last = await app.log.latest(id);
        if (last) await project(app, last.commit.state, last.hash);
        await rewrite(id, 7, (commit) => ({ ...commit, facts: { memory: { forged: 3 } } }));
      },
      { seq: 7, what: 'chain' },
    ],
  ])('names %s', async (_, tamper, problem) => {
    const id = await lived();
    await tamper(id);
    const proof = await prove(id);
    expect(proof).toMatchObject({ ok: false, first_problem: problem, next: null });
    const before = (proof.first_problem?.seq ?? 0) - 1; // what is named is not counted as proven
    const hash = (await app.log.at(id, before))?.hash ?? null;
    expect(proof).toMatchObject({ commits: before, last: before, hash });
  });

  it('names a rewritten history, chained anew, by what does not follow in it', async () => {
    const id = await lived();
    let previous = '';
    for (let seq = 1; seq <= 7; seq++) {
      await rewrite(id, seq, (commit) => ({
        ...commit,
        ...(seq >= 3 ? { state: { ...commit.state, feedback: 'forged' } } : {}),
        previous,
      }));
      previous = hashOf((await itemAt(id, seq)).commit?.S ?? '');
    }
    expect(await prove(id)).toMatchObject({
      first_problem: { seq: 3, what: 'state', detail: expect.stringContaining('state.feedback') },
    });
  });

  it('of a fork is held against the commit it goes on from', async () => {
    const id = await lived();
    const { instance_id } = await forkInstance(app, { instance_id: id, body: { at: 2 }, caller: OLGA });
    expect(await prove(instance_id)).toMatchObject({ ok: true });
    await rewrite(id, 2, (commit) => ({ ...commit, id: 'another' }));
    expect(await prove(instance_id)).toMatchObject({ first_problem: { seq: 1, what: 'source' } });
  });

  it.each<[string, Actor, string]>([
    ['an admin', BOSS, 'proven'],
    ['someone who works on it', agent('bot-1', 'bot'), 'role_not_allowed'],
    ['a stranger', STRANGER, 'not_found'],
  ])('by %s: %s', async (_, caller, outcome) => {
    const id = await lived();
    const answer = await prove(id, caller).then(
      () => 'proven',
      (error: unknown) => (error instanceof Fault ? error.code : String(error)),
    );
    expect(answer).toBe(outcome);
  });

  it('that nobody can read any more is for admins', async () => {
    const id = await lived();
    for (let seq = 1; seq <= 7; seq++) await put({ ...(await itemAt(id, seq)), commit: { S: '{' } });
    expect(await prove(id, BOSS)).toMatchObject({ first_problem: { seq: 1, what: 'text' } });
    await expect(prove(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is measured as a whole, however many pages it has', async () => {
    const { instance_id } = await startInstance(app, { body: { workflow_id: 'line' }, caller: OLGA });
    for (let n = 0; n < 205; n++)
      await tell(app, { instance_id, type: 'signal', body: { action: 'stay', data: { n } }, caller: OLGA });
    for (const step of ['a', 'b', 'c'])
      await tell(app, { instance_id, type: 'signal', body: { action: 'complete_step', step }, caller: OLGA });
    expect(await readMetrics(app, instance_id, OLGA)).toEqual({
      workflow_metrics: {
        workflow_id: instance_id,
        total_time_seconds: expect.any(Number),
        step_times: [1, 2, 3].map((step) => ({ step, duration_seconds: expect.any(Number) })),
        retry_count: 0,
        human_approval_time_seconds: 0,
        agent_calls: 3,
        parallel_executions: 0,
      },
    });
    await expect(readMetrics(app, instance_id, STRANGER)).rejects.toMatchObject({ code: 'not_found' });
  });
});
