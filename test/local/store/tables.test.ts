// Both tables on each store: made once, left alone the second time, with what the functions rely on.
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient, DescribeStreamCommand } from '@aws-sdk/client-dynamodb-streams';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureTables } from '../../../local/store/ensure-tables.ts';
import { INDEX } from '../../../shared/names.ts';
import { clientConfig, type FreshTables, freshTables, STORE_KINDS } from '../../support/stores.ts';

describe.each(STORE_KINDS)('tables on %s', (kind) => {
  let store: FreshTables;
  let client: DynamoDBClient;
  beforeAll(async () => {
    store = await freshTables(kind);
    client = new DynamoDBClient(clientConfig(store.endpoint));
  });
  afterAll(() => client.destroy());

  it('the main table has its indexes and a stream of new images', async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: store.table }));
    expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort()).toEqual(
      [INDEX.owner, INDEX.role, INDEX.session, INDEX.workflow].map(({ name }) => name),
    );
    expect(Table?.LocalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual([INDEX.key.name]);
    expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_IMAGE' });
  });

  it('the connections table has no stream', async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: store.connections }));
    expect(Table?.LatestStreamArn).toBeUndefined();
  });

  it('both tables forget by the same attribute', async () => {
    for (const TableName of [store.table, store.connections]) {
      const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
      expect(TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' });
    }
  });

  it('the address it gives is the one of the stream', async () => {
    const streams = new DynamoDBStreamsClient(clientConfig(store.endpoint));
    const { StreamDescription } = await streams.send(
      new DescribeStreamCommand({ StreamArn: store.stream_arn }),
    );
    expect(StreamDescription?.TableName).toBe(store.table);
    streams.destroy();
  });

  it('ensuring them again changes nothing and keeps what is in them', async () => {
    const Item = { pk: { S: 'W#1' }, sk: { S: 'C#1' }, idempotency: { S: 'k' } };
    await client.send(new PutItemCommand({ TableName: store.table, Item }));
    expect(await ensureTables(client, store)).toBe(store.stream_arn);
    const { Items } = await client.send(
      new QueryCommand({
        TableName: store.table,
        IndexName: INDEX.key.name,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND idempotency = :key',
        ExpressionAttributeValues: { ':pk': { S: 'W#1' }, ':key': { S: 'k' } },
      }),
    );
    expect(Items).toEqual([Item]);
  });

  it('two at once make the same tables', async () => {
    const id = crypto.randomUUID();
    const names = { table: `twice-${id}`, connections: `twice-connections-${id}` };
    const [one, other] = await Promise.all([ensureTables(client, names), ensureTables(client, names)]);
    expect(one).toBe(other);
  });
});
