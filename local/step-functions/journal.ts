// The journal of executions, in a table of the local store.
//   JR1  Each rest of an execution is written before anything is done for it, and only on top of the one before: a
//       runner that was left for dead cannot write over the one that took its place.
//   JR2  A retry of our own whose first try had landed has written, not lost.
import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type CreateTableCommandInput,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { ensureTable } from '../store/ensure-tables.ts';
import { Execution, type Running } from './execution.ts';

const JOURNAL_TABLE = 'stepgate-executions';

export interface Journal {
  /** False if there is one of that name. */
  create(execution: Execution): Promise<boolean>;
  /** False if somebody else has written since. */
  write(execution: Execution): Promise<boolean>;
  find(machine: string, name: string): Promise<Execution | null>;
  running(machine: string): Promise<readonly Running[]>;
  all(machine: string): Promise<readonly Execution[]>;
  keepDefinition(version: string, text: string): Promise<void>;
  definition(version: string): Promise<string | null>;
}

const OPEN = { index: 'by_open', pk: 'open' };
/** For so long AWS remembers an execution and keeps its name taken. */
const KEPT_SECONDS = 90 * 24 * 3600;

const table = (TableName: string): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: ['pk', 'sk', OPEN.pk].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  GlobalSecondaryIndexes: [
    {
      IndexName: OPEN.index,
      KeySchema: [
        { AttributeName: OPEN.pk, KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
});

const definitionKey = (version: string) => ({ pk: { S: 'definition' }, sk: { S: version } });

const Row = z.object({ execution: z.object({ S: z.string() }) });
const read = (item: unknown): Execution => Execution.parse(JSON.parse(Row.parse(item).execution.S));

/** Makes the table where it is missing. */
export async function openJournal(client: DynamoDBClient, name = JOURNAL_TABLE): Promise<Journal> {
  await ensureTable(client, table(name), name);
  const writer = randomUUID();
  const put = async (execution: Execution, condition: Partial<PutItemCommand['input']>): Promise<boolean> => {
    const Item: Record<string, AttributeValue> = { ...itemOf(execution), writer: { S: writer } };
    const ReturnValuesOnConditionCheckFailure = 'ALL_OLD';
    try {
      await client.send(
        new PutItemCommand({ TableName: name, Item, ReturnValuesOnConditionCheckFailure, ...condition }),
      );
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const there = error.Item;
      return there?.writer?.S === writer && there.execution?.S === Item.execution?.S; // JR2
    }
  };
  const query = async (input: Omit<QueryCommandInput, 'TableName'>): Promise<readonly Execution[]> => {
    const found: Execution[] = [];
    for await (const { Items = [] } of paginateQuery({ client }, { TableName: name, ...input }))
      found.push(...Items.map(read));
    return found;
  };
  return {
    create: (execution) => put(execution, { ConditionExpression: 'attribute_not_exists(pk)' }),
    write: (execution) =>
      put(execution, {
        ConditionExpression: 'revision = :before',
        ExpressionAttributeValues: { ':before': { N: String(execution.revision - 1) } },
      }),
    async find(machine, id) {
      const Key = { pk: { S: machine }, sk: { S: id } };
      const { Item } = await client.send(new GetItemCommand({ TableName: name, Key, ConsistentRead: true }));
      return Item ? read(Item) : null;
    },
    async running(machine) {
      const open = await query({
        IndexName: OPEN.index,
        KeyConditionExpression: '#open = :machine',
        ExpressionAttributeNames: { '#open': OPEN.pk },
        ExpressionAttributeValues: { ':machine': { S: machine } },
      });
      return open.filter((execution) => execution.status === 'RUNNING');
    },
    all: (machine) =>
      query({
        KeyConditionExpression: 'pk = :machine',
        ExpressionAttributeValues: { ':machine': { S: machine } },
        ConsistentRead: true,
      }),
    async keepDefinition(version, text) {
      const Item = { ...definitionKey(version), text: { S: text } };
      await client.send(new PutItemCommand({ TableName: name, Item }));
    },
    async definition(version) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: name, Key: definitionKey(version), ConsistentRead: true }),
      );
      return Item?.text?.S ?? null;
    },
  };
}

function itemOf(execution: Execution): Record<string, AttributeValue> {
  const { machine, name, revision } = execution;
  return {
    pk: { S: machine },
    sk: { S: name },
    revision: { N: String(revision) },
    execution: { S: JSON.stringify(execution) },
    ...(execution.status === 'RUNNING'
      ? { [OPEN.pk]: { S: machine } }
      : { ttl: { N: String(Math.ceil(execution.stopped_at / 1000) + KEPT_SECONDS) } }),
  };
}
