// Task tokens, each an item of its own that expires: nobody but the backend reads them.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { Wait } from '../engine/index.ts';
import { TTL } from '../names.ts';
import type { Tokens } from '../ports.ts';
import { tokenKey } from './keys.ts';
import { asFault, orFault } from './sdk-faults.ts';

const Kept = z.object({
  instance_id: z.string(),
  sk: z.string(),
  token: z.string(),
  awaited: Wait,
  seq: z.int(),
});

const NOTHING_NEWER = '#token = :token';

export function createTokens(client: DynamoDBDocumentClient, TableName: string): Tokens {
  return {
    async keep({ instance_id, key, token, awaited, seq }, ttl) {
      const Item = { ...tokenKey(instance_id, key), instance_id, token, awaited, seq, [TTL]: ttl };
      await orFault(client.send(new PutCommand({ TableName, Item })));
    },
    async of(instance_id) {
      const { Items = [] } = await orFault(
        client.send(
          new QueryCommand({
            TableName,
            ConsistentRead: true,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': tokenKey(instance_id, '').pk },
          }),
        ),
      );
      return Items.map((item) => {
        const { sk, ...kept } = Kept.parse(item);
        return { ...kept, key: sk };
      });
    },
    async drop({ instance_id, key, token }) {
      const request = new DeleteCommand({
        TableName,
        Key: tokenKey(instance_id, key),
        ConditionExpression: NOTHING_NEWER,
        ExpressionAttributeNames: { '#token': 'token' },
        ExpressionAttributeValues: { ':token': token },
      });
      try {
        await client.send(request);
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw asFault(error);
      }
    },
    async forget({ instance_id, key }) {
      await orFault(client.send(new DeleteCommand({ TableName, Key: tokenKey(instance_id, key) })));
    },
  };
}
