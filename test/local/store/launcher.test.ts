// Which store runs, that it keeps what it was given, and that it says why it cannot start.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Choice, chooseStore } from '../../../local/store/choose-store.ts';
import { dynoxideFile } from '../../../local/store/dynoxide.ts';
import { ensureTables } from '../../../local/store/ensure-tables.ts';
import { startStore } from '../../../local/store/start-store.ts';
import { trimStreamRecords } from '../../../local/store/stream-records.ts';
import { clientConfig, STORE_KINDS } from '../../support/stores.ts';

const temporary = mkdtempSync(path.join(tmpdir(), 'stepgate-launcher-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));
const folder = () => mkdtempSync(path.join(temporary, 'data-'));
const NAMES = { table: 'main', connections: 'connections' };

describe('the choice', () => {
  const there = (kind: 'dynoxide' | 'dynamodb-local'): Choice => ({
    kind,
    command: kind,
    arguments: () => [],
  });
  const nothing = (kind: string) => ({ missing: `there is no ${kind}` });

  it.each([
    ['dynoxide if it is there', undefined, there, 'dynoxide'],
    ['dynoxide if nothing is said', '', there, 'dynoxide'],
    [
      'DynamoDB Local if dynoxide is not there',
      undefined,
      (kind: 'dynoxide' | 'dynamodb-local') => (kind === 'dynoxide' ? nothing(kind) : there(kind)),
      'dynamodb-local',
    ],
    ['the one asked for', 'dynamodb-local', there, 'dynamodb-local'],
    ['a URL', 'http://localhost:8000', nothing, 'url'],
  ])('%s', (_title, asked, look, kind) => {
    expect(chooseStore(asked, look).kind).toBe(kind);
  });

  it.each([
    [
      undefined,
      /^There is no store to keep data in\. There is no dynoxide\. There is no dynamodb-local\. Run "npm ci"/,
    ],
    ['dynoxide', /^There is no dynoxide\. Run "npm ci".*Java 17.*STEPGATE_DB/],
    ['dynamodb-local', /^There is no dynamodb-local\. Run "npm ci"/],
    ['ftp://x', /^STEPGATE_DB is "ftp:\/\/x"\. Set it to/],
    ['http://', /^STEPGATE_DB is "http:\/\/"\. Set it to/],
  ])('%s without a store is a sentence with a way out', (asked, sentence) => {
    expect(() => chooseStore(asked, nothing)).toThrow(sentence);
  });
});

/** A store of the test's own, with its tables. */
async function open(kind: string, dataDir: string) {
  const store = await startStore({ kind, dataDir });
  const client = new DynamoDBClient(clientConfig(store.endpoint));
  onTestFinished(async () => {
    client.destroy();
    await store.stop();
  });
  const stream_arn = await ensureTables(client, NAMES);
  const put = (n: number) =>
    client.send(
      new PutItemCommand({ TableName: NAMES.table, Item: { pk: { S: 'p' }, sk: { S: String(n) } } }),
    );
  const all = async () => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: NAMES.table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: 'p' } },
      }),
    );
    return Items.map(({ sk }) => sk?.S);
  };
  return { store, stream_arn, put, all };
}

describe.each(STORE_KINDS)('%s as a child', (kind) => {
  it('keeps what was acknowledged when it is stopped, and when it is killed', async () => {
    const dataDir = folder();
    const first = await open(kind, dataDir);
    await first.put(1);
    await first.store.stop();
    const second = await open(kind, dataDir);
    await second.put(2);
    process.kill(second.store.pid ?? 0, 'SIGKILL');
    expect(await second.store.exited).toContain('SIGKILL');
    const third = await open(kind, dataDir);
    expect(await third.all()).toEqual(['1', '2']);
    expect(third.stream_arn).toBe(first.stream_arn);
  });
});

describe.runIf(STORE_KINDS.includes('dynoxide'))('dynoxide', () => {
  it('that cannot start says what it said', async () => {
    const dataDir = folder();
    mkdirSync(dynoxideFile(dataDir)); // a folder where its file should be
    await expect(startStore({ kind: 'dynoxide', dataDir })).rejects.toMatchObject({
      name: 'SetupError',
      message: expect.stringMatching(/^The store dynoxide did not start \(it exited with code \d+: .+\)/s),
    });
  });

  it('finds a stream record by an index', async () => {
    const dataDir = folder();
    await open('dynoxide', dataDir);
    const database = new DatabaseSync(dynoxideFile(dataDir), { readOnly: true });
    const plan = database
      .prepare(
        `EXPLAIN QUERY PLAN SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = 'main'`,
      )
      .all();
    database.close();
    expect(JSON.stringify(plan)).toContain('stepgate_stream_order');
  });

  it('forgets old records that were seen, but never the newest, and counts on from it (R1)', async () => {
    const dataDir = folder();
    const { store, stream_arn, put } = await open('dynoxide', dataDir);
    for (const n of [1, 2, 3, 4, 5]) await put(n);
    const future = Math.floor(Date.now() / 1000) + 60;
    expect(trimStreamRecords(dataDir, NAMES.table, '5', 0)).toBe(0);
    expect(trimStreamRecords(dataDir, NAMES.table, '2', future)).toBe(2);
    expect(trimStreamRecords(dataDir, 'another', '5', future)).toBe(0);
    expect(trimStreamRecords(dataDir, NAMES.table, '5', future)).toBe(2);
    await put(6);
    expect(await sequencesAfter(store.endpoint, stream_arn, '2')).toEqual(['5', '6']);
  });
});

async function sequencesAfter(endpoint: string, StreamArn: string, SequenceNumber: string) {
  const client = new DynamoDBStreamsClient(clientConfig(endpoint));
  onTestFinished(() => client.destroy());
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId;
  const { ShardIterator } = await client.send(
    new GetShardIteratorCommand({
      StreamArn,
      ShardId,
      ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
      SequenceNumber,
    }),
  );
  const { Records = [] } = await client.send(new GetRecordsCommand({ ShardIterator }));
  return Records.map(({ dynamodb }) => dynamodb?.SequenceNumber);
}
