// A mixed load over SDK clients that meet what AWS does to them: throttling, errors, transactions in the way, answers
// lost after the write landed, PutEvents that takes a part, batches that come again in part or whole. Afterwards all
// is as if nothing had happened.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Consumer } from '../../local/stream/lane.ts';
import { type Poller, startPoller } from '../../local/stream/poller.ts';
import { chanceFrom } from '../../scripts/crash/chance.ts';
import * as checks from '../../scripts/crash/checks.ts';
import type { Acknowledged } from '../../scripts/crash/ledger.ts';
import { openStoreLine, type StoreLine } from '../../scripts/crash/store-line.ts';
import { forkInstance } from '../../shared/app/fork-instance.ts';
import { headOf } from '../../shared/app/project.ts';
import { pendingTasks } from '../../shared/app/pending-tasks.ts';
import { proveLog } from '../../shared/app/prove-log.ts';
import { closeSession, openSession } from '../../shared/app/sessions.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { Actor, Answer, SignalType } from '../../shared/engine/index.ts';
import { Fault } from '../../shared/faults.ts';
import { ENV } from '../../shared/names.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, BOSS, human } from '../support/play.ts';
import { clientConfig, type FreshTables, freshTables, STORE_KINDS } from '../support/stores.ts';
import { contentsOf } from '../support/table-contents.ts';
import { eventually } from './callers.ts';

const RELAY = {
  id: 'relay',
  single_active: true,
  steps: [
    { id: 'a', agents: ['x'] },
    { id: 'b', agents: ['x'] },
  ],
};
const SHARE = 0.04;
const PLAYERS = 8;
const DEV = agent('dev', 'developer');
const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-faulty-'));

