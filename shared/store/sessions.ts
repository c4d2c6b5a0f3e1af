// Sessions in DynamoDB: two items of a log of their own, and one for each instance that a closing has yet to reach.
//   SS1  A name is taken by one conditional put, for good; a closing is one conditional put, and exactly one wins.
//   SS2  What never changes is remembered: a closing, and whose the session is. That it is open is asked each time.
//   SS3  An instance is entered by the transaction that starts it, which fails once the session is closed: whoever
//        reads the instances after the closing sees all of them.
import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { INDEX } from '../names.ts';
import type { Closing, Opening, Sessions } from '../ports.ts';
import { closingKey, memberKey, membersOf, openingKey, positionOf, sessionsPartition } from './keys.ts';
import { readEntries } from './read-entries.ts';
import { asFault, orFault } from './sdk-faults.ts';
import { closingIn, openingIn, sessionItem } from './session-items.ts';

type Key = { readonly pk: string; readonly sk: string };

const NOT_THERE = 'attribute_not_exists(pk)';
const MOST_REMEMBERED = 5_000;
const MOST_TRIES = 20;

export function createSessions(client: DynamoDBDocumentClient, TableName: string): Sessions {
  const closings = new Map<string, Closing>();
  const owners = new Map<string, string>();

  /** What is there instead, if the key is taken. Instances that start at this instant hold the key for a moment. */
  async function take(Item: Key & Record<string, unknown>): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        await client.send(new PutCommand({ TableName, Item, ConditionExpression: NOT_THERE }));
        return null;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return get({ pk: Item.pk, sk: Item.sk });
        if (!(error instanceof TransactionConflictException) || tries === MOST_TRIES) throw asFault(error);
      }
    }
  }
  async function get(Key: Key): Promise<unknown> {
    const { Item } = await orFault(client.send(new GetCommand({ TableName, Key, ConsistentRead: true })));
    return Item ?? null;
  }
  async function closingOf(session_name: string): Promise<Closing | null> {
    const known = closings.get(session_name);
    if (known) return known;
    const item = await get(closingKey(session_name));
    return item === null ? null : remember(closings, session_name, closingIn(item));
  }

  return {
    closingOf,
    async open(opening) {
      const { session_name, owner, created_at } = opening;
      const there = await take({
        ...openingKey(session_name),
        ...sessionItem(opening),
        [INDEX.owner.pk]: sessionsPartition(owner),
        [INDEX.owner.sk]: positionOf(created_at, session_name),
      });
      if (there === null) return 'opened';
      const taken = openingIn(there);
      return taken.id === opening.id ? 'opened' : { taken };
    },
    async find(session_name) {
      const { pk } = openingKey(session_name);
      const { Items = [] } = await orFault(
        client.send(
          new QueryCommand({
            TableName,
            ConsistentRead: true,
            KeyConditionExpression: 'pk = :pk AND sk BETWEEN :opened AND :closed',
            ExpressionAttributeValues: {
              ':pk': pk,
              ':opened': openingKey(session_name).sk,
              ':closed': closingKey(session_name).sk,
            },
          }),
        ),
      );
      const [opening, closing] = Items; // in the order of their keys
      if (!opening) return null;
      return { opening: openingIn(opening), closing: closing ? closingIn(closing) : null };
    },
    async ownerOf(session_name) {
      const known = owners.get(session_name);
      if (known !== undefined) return known;
      const item = await get(openingKey(session_name));
      return item === null ? null : remember(owners, session_name, openingIn(item).owner);
    },
    async close(closing) {
      const there = await take({ ...closingKey(closing.session_name), ...sessionItem(closing) });
      return remember(closings, closing.session_name, there === null ? closing : closingIn(there));
    },
    async members(session_name, after, limit) {
      const { pk, prefix } = membersOf(session_name);
      const start = after === undefined ? {} : { ExclusiveStartKey: memberKey(session_name, after) };
      const input = {
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
        Limit: limit,
        ...start,
      };
      const { Items = [] } = await orFault(client.send(new QueryCommand(input)));
      return Items.map(({ sk }) => String(sk).slice(prefix.length));
    },
    async release(session_name, instance_id) {
      const Key = memberKey(session_name, instance_id);
      await orFault(client.send(new DeleteCommand({ TableName, Key })));
    },
    async ofOwner(owner, before, limit) {
      const { name, pk, sk } = INDEX.owner;
      const input = {
        TableName,
        IndexName: name,
        ScanIndexForward: false,
        Limit: limit,
        KeyConditionExpression: before === undefined ? '#pk = :pk' : '#pk = :pk AND #sk < :before',
        ExpressionAttributeNames: { '#pk': pk, ...(before === undefined ? {} : { '#sk': sk }) },
        ExpressionAttributeValues: {
          ':pk': sessionsPartition(owner),
          ...(before === undefined ? {} : { ':before': before }),
        },
      };
      const { Items = [] } = await orFault(client.send(new QueryCommand(input)));
      const entries = await readEntries(client, TableName, Items);
      const openings: Opening[] = entries.flatMap((entry) => (entry ? openingIn(entry) : []));
      return Promise.all(
        openings.map(async (opening) => ({
          opening,
          closing: await closingOf(opening.session_name),
          position: positionOf(opening.created_at, opening.session_name),
        })),
      );
    },
  };
}

/** SS2. The oldest are forgotten. */
function remember<T>(known: Map<string, T>, name: string, value: T): T {
  known.set(name, value);
  const [oldest] = known.keys();
  if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
  return value;
}
