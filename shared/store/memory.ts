// Facts about people, in DynamoDB: the default behind the Mem0-shaped port. Reads are consistent, because gates
// are judged on them.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { IdempotencyKey } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Fact, Memory } from '../ports.ts';
import { factKey, factRequestKey, factsOf } from './keys.ts';
import { asFault, orFault } from './sdk-faults.ts';

const Stored = z.object({
  id: z.string(),
  user_id: z.string(),
  category: z.string(),
  memory: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  created_by: z.string(),
  created_at: z.iso.datetime(),
});

export function createMemory(client: DynamoDBDocumentClient, table: string): Memory {
  const under = (user_id: string, category?: string) => {
    const { pk, prefix } = factsOf(user_id, category);
    return {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    };
  };
  return {
    /** The same id twice is the same fact: the first one stays. A key is taken before its fact is written, so that a
     *  crash between the two leaves nothing that a repeat would not mend. */
    async add(fact, under) {
      if (under) await takeKey(client, table, fact.user_id, under);
      const Item = { ...factKey(fact.user_id, fact.category, fact.id), ...fact };
      const put = { TableName: table, Item, ConditionExpression: NOT_THERE };
      try {
        await client.send(new PutCommand(put));
        return fact;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw asFault(error);
        return stored(client, table, fact);
      }
    },
    async list(user_id, category, limit, after) {
      const start = after === undefined ? {} : { ExclusiveStartKey: { pk: factsOf(user_id).pk, sk: after } };
      const input = { ...under(user_id, category), Limit: limit, ...start };
      const { Items = [], LastEvaluatedKey } = await orFault(client.send(new QueryCommand(input)));
      const last: unknown = LastEvaluatedKey?.sk;
      return { facts: Items.map((item) => Stored.parse(item)), last: typeof last === 'string' ? last : null };
    },
    async count(user_id, category) {
      let count = 0;
      let from: Record<string, unknown> | undefined;
      do {
        const input = new QueryCommand({
          ...under(user_id, category),
          Select: 'COUNT',
          ...(from ? { ExclusiveStartKey: from } : {}),
        });
        const { Count = 0, LastEvaluatedKey } = await orFault(client.send(input));
        count += Count;
        from = LastEvaluatedKey;
      } while (from);
      return count;
    },
  };
}

const NOT_THERE = 'attribute_not_exists(pk)';

async function takeKey(
  client: DynamoDBDocumentClient,
  table: string,
  user_id: string,
  { key, body }: IdempotencyKey,
): Promise<void> {
  try {
    const Item = { ...factRequestKey(user_id, key), body };
    const values = { ':body': body };
    const condition = `${NOT_THERE} OR body = :body`;
    await client.send(
      new PutCommand({
        TableName: table,
        Item,
        ConditionExpression: condition,
        ExpressionAttributeValues: values,
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw asFault(error);
    throw new Fault(
      'idempotency_mismatch',
      'This Idempotency-Key was used with another body; use a new key.',
    );
  }
}

async function stored(client: DynamoDBDocumentClient, table: string, fact: Fact): Promise<Fact> {
  const Key = factKey(fact.user_id, fact.category, fact.id);
  const { Item } = await orFault(
    client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true })),
  );
  return Stored.parse(Item);
}
