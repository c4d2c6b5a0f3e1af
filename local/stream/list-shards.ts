// All shards of a stream there are.
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';

export async function listShards(client: DynamoDBStreamsClient, StreamArn: string): Promise<Shard[]> {
  const shards: Shard[] = [];
  let after: string | undefined;
  do {
    const { StreamDescription } = await client.send(
      new DescribeStreamCommand({
        StreamArn,
        ...(after === undefined ? {} : { ExclusiveStartShardId: after }),
      }),
    );
    shards.push(...(StreamDescription?.Shards ?? []));
    after = StreamDescription?.LastEvaluatedShardId;
  } while (after !== undefined);
  return shards;
}
