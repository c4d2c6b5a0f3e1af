// The entries that an index leads to, in as few requests as there can be.
//   RE1  DynamoDB may leave part of a batch for later: it is asked for again, a bounded number of times.
import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { Fault } from '../faults.ts';
import { orFault } from './sdk-faults.ts';

type Key = z.infer<typeof Key>;
type Entry = Record<string, unknown>;

/** DynamoDB's own limit. */
const AT_ONCE = 100;
const TRIES = 6;
const FIRST_WAIT_MS = 10;

const Key = z.object({ pk: z.string(), sk: z.string() });
const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** What each item of an index leads to; null for what is gone since. */
export async function readEntries(
  client: DynamoDBDocumentClient,
  table: string,
  indexed: readonly Entry[],
): Promise<(Entry | null)[]> {
  const keys = indexed.map((item) => Key.parse(item));
  const found = new Map<string, Entry>();
  const batches: Key[][] = [];
  for (let at = 0; at < keys.length; at += AT_ONCE) batches.push(keys.slice(at, at + AT_ONCE));
  await Promise.all(batches.map((batch) => readBatch(client, table, batch, found)));
  return keys.map((key) => found.get(nameOf(key)) ?? null);
}

async function readBatch(
  client: DynamoDBDocumentClient,
  table: string,
  batch: readonly Key[],
  found: Map<string, Entry>,
): Promise<void> {
  let left: Entry[] = [...batch];
  for (let tries = 0; left.length > 0; tries++) {
    if (tries === TRIES) throw new Fault('unavailable', 'The store is busy. Send the same request again.');
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** tries));
    const input = { RequestItems: { [table]: { Keys: left } } };
    const { Responses = {}, UnprocessedKeys = {} } = await orFault(client.send(new BatchGetCommand(input)));
    for (const entry of Responses[table] ?? []) found.set(nameOf(Key.parse(entry)), entry);
    left = UnprocessedKeys[table]?.Keys ?? []; // RE1
  }
}
