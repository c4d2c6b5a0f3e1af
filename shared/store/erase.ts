// Deleting an instance: its commits are overwritten in place, so that their keys stay taken until they expire.
//   Z1  The key after the last commit is taken first: a writer that remembers the last state cannot append to it.
//   Z2  Every earlier key stays taken too: a writer that remembers an older state cannot either.
//   Z3  What the start claimed is found in the first commit, so it goes before that is overwritten: a crash anywhere
//       is mended by doing it all again.
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Commit } from '../engine/index.ts';
import { entryOf, type Item } from './commit-item.ts';
import { activeKey, commitKey, seqOf, startKey } from './keys.ts';
import { asFault, orFault } from './sdk-faults.ts';
import { isTombstone, tombstone } from './tombstone.ts';

const NOT_THERE = 'attribute_not_exists(pk)';
const ITS_OWN = 'instance_id = :id';
const NOT_ERASED = 'attribute_exists(#commit)';

/** Several instances are deleted side by side: together below the number of sockets a client opens. */
const AT_ONCE = 8;

export async function eraseInstance(
  client: DynamoDBClient,
  TableName: string,
  instance_id: string,
  expires_at: number,
): Promise<void> {
  const { pk } = commitKey(instance_id, 0);
  const query = (input: Partial<QueryCommandInput>) =>
    orFault(
      client.send(
        new QueryCommand({
          TableName,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: pk } },
          ...input,
        }),
      ),
    );
  const bury = (sk: string) =>
    orFault(client.send(new PutItemCommand({ TableName, Item: tombstone({ pk, sk }, expires_at) })));

  /** Z1. Writers may still be faster, but not for ever. */
  async function shut(): Promise<void> {
    for (;;) {
      const { Items: [newest] = [] } = await query({ ScanIndexForward: false, Limit: 1 });
      if (newest === undefined || isTombstone(newest)) return;
      const end = commitKey(instance_id, seqOf(newest.sk?.S ?? '') + 1);
      const Item = tombstone(end, expires_at);
      if (await happens(client.send(new PutItemCommand({ TableName, Item, ConditionExpression: NOT_THERE }))))
        return;
    }
  }

  /** Z3. Only what still names this instance: the pointer may have moved on. */
  async function dropClaims({ actor, signal, state }: Commit): Promise<void> {
    const key = signal.idempotency?.key;
    const claims = [
      activeKey(state.owner, state.workflow_id),
      ...(key === undefined ? [] : [startKey(actor.sub, key)]),
    ];
    for (const claim of claims) {
      const request = new DeleteItemCommand({
        TableName,
        Key: { pk: { S: claim.pk }, sk: { S: claim.sk } },
        ConditionExpression: ITS_OWN,
        ExpressionAttributeValues: { ':id': { S: instance_id } },
      });
      await happens(client.send(request));
    }
  }

  /** Z2. */
  async function buryCommits(): Promise<void> {
    let from: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await query({
        ProjectionExpression: 'sk',
        FilterExpression: NOT_ERASED,
        ExpressionAttributeNames: { '#commit': 'commit' },
        ...(from ? { ExclusiveStartKey: from } : {}),
      });
      const keys = Items.flatMap(({ sk }) => sk?.S ?? []);
      for (let i = 0; i < keys.length; i += AT_ONCE) await Promise.all(keys.slice(i, i + AT_ONCE).map(bury));
      from = LastEvaluatedKey;
    } while (from);
  }

  await shut();
  const Key = { pk: { S: pk }, sk: { S: commitKey(instance_id, 1).sk } };
  const { Item } = await orFault(client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true })));
  if (Item && !isTombstone(Item)) await dropClaims(entryOf(Item).commit);
  await buryCommits();
}

/** False if its condition does not hold. */
async function happens(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw asFault(error);
  }
}
