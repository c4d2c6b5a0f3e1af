// What is in a table, item by item, and writes that fail from a certain one on: for tests of what a crash leaves.
import {
  type AttributeValue,
  type DynamoDBClient,
  ScanCommand,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';

export interface Stored {
  readonly pk: string;
  readonly sk: string;
  /** Seconds since 1970; undefined if it stays. */
  readonly expires_at: number | undefined;
  readonly item: Readonly<Record<string, AttributeValue>>;
}

export async function contentsOf(client: DynamoDBClient, table: string): Promise<Stored[]> {
  const stored: Stored[] = [];
  let from: Record<string, AttributeValue> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        ...(from ? { ExclusiveStartKey: from } : {}),
      }),
    );
    for (const item of Items)
      stored.push({
        pk: item.pk?.S ?? '',
        sk: item.sk?.S ?? '',
        expires_at: item.ttl?.N === undefined ? undefined : Number(item.ttl.N),
        item,
      });
    from = LastEvaluatedKey;
  } while (from);
  return stored;
}

const WRITES: ReadonlySet<string> = new Set([
  'PutItemCommand',
  'DeleteItemCommand',
  'PutCommand',
  'DeleteCommand',
  'TransactWriteItemsCommand',
]);

/** Lets so many writes through; every later one finds the process dead. */
export function dieAfter(client: DynamoDBClient, writes: number): void {
  let left = writes;
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (WRITES.has(commandName ?? '') && left-- <= 0) throw new Error('the process is gone');
        return next(args);
      },
    { step: 'initialize', name: 'dying' },
  );
}

/** So many writes find another transaction at their items; gives how many are still to come. */
export function conflicts(client: DynamoDBClient, times: number): () => number {
  let left = times;
  const said = { $metadata: {}, message: 'a transaction is under way' };
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (left > 0 && commandName === 'TransactWriteItemsCommand' && left--)
          throw new TransactionCanceledException({
            ...said,
            CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
          });
        const closes = JSON.stringify(args.input).includes('C#000000000002');
        if (left > 0 && commandName === 'PutItemCommand' && closes && left--)
          throw new TransactionConflictException(said);
        return next(args);
      },
    { step: 'initialize', name: 'conflicts' },
  );
  return () => left;
}
