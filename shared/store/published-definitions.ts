// Publishing: a version becomes the current one by a transaction on its item, the pointer and the catalogue.
//   PU1  A version's item never changes once it is published, and each new one has the next number.
//   PU2  Of two who publish at the same time one is first; the other looks again.
//   PU3  A repeat under the same key answers as the first did, and moves nothing.
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { IdempotencyKey, Workflow } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Published, Publishing, VersionEntry } from '../ports.ts';
import { entryOf, StoredVersion, VERSION_ATTRIBUTES, versionItem } from './definition-items.ts';
import { catalogueKey, currentVersionKey, definitionKey, publishKey, versionsOf } from './keys.ts';
import { asFault, orFault } from './sdk-faults.ts';

/** `number`: how many versions were published; `moves`: how often the pointer was set. */
const Pointer = z.object({ version: z.string(), number: z.number(), moves: z.number() });
const Catalogued = z.object({ sk: z.string(), version: z.string() });
const Answered = z.object({
  body: z.string(),
  change: z.enum(['created', 'restored', 'unchanged']),
});

const NOT_THERE = 'attribute_not_exists(pk)';
const UNMOVED = '#moves = :moves';
const UNPUBLISHED = 'attribute_not_exists(#number)';
const TRIES = 8;

type Writes = NonNullable<TransactWriteCommandInput['TransactItems']>;

export function createPublished(client: DynamoDBDocumentClient, table: string) {
  const get = async <T extends z.ZodType>(
    Key: Record<string, string>,
    shape: T,
  ): Promise<z.output<T> | null> => {
    const { Item } = await orFault(
      client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true })),
    );
    return Item ? shape.parse(Item) : null;
  };
  const query = async (
    { pk, prefix }: { readonly pk: string; readonly prefix?: string },
    attributes: readonly string[],
  ) => {
    const found: Record<string, unknown>[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const input = {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: prefix === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ...(prefix === undefined ? {} : { ':prefix': prefix }) },
        ProjectionExpression: attributes.map((_, i) => `#a${i}`).join(', '),
        ExpressionAttributeNames: Object.fromEntries(attributes.map((name, i) => [`#a${i}`, name])),
        ...(from ? { ExclusiveStartKey: from } : {}),
      };
      const { Items = [], LastEvaluatedKey } = await orFault(client.send(new QueryCommand(input)));
      found.push(...Items);
      from = LastEvaluatedKey;
    } while (from);
    return found;
  };
  const current = (id: string) => get(currentVersionKey(id), Pointer);

  async function publish(workflow: Workflow, by: Publishing, shipped: string | null): Promise<Published> {
    for (let tries = 0; tries < TRIES; tries++) {
      const repeat = by.under && (await repeated(workflow, by.under));
      if (repeat) return repeat;
      const pointer = await current(workflow.id);
      const stored = await get(definitionKey(workflow.id, workflow.version), StoredVersion);
      const now = pointer?.version ?? shipped;
      const change =
        now === workflow.version ? 'unchanged' : stored?.number === undefined ? 'created' : 'restored';
      const number = (pointer?.number ?? 0) + (change === 'created' ? 1 : 0);
      const fresh = versionItem(workflow, { ...by, number });
      const writes: Writes = [
        ...(change === 'created' ? [creates(fresh)] : []),
        ...(change === 'unchanged' ? [] : moves(workflow, { number, moves: (pointer?.moves ?? 0) + 1 })),
        ...(by.under ? [answers(workflow, by.under, change)] : []),
      ];
      const known = stored ?? StoredVersion.parse(versionItem(workflow));
      const entry = entryOf(change === 'created' ? StoredVersion.parse(fresh) : known);
      if (writes.length === 0 || (await written(writes))) return { entry, change };
    }
    throw new Fault(
      'version_conflict',
      `Others publish "${workflow.id}" right now. Send the same request again.`,
    );
  }

  async function repeated(workflow: Workflow, { key, body }: IdempotencyKey): Promise<Published | null> {
    const first = await get(publishKey(workflow.id, key), Answered);
    if (first === null) return null;
    if (first.body !== body)
      throw new Fault(
        'idempotency_mismatch',
        'This Idempotency-Key was used with another body; use a new key.',
      );
    const stored = await get(definitionKey(workflow.id, workflow.version), StoredVersion);
    const entry = entryOf(stored ?? StoredVersion.parse(versionItem(workflow)));
    return { entry, change: first.change, replayed: true };
  }

  const creates = (Item: Record<string, unknown>) => ({
    Put: {
      TableName: table,
      Item,
      ConditionExpression: UNPUBLISHED, // PU1; one that was only kept for its instances has no number
      ExpressionAttributeNames: { '#number': 'number' },
    },
  });
  const moves = ({ id, version }: Workflow, next: { number: number; moves: number }): Writes => [
    {
      Put: {
        TableName: table,
        Item: { ...currentVersionKey(id), version, ...next },
        ...(next.moves === 1
          ? { ConditionExpression: NOT_THERE }
          : {
              ConditionExpression: UNMOVED,
              ExpressionAttributeNames: { '#moves': 'moves' },
              ExpressionAttributeValues: { ':moves': next.moves - 1 },
            }),
      },
    },
    { Put: { TableName: table, Item: { ...catalogueKey(id), version } } },
  ];
  const answers = (
    { id, version }: Workflow,
    { key, body }: IdempotencyKey,
    change: Published['change'],
  ) => ({
    Put: {
      TableName: table,
      Item: { ...publishKey(id, key), body, change, version },
      ConditionExpression: NOT_THERE,
    },
  });

  /** False if someone else was first. */
  async function written(TransactItems: Writes): Promise<boolean> {
    try {
      await client.send(new TransactWriteCommand({ TransactItems }));
      return true;
    } catch (error) {
      if (error instanceof TransactionCanceledException && wasLate(error)) return false;
      throw asFault(error);
    }
  }

  return {
    current,
    publish,
    /** The current version of every workflow of which one was published. */
    async all() {
      const items = await query({ pk: catalogueKey('').pk }, ['sk', 'version']);
      return items
        .map((item) => Catalogued.parse(item))
        .map(({ sk, version }) => ({ workflow_id: sk, version }));
    },
    async versions(id: string, shipped: Workflow | null): Promise<readonly VersionEntry[]> {
      const items = (await query(versionsOf(id), VERSION_ATTRIBUTES)).map((item) =>
        StoredVersion.parse(item),
      );
      const known = items.some(({ version }) => version === shipped?.version);
      const all = shipped === null || known ? items : [...items, StoredVersion.parse(versionItem(shipped))];
      return all.toSorted((a, b) => (b.number ?? 0) - (a.number ?? 0)).map(entryOf);
    },
  };
}

const LATE: ReadonlySet<string | undefined> = new Set(['ConditionalCheckFailed', 'TransactionConflict']);

const wasLate = ({ CancellationReasons = [] }: TransactionCanceledException): boolean =>
  CancellationReasons.some(({ Code }) => LATE.has(Code));
