// The event source mapping on each store: filters, batches, checkpoints, dead letters, over the real Streams API.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deadLetters } from '../../../local/stream/dead-letters.ts';
import type { Consumer } from '../../../local/stream/lane.ts';
import { startPoller } from '../../../local/stream/poller.ts';
import { commitKey } from '../../../shared/store/keys.ts';
import { clientConfig, type FreshTables, freshTables, STORE_KINDS } from '../../support/stores.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-stream-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(STORE_KINDS)('the poller on %s', (kind) => {
  let tables: FreshTables;
  let client: DynamoDBClient;
  let file: string;
  beforeEach(async () => {
    tables = await freshTables(kind);
    client = new DynamoDBClient(clientConfig(tables.endpoint));
    file = path.join(folder, `${tables.table}.json`);
    return () => client.destroy();
  });

  const put = (pk: string, sk: string, note = '') =>
    client.send(
      new PutItemCommand({
        TableName: tables.table,
        Item: { pk: { S: pk }, sk: { S: sk }, note: { S: note } },
      }),
    );
  async function commit(from: number, to: number, instance = 'i') {
    for (let seq = from; seq <= to; seq += 1) {
      const { pk, sk } = commitKey(instance, seq);
      await put(pk, sk);
    }
  }

  async function poll(consumers: Readonly<Record<string, Consumer>>, options = {}) {
    const streams = new DynamoDBStreamsClient(clientConfig(tables.endpoint));
    const said: string[] = [];
    const failures: unknown[] = [];
    const poller = await startPoller({
      client: streams,
      stream_arn: tables.stream_arn,
      consumers,
      checkpoint_file: file,
      bury: deadLetters(
        path.join(folder, 'dead.jsonl'),
        () => 0,
        (line) => said.push(line),
      ),
      failed: (_what, error) => failures.push(error),
      backoff_ms: 1,
      ...options,
    });
    let stopped: Promise<void> | undefined;
    const stop = () => (stopped ??= poller.stop().then(() => streams.destroy()));
    onTestFinished(stop);
    return { ...poller, stop, said, failures };
  }

  /** A consumer that writes down which commits it was told, and in which batches. */
  function listener() {
    const batches: DynamoDBRecord[][] = [];
    const consumer: Consumer = async ({ Records }) => {
      batches.push(Records);
    };
    const seqs = () => batches.flat().map(({ dynamodb }) => Number(dynamodb?.Keys?.['sk']?.S?.slice(2)));
    return { consumer, batches, seqs };
  }
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  it('tells both consumers every new commit in order, and nothing else', async () => {
    const one = listener();
    const other = listener();
    await commit(1, 3);
    const poller = await poll({ one: one.consumer, other: other.consumer });
    await put('H#i', 'HEAD');
    await put('W#i', commitKey('i', 3).sk, 'changed'); // a MODIFY
    await commit(4, 5);
    poller.nudge();
    await vi.waitFor(() => expect([one.seqs(), other.seqs()]).toEqual([range(1, 5), range(1, 5)]));
    expect(poller.failures).toEqual([]);
  });

  it('hands records over in the shape of a Lambda event', async () => {
    const { consumer, batches } = listener();
    await commit(1, 1);
    await poll({ consumer });
    await vi.waitFor(() => expect(batches).toHaveLength(1));
    expect(batches[0]?.[0]).toMatchObject({
      eventID: expect.any(String),
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      eventSourceARN: tables.stream_arn,
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { pk: { S: 'W#i' }, sk: { S: 'C#000000000001' } },
        NewImage: { pk: { S: 'W#i' }, sk: { S: 'C#000000000001' }, note: { S: '' } },
        SequenceNumber: expect.stringMatching(/^\d+$/),
        StreamViewType: 'NEW_IMAGE',
      },
    });
  });

  it('goes on after a restart where each consumer was', async () => {
    const before = listener();
    const first = await poll({ quick: before.consumer });
    await commit(1, 3);
    await vi.waitFor(() => expect(before.seqs()).toEqual(range(1, 3)));
    await first.stop();
    await commit(4, 6);
    const quick = listener();
    const late = listener();
    await poll({ quick: quick.consumer, late: late.consumer });
    await vi.waitFor(() => expect(late.seqs()).toEqual(range(1, 6)));
    await vi.waitFor(() => expect(quick.seqs()).toEqual(range(4, 6)));
  });

  it('begins at the beginning when the checkpoint is damaged (K2)', async () => {
    await commit(1, 2);
    writeFileSync(file, '{"stream_arn": "');
    const { consumer, seqs } = listener();
    await poll({ consumer });
    await vi.waitFor(() => expect(seqs()).toEqual([1, 2]));
  });

  it('keeps the position on disk as it goes', async () => {
    const { consumer, seqs } = listener();
    await poll({ consumer });
    await commit(1, 2);
    await vi.waitFor(() => expect(seqs()).toEqual([1, 2]));
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('"consumer"'));
  });

  it('hands over no more than a batch at once, and loses nothing', async () => {
    const { consumer, batches, seqs } = listener();
    await commit(1, 25);
    await poll({ consumer }, { batch_size: 10 });
    await vi.waitFor(() => expect(seqs()).toEqual(range(1, 25)));
    expect(Math.max(...batches.map(({ length }) => length))).toBe(10);
  });

  it('a poison record ends in the dead letters; the other consumer never notices', async () => {
    const fine = listener();
    const told: number[] = [];
    const picky: Consumer = async ({ Records }) => {
      for (const { dynamodb } of Records) {
        if (dynamodb?.Keys?.['pk']?.S === 'W#poison') throw new Error('cannot read this');
        told.push(Number(dynamodb?.Keys?.['sk']?.S?.slice(2)));
      }
    };
    await commit(1, 2);
    await commit(1, 1, 'poison');
    await commit(3, 4);
    const poller = await poll({ fine: fine.consumer, picky }, { tries: 2 });
    await vi.waitFor(() => expect(new Set(told)).toEqual(new Set([1, 2, 3, 4])));
    expect(fine.seqs()).toEqual([1, 2, 1, 3, 4]);
    expect(poller.said).toEqual([
      expect.stringMatching(/^picky gave up on W#poison C#0+1 .*cannot read this/),
    ]);
    const letters = readFileSync(path.join(folder, 'dead.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(letters.at(-1) ?? '')).toMatchObject({
      consumer: 'picky',
      reason: 'cannot read this',
      record: { dynamodb: { Keys: { pk: { S: 'W#poison' } } } },
    });
  });
});
