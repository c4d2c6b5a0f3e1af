// The log in DynamoDB: one conditional PutItem per commit, consistent reads.
//   W1  Two writers that read the same state race for the same key; exactly one wins.
//   W2  A retry of our own whose first try had landed finds its own id and has won.
//   W3  An erased instance has tombstones for commits: it is not there, and nothing is appended to it.
//   W4  A transaction at the same place (a fork of this instance, for example) is a race like any other.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { INDEX } from '../names.ts';
import type { InstanceLog } from '../ports.ts';
import { claimOn } from './active-pointer.ts';
import { entryOf, hashOf, type Item, seal } from './commit-item.ts';
import { eraseInstance } from './erase.ts';
import { activeKey, activesOf, commitKey, seqOf, startKey } from './keys.ts';
import { orFault } from './sdk-faults.ts';
import { createInstance, reviveInstance } from './start-transaction.ts';
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
  /** A page ends at 1 MB, so a long stretch takes several. */
  const itemsAfter = async (instance_id: string, seq: number, limit: number): Promise<readonly Item[]> => {
    const found: Item[] = [];
    for (
      let from = commitKey(instance_id, seq).sk;
      found.length < limit;
      from = found.at(-1)?.sk?.S ?? from
    ) {
      const items = await query({
        KeyConditionExpression: 'pk = :pk AND sk > :sk',
        ExpressionAttributeValues: { ':pk': { S: commitKey(instance_id, 0).pk }, ':sk': { S: from } },
        Limit: limit - found.length,
      });
      if (items.length === 0) break;
      found.push(...items);
    }
    return found;
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
      const items = await itemsAfter(instance_id, seq, limit);
      return items.some(isTombstone) ? [] : items.map(entryOf);
    },
    async raw(instance_id, seq, limit) {
      const items = await itemsAfter(instance_id, seq, limit);
      return items.map((item) => {
        const text = item.commit?.S ?? null;
        const key = item[INDEX.key.sk]?.S ?? null;
        return { seq: seqOf(item.sk?.S ?? ''), text, hash: text === null ? '' : hashOf(text), key };
      });
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
      const { entry, item: mine } = seal(commit, before.hash);
      const put = new PutItemCommand({
        TableName: table,
        Item: mine,
        ConditionExpression: NOT_THERE,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      try {
        await client.send(put);
        return entry;
      } catch (error) {
        const inTheWay = error instanceof TransactionConflictException; // W4
        if (!inTheWay && !(error instanceof ConditionalCheckFailedException && error.Item))
          return orFault(Promise.reject(error));
        const item = inTheWay ? await get(commitKey(commit.state.instance_id, commit.seq)) : error.Item;
        if (item === undefined || isTombstone(item)) return { lostTo: null };
        const there = entryOf(item);
        return there.commit.id === commit.id ? there : { lostTo: there };
      }
    },
    revive: (commit, before, active) => reviveInstance(client, table, commit, before, active),
    create: (commit, claims) => createInstance(client, table, commit, claims),
    erase: (instance_id, expires_at) => eraseInstance(client, table, instance_id, expires_at),
    async activeOf(owner, workflow_id) {
      return (await get(activeKey(owner, workflow_id)))?.instance_id?.S ?? null;
    },
    async activeClaim(owner, workflow_id) {
      return claimOn(await get(activeKey(owner, workflow_id)));
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
