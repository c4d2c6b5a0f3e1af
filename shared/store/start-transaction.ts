// The first commit of an instance, together with what it claims: the owner's active pointer and the start's key.
// The only transaction there is; without claims it is one conditional put like any other commit.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  type TransactWriteItem,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Entry, NewCommit, StartClaims } from '../ports.ts';
import { entryOf, type Item, seal } from './commit-item.ts';
import { activeKey, startKey } from './keys.ts';
import { asFault } from './sdk-faults.ts';

const NOT_THERE = 'attribute_not_exists(pk)';
const STILL_THE_SAME = 'instance_id = :replaces';
const FREE_OR_THE_SAME = `${NOT_THERE} OR ${STILL_THE_SAME}`;

type Taken = { readonly taken: 'id' | 'active' | 'key' };

export async function createInstance(
  client: DynamoDBClient,
  table: string,
  commit: NewCommit,
  { active, key }: StartClaims,
): Promise<Entry | Taken> {
  const { entry, item } = seal(commit, '');
  const first = put(table, item);
  const { owner, workflow_id, instance_id } = commit.state;
  const claims: { as: Taken['taken']; put: Put }[] = [{ as: 'id', put: first }];
  if (active) {
    const pointer = { ...strings(activeKey(owner, workflow_id)), instance_id: { S: instance_id } };
    const { replaces } = active;
    claims.push({
      as: 'active',
      put:
        replaces === null
          ? put(table, pointer)
          : {
              ...put(table, pointer),
              ConditionExpression: FREE_OR_THE_SAME,
              ExpressionAttributeValues: { ':replaces': { S: replaces } },
            },
    });
  }
  if (key) {
    const record = strings({ ...startKey(key.sub, key.key), instance_id: key.instance_id, body: key.body });
    claims.push({ as: 'key', put: put(table, record) });
  }
  try {
    if (claims.length === 1) await client.send(new PutItemCommand(first));
    else
      await client.send(
        new TransactWriteItemsCommand({
          TransactItems: claims.map((claim): TransactWriteItem => ({ Put: claim.put })),
        }),
      );
    return entry;
  } catch (error) {
    const lost = lostClaims(error);
    if (lost === null) throw asFault(error);
    const mine = lost[0];
    if (mine?.commit && entryOf(mine).commit.id === commit.id) return entry;
    // The key is told first: a repeated start answers as the first did, whatever else is taken by now.
    const taken = (['key', 'active', 'id'] as const).find(
      (as) => lost[claims.findIndex((claim) => claim.as === as)],
    );
    if (taken === undefined) throw asFault(error);
    return { taken };
  }
}

type Put = NonNullable<TransactWriteItem['Put']>;

const put = (table: string, item: Item): Put => ({
  TableName: table,
  Item: item,
  ConditionExpression: NOT_THERE,
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

const strings = (values: Readonly<Record<string, string>>): Item =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { S: value }]));

/** For each claim, in order, what stood in its way; null when the request failed for another reason. */
function lostClaims(error: unknown): (Item | undefined)[] | null {
  if (error instanceof ConditionalCheckFailedException) return [error.Item];
  if (!(error instanceof TransactionCanceledException)) return null;
  const reasons = error.CancellationReasons ?? [];
  if (!reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) return null;
  return reasons.map(({ Code, Item: there }) =>
    Code === 'ConditionalCheckFailed' ? (there ?? {}) : undefined,
  );
}
