// What the log makes of a store that misbehaves: writes that landed unheard, throttling, silence.
import {
  DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  ProvisionedThroughputExceededException,
  PutItemCommand,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeAll, describe, expect, it } from 'vitest';
import { begin, load } from '../../shared/engine/index.ts';
import type { Entry, InstanceLog, NewCommit } from '../../shared/ports.ts';
import { createLog } from '../../shared/store/log.ts';
import { NOON, OWNER } from '../support/play.ts';
import { clientConfig, freshTables, STORE_KINDS, type FreshTables } from '../support/stores.ts';

const workflow = load({ id: 'w', single_active: true, steps: [{ id: 'a', agents: ['x'] }] });

const firstOf = (instance_id: string): NewCommit => {
  const body = { instance_id, workflow_id: 'w' };
  const { state, events, verdict } = begin(workflow, body, OWNER, NOON);
  return {
    id: `${instance_id}-1`,
    seq: 1,
    at: NOON,
    actor: OWNER,
    signal: { type: 'start', body },
    facts: {},
    events,
    state,
    verdict,
  };
};
const nextOf = ({ commit }: Entry, id: string): NewCommit => ({
  ...commit,
  id,
  seq: commit.seq + 1,
  state: { ...commit.state, seq: commit.seq + 1 },
});

/** Lets a request through and then loses its answer, so often. */
function losingAnswers(endpoint: string, times: number): DynamoDBClient {
  const client = new DynamoDBClient({ ...clientConfig(endpoint), maxAttempts: 3 });
  let left = times;
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      if (left-- > 0)
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
      return answer;
    },
    { step: 'deserialize', priority: 'high', name: 'losing answers' },
  );
  return client;
}

describe.each(STORE_KINDS)('the log, on %s', (kind) => {
  let tables: FreshTables;
  let log: InstanceLog;
  beforeAll(async () => {
    tables = await freshTables(kind);
    log = createLog(new DynamoDBClient(clientConfig(tables.endpoint)), tables.table);
  });
  const begun = async (id: string): Promise<Entry> => {
    const entry = await log.create(firstOf(id), {});
    if ('taken' in entry) throw new Error('taken');
    return entry;
  };

  it('has won when its own retry finds its own commit', async () => {
    const before = await begun('retried');
    const flaky = createLog(losingAnswers(tables.endpoint, 1), tables.table);
    const commit = nextOf(before, 'mine');
    expect(await flaky.append(commit, before)).toMatchObject({ commit: { id: 'mine', seq: 2 } });
    expect(await log.after('retried', 0, 10)).toHaveLength(2);
  });

  it('has lost when it finds another, and is handed the winner', async () => {
    const before = await begun('raced');
    await log.append(nextOf(before, 'theirs'), before);
    const lost = await log.append(nextOf(before, 'mine'), before);
    expect(lost).toMatchObject({ lostTo: { commit: { id: 'theirs', seq: 2 } } });
  });

  describe('where a transaction is at its place', () => {
    const conflicting = () => {
      const client = new DynamoDBClient(clientConfig(tables.endpoint));
      const conflict = new TransactionConflictException({ message: 'under way', $metadata: {} });
      mockClient(client).on(PutItemCommand).rejects(conflict).on(GetItemCommand).callsFake(asStored);
      return createLog(client, tables.table);
    };
    const store = () => new DynamoDBClient(clientConfig(tables.endpoint));
    const asStored = (input: GetItemCommandInput) => store().send(new GetItemCommand(input));

    it('has lost to nobody yet, and may look and decide again', async () => {
      const before = await begun('in-the-way');
      expect(await conflicting().append(nextOf(before, 'mine'), before)).toEqual({ lostTo: null });
      expect(await log.append(nextOf(before, 'mine'), before)).toMatchObject({ commit: { id: 'mine' } });
    });

    it('has won if its own first try had landed, and lost to another', async () => {
      const before = await begun('landed');
      await log.append(nextOf(before, 'mine'), before);
      expect(await conflicting().append(nextOf(before, 'mine'), before)).toMatchObject({
        commit: { id: 'mine', seq: 2 },
      });
      expect(await conflicting().append(nextOf(before, 'late'), before)).toMatchObject({
        lostTo: { commit: { id: 'mine' } },
      });
    });
  });

  it('starts once when the answer to the start is lost, with and without a transaction', async () => {
    const flaky = createLog(losingAnswers(tables.endpoint, 1), tables.table);
    expect(await flaky.create(firstOf('plain'), {})).toHaveProperty('commit');
    const again = createLog(losingAnswers(tables.endpoint, 1), tables.table);
    const claims = {
      active: { replaces: null },
      key: { sub: 'olga', key: 'k', body: 'b', instance_id: 'keyed' },
    };
    expect(await again.create(firstOf('keyed'), claims)).toHaveProperty('commit');
    expect(await log.startedUnder('olga', 'k')).toEqual({ instance_id: 'keyed', body: 'b' });
    expect(await log.activeOf('olga', 'w')).toBe('keyed');
  });

  it.each([
    ['id', 'there', {}],
    ['active', 'new-1', { active: { replaces: null } }],
    ['active', 'new-2', { active: { replaces: 'another' } }],
    ['key', 'new-3', { key: { sub: 'olga', key: 'taken', body: 'b', instance_id: 'new-3' } }],
  ] as const)('says that the %s is taken, and writes nothing of %s', async (taken, id, claims) => {
    const pointer = { active: { replaces: (await log.activeOf('olga', 'w')) ?? null } };
    const key = { key: { sub: 'olga', key: 'taken', body: 'b', instance_id: 'there' } };
    await log.create(firstOf('there'), { ...pointer, ...key });
    expect(await log.create({ ...firstOf(id), id: 'another' }, claims)).toEqual({ taken });
    const there = await log.latest(id);
    expect(there?.commit.id ?? null).toBe(id === 'there' ? 'there-1' : null);
  });

  it('reads long stretches whole, in order', async () => {
    let entry = await begun('long');
    for (let i = 0; i < 12; i++) {
      const { shared: _, ...state } = nextOf(entry, `c${i}`).state;
      const commit = {
        ...nextOf(entry, `c${i}`),
        state: { ...state, shared: { text: 'x'.repeat(200_000) } },
      };
      const written = await log.append(commit, entry);
      if ('lostTo' in written) throw new Error('lost');
      entry = written;
    }
    const seqs = (await log.after('long', 1, 100)).map(({ commit }) => commit.seq);
    expect(seqs).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect((await log.after('long', 3, 4)).map(({ commit }) => commit.seq)).toEqual([4, 5, 6, 7]);
  });
});

describe('a store that does not answer', () => {
  it.each([
    ['throttled', new ProvisionedThroughputExceededException({ message: 'slow down', $metadata: {} })],
    ['cut off', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  ])('is unavailable when %s: nothing was acknowledged, so nothing is lost', async (_, error) => {
    const client = new DynamoDBClient({ ...clientConfig('http://127.0.0.1:1'), maxAttempts: 1 });
    mockClient(client).on(PutItemCommand).rejects(error);
    const attempt = createLog(client, 'table').create(firstOf('never'), {});
    await expect(attempt).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });

  it('does not hide a mistake of ours behind "unavailable"', async () => {
    const client = new DynamoDBClient(clientConfig('http://127.0.0.1:1'));
    mockClient(client).on(PutItemCommand).rejects(new TypeError('undefined is not a function'));
    await expect(createLog(client, 'table').create(firstOf('never'), {})).rejects.toThrow(TypeError);
  });
});