// The functions are loaded into this process, once: on one store.
describe.each(STORE_KINDS.slice(0, 1))('clients that meet every fault, on %s', (kind) => {
  const chance = chanceFrom(4);
  const bridge = mockClient(EventBridgeClient);
  const acknowledged: Acknowledged[] = [];
  const begun: string[] = [];
  const cancelled: string[] = [];
  const published = new Map<string, string>();
  const buried: unknown[] = [];
  const came = { again: 0, refused_by_bus: 0 };
  let tables: FreshTables;
  let line: StoreLine;
  let poller: Poller;
  /** As seen past the faults. */
  let calm: TestApp;

  beforeAll(async () => {
    tables = await freshTables(kind);
    calm = appOn(tables, { relay: RELAY });
    line = await openStoreLine(chanceFrom(5));
    line.connect(tables.endpoint);
    const definitions = path.join(folder, 'definitions.json');
    writeFileSync(definitions, JSON.stringify({ relay: RELAY, delivery: await sourceOf('delivery') }));
    vi.stubEnv(ENV.table, tables.table);
    vi.stubEnv(ENV.definitions, definitions);
    vi.stubEnv(ENV.bus, 'the-bus');
    vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'true');
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'SILENT');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', line.url);
    bridge.on(PutEventsCommand).callsFake(({ Entries }: { Entries: PutEventsRequestEntry[] }) => {
      if (chance.next() < 0.05) throw new Error('the bus is away');
      return { Entries: Entries.map(takeEntry) };
    });
    const { handler } = await import('../../functions/stream/project.ts');
    poller = await startPoller({
      client: new DynamoDBStreamsClient(clientConfig(tables.endpoint)),
      stream_arn: tables.stream_arn,
      consumers: { project: { handler: failingAtTimes(handler as Consumer), batch_size: 20 } },
      checkpoint_file: path.join(folder, 'checkpoint.json'),
      bury: (_, record) => buried.push(record),
      failed: (_, error) => buried.push(error),
      tries: 100,
      backoff_ms: 1,
    });
  });
  afterAll(async () => {
    await poller?.stop();
    vi.unstubAllEnvs();
    await line?.close();
    rmSync(folder, { recursive: true });
  });

  const sourceOf = async (id: string) => (await calm.definitions.current(id))?.source;

  function takeEntry({ Detail = '' }: PutEventsRequestEntry) {
    if (chance.next() < 0.2) {
      came.refused_by_bus++;
      return { ErrorCode: 'InternalFailure' };
    }
    const { id } = JSON.parse(Detail) as { id: string }; // as it is published
    if ((published.get(id) ?? Detail) !== Detail) throw new Error(`${id} was published as two things`);
    published.set(id, Detail);
    return { EventId: id };
  }

  /** Says of records that were handled that they failed, or dies after all of them were. */
  function failingAtTimes(handler: Consumer): Consumer {
    return async (event) => {
      const { batchItemFailures = [] } = (await handler(event)) ?? {};
      const drawn = chance.next();
      if (drawn < 0.3) came.again++;
      if (drawn < 0.1) throw new Error('the function was ended');
      const some = event.Records[Math.floor(drawn * event.Records.length)]?.dynamodb?.SequenceNumber ?? '';
      return {
        batchItemFailures: drawn < 0.3 ? [...batchItemFailures, { itemIdentifier: some }] : batchItemFailures,
      };
    };
  }

  /** Asked under the same key until it is answered; null if it was refused for good. */
  async function said(sub: string, ask: (key: string) => Promise<Answer>): Promise<Answer | null> {
    const key = `key-${acknowledged.length}-${Math.floor(chance.next() * 1e9)}`;
    for (;;) {
      try {
        const answer = await ask(key);
        acknowledged.push({ instance_id: answer.instance_id, version: answer.version, sub, key });
        return answer;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (!error.retryable) return null;
      }
    }
  }
  const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Fault && error.retryable)) throw error;
      }
    }
  };

  async function play(n: number): Promise<void> {
    const app = appOn({ ...tables, endpoint: line.url }, { relay: RELAY }); // a process of its own
    const owner = human(`owner-${n}`);
    const say = (by: Actor, instance_id: string, type: SignalType, body: object) =>
      said(by.sub, (key) => tell(app, { instance_id, type, body, caller: by, key }));
    const start = async (workflow_id: string, more: object = {}) => {
      const answer = await said(owner.sub, (key) =>
        startInstance(app, { body: { workflow_id, ...more }, caller: owner, key }),
      );
      if (answer === null) throw new Error(`${workflow_id} did not start`);
      return answer.instance_id;
    };

    const task = await start('delivery');
    begun.push(task);
    await Promise.all([say(DEV, task, 'claim', {}), say({ ...DEV, sub: 'eve' }, task, 'claim', {})]);
    await Promise.all(
      Array.from({ length: 6 }, (_, i) => say(DEV, task, 'signal', { data: { [`n${i}`]: i } })),
    );
    await say(DEV, task, 'signal', { action: 'COMMIT_CODE', artifacts: { commit_sha: `a${n}` } });

    const first = await start('relay');
    await say(owner, first, 'signal', { action: 'complete_step' });
    await say(owner, first, 'cancel', {});
    begun.push(first);
    await say(owner, first, 'resume', {});
    const twin = await said(owner.sub, (key) =>
      forkInstance(app, { instance_id: task, body: {}, caller: owner, key }),
    );
    begun.push(twin?.instance_id ?? '');

    const session_name = `session-${n}`;
    await patiently(() => openSession(app, { body: { session_name }, caller: owner, key: session_name }));
    const inside = await start('delivery', { session_name });
    await say(DEV, inside, 'claim', {});
    cancelled.push(inside);
    await patiently(() => closeSession(app, session_name, owner, { kind: 'cancelled' }));
    expect(await say(DEV, inside, 'signal', { data: {} })).toBeNull();
  }

  const logs = async () => {
    const read = begun.map(
      async (id) => [id, (await calm.log.after(id, 0, 1_000)).map(({ commit }) => commit)] as const,
    );
    return new Map(await Promise.all(read));
  };
  const heads = async () => {
    const all = [...(await logs()).values()].map(async (commits) => {
      const state = commits.at(-1)?.state;
      const workflow = state && (await calm.definitions.version(state.workflow_id, state.definition));
      if (!workflow) throw new Error('a log without a definition');
      return headOf(workflow, state, 'everywhere');
    });
    return Promise.all(all);
  };

  it('lose nothing and double nothing', async () => {
    line.faults(SHARE);
    await Promise.all(Array.from({ length: PLAYERS }, (_, n) => play(n)));
    const found = await logs();
    const lasting = acknowledged.filter(({ instance_id }) => !cancelled.includes(instance_id));
    expect(checks.acknowledgedOnce(lasting, found)).toEqual([]);
    expect(checks.saidOnce(found)).toEqual([]);
    expect(checks.gapless(found)).toEqual([]);
    for (const id of begun) {
      const proof = await proveLog(calm, id, BOSS, { after: 0, limit: 1_000 });
      expect([id, proof.first_problem]).toEqual([id, null]);
    }
    expect(lasting.length).toBeGreaterThan(PLAYERS * 10);
    for (const count of Object.values(line.injected)) expect(count).toBeGreaterThan(0);
  }, 120_000);

  it('lists and inboxes say what the logs say, and nothing is left of what was cancelled', async () => {
    const expected = await heads();
    const wrong = async () => {
      const listed = await Promise.all(
        ['delivery', 'relay'].map((workflow) => calm.listings.list({ workflow }, undefined, 1_000)),
      );
      const { tasks } = await pendingTasks(calm, agent('ada', 'architect'), {
        role: 'architect',
        limit: 100,
      });
      const stored = (await contentsOf(calm.client, tables.table)).map(({ item, expires_at }) => ({
        text: JSON.stringify(item),
        expires: expires_at !== undefined,
      }));
      return [
        ...checks.listedAs(
          expected,
          listed.flat().map(({ head }) => head),
        ),
        ...checks.inInbox(
          'architect',
          expected,
          tasks.map(({ task_id }) => task_id),
        ),
        ...checks.leftBehind(cancelled, stored),
      ];
    };
    await eventually(wrong, ({ length }) => length === 0, 60_000);
    expect(came.again).toBeGreaterThan(0);
    expect(buried).toEqual([]);
  }, 90_000);

  it('the bus hears every event, and none of what was hidden', async () => {
    const told = [...(await logs())].flatMap(([id, commits]) =>
      commits.flatMap(({ seq, events }) => events.map((_, i) => `${id}:${seq}.${i}`)),
    );
    const missing = async () => told.filter((id) => !published.has(id));
    await eventually(missing, ({ length }) => length === 0, 60_000);
    expect([...published.keys()].toSorted()).toEqual(told.toSorted());
    expect(came.refused_by_bus).toBeGreaterThan(0);
  }, 90_000);
});
