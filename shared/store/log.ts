// The log in DynamoDB: one conditional PutItem per commit, consistent reads.
//   W1  Two writers that read the same state race for the same key; exactly one wins.
//   W2  A retry of our own whose first try had landed finds its own id and has won.
//   W3  An erased instance has tombstones for commits: it is not there, and nothing is appended to it.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { INDEX } from '../names.ts';
import type { Entry, InstanceLog } from '../ports.ts';
import { entryOf, type Item, seal } from './commit-item.ts';
import { eraseInstance } from './erase.ts';
import { activeKey, activesOf, commitKey, seqOf, startKey } from './keys.ts';
import { orFault } from './sdk-faults.ts';
import { createInstance } from './start-transaction.ts';
import { isTombstone } from './tombstone.ts';

const NOT_THERE = 'attribute_not_exists(pk)';

export function createLog(client: DynamoDBClient, table: string): InstanceLog {
  const query = async (input: Omit<QueryCommandInput, 'TableName'>): Promise<readonly Item[]> => {
    const { Items = [] } = await orFault(
      client.send(new QueryCommand({ TableName: table, ConsistentRead: true, ...input })),
    );
    return Items;
  };
  const get = async ({ pk, sk }: { pk: string; sk: string }): Promise<Item | undefined> => {
    const key = { pk: { S: pk }, sk: { S: sk } };
    const { Item } = await orFault(
      client.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true })),
    );
    return Item;
  };
  return {
    async latest(instance_id) {
      const [item] = await query({
        ...underKey(commitKey(instance_id, 0).pk),
        ScanIndexForward: false,
        Limit: 1,
      });
      return item && !isTombstone(item) ? entryOf(item) : null;
    },
    async at(instance_id, seq) {
      const item = await get(commitKey(instance_id, seq));
      return item && !isTombstone(item) ? entryOf(item) : null;
    },
    async after(instance_id, seq, limit) {
      const entries: Entry[] = [];
      // A page ends at 1 MB, so a long stretch takes several.
      for (let from = seq; entries.length < limit; from = entries.at(-1)?.commit.seq ?? from) {
        const { pk, sk } = commitKey(instance_id, from);
        const items = await query({
          KeyConditionExpression: 'pk = :pk AND sk > :sk',
          ExpressionAttributeValues: { ':pk': { S: pk }, ':sk': { S: sk } },
          Limit: limit - entries.length,
        });
        if (items.length === 0) break;
        if (items.some(isTombstone)) return [];
        entries.push(...items.map(entryOf));
      }
      return entries;
    },
    async seqOfKey(instance_id, key) {
      const [item] = await query({
        IndexName: INDEX.key.name,
        KeyConditionExpression: 'pk = :pk AND #key = :key',
        ExpressionAttributeNames: { '#key': INDEX.key.sk },
        ExpressionAttributeValues: { ':pk': { S: commitKey(instance_id, 0).pk }, ':key': { S: key } },
        Limit: 1,
      });
      return item?.sk?.S === undefined ? null : seqOf(item.sk.S);
    },
    async append(commit, before) {
      const { entry, item } = seal(commit, before.hash);
      const put = new PutItemCommand({
        TableName: table,
        Item: item,
        ConditionExpression: NOT_THERE,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      try {
        await client.send(put);
        return entry;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException) || !error.Item)
          return orFault(Promise.reject(error));
        if (isTombstone(error.Item)) return { lostTo: null };
        const there = entryOf(error.Item);
        return there.commit.id === commit.id ? there : { lostTo: there };
      }
    },
    create: (commit, claims) => createInstance(client, table, commit, claims),
    erase: (instance_id, expires_at) => eraseInstance(client, table, instance_id, expires_at),
    async activeOf(owner, workflow_id) {
      return (await get(activeKey(owner, workflow_id)))?.instance_id?.S ?? null;
    },
    async activesOf(owner) {
      const { pk, prefix } = activesOf(owner);
      const items = await query({
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': { S: pk }, ':prefix': { S: prefix } },
      });
      return items.map((item) => ({
        workflow_id: (item.sk?.S ?? '').slice(prefix.length),
        instance_id: item.instance_id?.S ?? '',
      }));
    },
    async startedUnder(sub, key) {
      const item = await get(startKey(sub, key));
      if (item?.instance_id?.S === undefined || item.body?.S === undefined) return null;
      return { instance_id: item.instance_id.S, body: item.body.S };
    },
  };
}

const underKey = (pk: string) => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': { S: pk } },
});
