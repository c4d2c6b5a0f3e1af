// The floor: what any engine that keeps its state in this store must at least do. One consistent read, one conditional
// put, with the same SDK. No audit trail, no events, no rules.
import { type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { TABLES } from './store.ts';

/** As large as the state of the workflow that is measured. */
const PAYLOAD = 'x'.repeat(1_200);

const key = (id: string) => ({ pk: { S: `FLOOR#${id}` }, sk: { S: 'STATE' } });
const item = (id: string, version: number, step: number) => ({
  ...key(id),
  version: { N: String(version) },
  state: { S: JSON.stringify({ id, step, payload: PAYLOAD }) },
});

export async function floorStart(client: DynamoDBClient, id: string): Promise<void> {
  await client.send(
    new PutItemCommand({
      TableName: TABLES.table,
      Item: item(id, 0, 0),
      ConditionExpression: 'attribute_not_exists(pk)',
    }),
  );
}

export async function floorSignal(client: DynamoDBClient, id: string): Promise<number> {
  const { Item } = await client.send(
    new GetItemCommand({ TableName: TABLES.table, Key: key(id), ConsistentRead: true }),
  );
  const version = Number(Item?.version?.N);
  const { step } = JSON.parse(Item?.state?.S ?? '') as { step: number }; // written above
  await client.send(
    new PutItemCommand({
      TableName: TABLES.table,
      Item: item(id, version + 1, step + 1),
      ConditionExpression: 'version = :version',
      ExpressionAttributeValues: { ':version': { N: String(version) } },
    }),
  );
  return step + 1;
}
