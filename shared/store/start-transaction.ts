// The first commit of an instance, together with what it claims: the owner's active pointer, the start's key, a place
// in a session that is still open, and a note in the log of the instance it was forked from.
// Without claims it is one conditional put like any other commit. The only other transaction is the one by which a
// finished instance is brought back to life.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  type TransactWriteItem,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { ActiveClaim, Entry, InstanceLog, NewCommit, StartClaims, StartTaken } from '../ports.ts';
import { pointTo } from './active-pointer.ts';
import { entryOf, type Item, seal } from './commit-item.ts';
import { closingKey, memberKey, startKey } from './keys.ts';
import { asFault, orFault } from './sdk-faults.ts';
import { isTombstone } from './tombstone.ts';

const NOT_THERE = 'attribute_not_exists(pk)';

type Taken = { readonly taken: StartTaken };

export async function createInstance(
  client: DynamoDBClient,
  table: string,
  commit: NewCommit,
  { active, key, session, source }: StartClaims,
): Promise<Entry | Taken> {
  const { entry, item } = seal(commit, '');
  const first = put(table, item);
  const { instance_id } = commit.state;
  const claims: { as: StartTaken; write: TransactWriteItem }[] = [{ as: 'id', write: { Put: first } }];
  if (active) claims.push({ as: 'active', write: { Put: pointTo(table, commit.state, active) } });
  if (key) {
    const record = strings({ ...startKey(key.sub, key.key), instance_id: key.instance_id, body: key.body });
    claims.push({ as: 'key', write: { Put: put(table, record) } });
  }
  if (session !== undefined) {
    const open = { TableName: table, Key: strings(closingKey(session)), ConditionExpression: NOT_THERE };
    const place = { TableName: table, Item: strings(memberKey(session, instance_id)) };
    claims.push({ as: 'session', write: { ConditionCheck: open } }, { as: 'session', write: { Put: place } });
  }
  if (source) {
    const note = put(table, seal(source.commit, source.before.hash).item);
    claims.push({ as: 'source', write: { Put: note } });
  }
  try {
    if (claims.length === 1) await client.send(new PutItemCommand(first));
    else
      await client.send(
        new TransactWriteItemsCommand({
          TransactItems: claims.map(({ write }) => write),
        }),
      );
    return entry;
  } catch (error) {
    if (isConflict(error)) return { taken: 'busy' };
    const lost = lostClaims(error);
    if (lost === null) throw asFault(error);
    const mine = lost[0];
    if (mine?.commit && entryOf(mine).commit.id === commit.id) return entry;
    // The key is told first: a repeated start answers as the first did, whatever else is taken by now.
    const taken = (['key', 'session', 'active', 'source', 'id'] as const).find(
      (as) => lost[claims.findIndex((claim) => claim.as === as)],
    );
    if (taken === undefined) throw asFault(error);
    return { taken };
  }
}

/** The next commit of an instance that was finished, with its owner's active pointer. */
export async function reviveInstance(
  client: DynamoDBClient,
  table: string,
  commit: NewCommit,
  before: Entry,
  active: ActiveClaim,
): ReturnType<InstanceLog['revive']> {
  const { entry, item } = seal(commit, before.hash);
  const writes = [{ Put: put(table, item) }, { Put: pointTo(table, commit.state, active) }];
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems: writes }));
    return entry;
  } catch (error) {
    if (isConflict(error)) return { taken: 'busy' };
    const [mine, pointer] = lostClaims(error) ?? [];
    if (!mine) return pointer ? { taken: 'active' } : orFault(Promise.reject(error));
    if (isTombstone(mine)) return { lostTo: null };
    const there = entryOf(mine);
    return there.commit.id === commit.id ? there : { lostTo: there };
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

/** Another transaction was at one of the items; nothing of this one is written. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
  return codes.includes('TransactionConflict') && !codes.includes('ConditionalCheckFailed');
}

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
