// What grows and what does not: a long log, a full table, many writers on one instance.
import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startInstance } from '../shared/app/start-instance.ts';
import { tell } from '../shared/app/tell.ts';
import { benchApp } from './app.ts';
import { total, WORKER } from './handlers.ts';
import { atMost, type Row } from './rows.ts';
import { type BenchStore, clientOf, counting, TABLES } from './store.ts';

const STAY = { action: 'stay' };

interface Cost {
  readonly requests: number;
  readonly bytes: number;
}

export async function scale(
  store: BenchStore,
  { commits = 10_000, instances = 100_000 } = {},
): Promise<Row[]> {
  const client = clientOf(store.endpoint);
  const short = await instanceWith(client, 10);
  const long = await instanceWith(client, commits);
  const [few, many] = [await costOf(store, short), await costOf(store, long)];
  await fill(client, instances);
  const crowded = await costOf(store, short);
  const rows: Row[] = [
    atMost(
      `requests of a cold signal after ${commits.toLocaleString('en')} commits, against 10`,
      many.requests / few.requests,
      1,
    ),
    atMost('  bytes moved', many.bytes / few.bytes, 1.2),
    atMost(
      `requests with ${instances.toLocaleString('en')} other instances, against none`,
      crowded.requests / few.requests,
      1,
    ),
    atMost('  bytes moved', crowded.bytes / few.bytes, 1.2),
    ...(await writers(client, 64)),
  ];
  client.destroy();
  return rows;
}

async function instanceWith(client: DynamoDBClient, commits: number): Promise<string> {
  const app = benchApp(client, 7);
  const { instance_id } = await startInstance(app, { body: { workflow_id: 'linear-7' }, caller: WORKER });
  for (let seq = 1; seq < commits; seq++)
    await tell(app, { instance_id, type: 'signal', body: STAY, caller: WORKER });
  return instance_id;
}

/** One cold and one warm signal, by a process that knows nothing yet. */
async function costOf(store: BenchStore, instance_id: string): Promise<Cost> {
  const client = clientOf(store.endpoint);
  const traffic = counting(client);
  const app = benchApp(client, 7);
  for (let i = 0; i < 2; i++) await tell(app, { instance_id, type: 'signal', body: STAY, caller: WORKER });
  client.destroy();
  return { requests: total(traffic.requests), bytes: traffic.bytes };
}

/** Other people's instances: one commit each, as large as ours. */
async function fill(client: DynamoDBClient, instances: number): Promise<void> {
  const text = JSON.stringify({ filler: 'x'.repeat(1_500) });
  const batches = Math.ceil(instances / 25);
  let next = 0;
  const loop = async () => {
    for (let batch = next++; batch < batches; batch = next++) {
      const puts = Array.from({ length: 25 }, (_, i) => ({
        PutRequest: {
          Item: { pk: { S: `W#filler-${batch}-${i}` }, sk: { S: 'C#000000000001' }, commit: { S: text } },
        },
      }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [TABLES.table]: puts } }));
    }
  };
  await Promise.all(Array.from({ length: 16 }, loop));
}

/** All of them on one instance: from one process, and from eight that know nothing of each other. */
async function writers(client: DynamoDBClient, count: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const processes of [1, 8]) {
    const apps = Array.from({ length: processes }, () => benchApp(client, 7));
    const [first = benchApp(client, 7)] = apps;
    const { instance_id } = await startInstance(first, { body: { workflow_id: 'linear-7' }, caller: WORKER });
    const started = performance.now();
    const each = 8;
    const loops = Array.from({ length: count }, async (_, i) => {
      const app = apps[i % processes] ?? first;
      for (let n = 0; n < each; n++)
        await tell(app, {
          instance_id,
          type: 'signal',
          body: { action: 'stay', data: { [`w${i}`]: n } },
          caller: WORKER,
        });
    });
    await Promise.all(loops);
    const seconds = (performance.now() - started) / 1_000;
    const entries = await first.log.after(instance_id, 1, count * each + 1);
    const distinct = new Set(entries.map(({ commit }) => JSON.stringify(commit.signal.body.data)));
    if (entries.length !== count * each || distinct.size !== count * each)
      throw new Error(`${entries.length} commits of ${count * each}, ${distinct.size} distinct`);
    const from = processes === 1 ? 'one process' : `${processes} processes`;
    rows.push({
      what: `${count} writers on one instance, ${from}: all landed once`,
      value: entries.length / seconds,
      unit: 'commits/s',
    });
  }
  return rows;
}
