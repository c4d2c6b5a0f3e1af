// Open WebSocket connections and what each listens to, in a table of their own.
//   CN1  A subscription is written before the change is counted: whoever reads the new count also reads it.
//   CN2  A subscription goes live only if broadcast has left it no commit past the point it was replayed to.
//   CN3  What is left behind by a crash goes by TTL; what is met gone is forgotten at once.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { Actor } from '../engine/index.ts';
import { PK, SK, TTL } from '../names.ts';
import type { Connection, Connections, Subscription } from '../ports.ts';
import { connectionKey, generationKey, subscriptionKey } from './keys.ts';
import { asFault, orFault } from './sdk-faults.ts';

/** API Gateway ends a connection after two hours. */
const LIFE_SECONDS = 2 * 3600 + 600;
const MOST_TOPICS = 100;

const CONNECTED = 'attribute_exists(pk)';
const ROOM_FOR_ONE = 'attribute_not_exists(topics) OR contains(topics, :topic) OR size(topics) < :most';
const REPLAYING = 'phase = :replaying';
const THIS_ONE = 'id = :id';
const NOTHING_LEFT = '(attribute_not_exists(left_to) OR left_to <= :from)';
const NOT_TOLD_YET = '(attribute_not_exists(left_to) OR left_to < :seq)';

type Item = Record<string, AttributeValue>;

export function createConnections(client: DynamoDBClient, table: string): Connections {
  const update = (key: Key, input: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>) =>
    client.send(new UpdateItemCommand({ TableName: table, Key: asItem(key), ...input }));
  const countChange = () =>
    orFault(
      update(generationKey(), {
        UpdateExpression: 'ADD generation :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      }),
    );
  const get = async (key: Key): Promise<Item | undefined> => {
    const input = { TableName: table, Key: asItem(key), ConsistentRead: true };
    return (await orFault(client.send(new GetItemCommand(input)))).Item;
  };
  const remove = (key: Key) =>
    orFault(
      client.send(new DeleteItemCommand({ TableName: table, Key: asItem(key), ReturnValues: 'ALL_OLD' })),
    );

  return {
    async open({ connection_id, actor, expires_at }, now) {
      const Item = {
        ...asItem(connectionKey(connection_id)),
        about: { S: JSON.stringify({ connection_id, actor, expires_at }) },
        [TTL]: { N: lastsUntil(now) },
      };
      await orFault(client.send(new PutItemCommand({ TableName: table, Item })));
    },
    async find(connection_id) {
      const item = await get(connectionKey(connection_id));
      return item ? About.parse(JSON.parse(item.about?.S ?? '')) : null;
    },
    async forget(connection_id) {
      const { Attributes } = await remove(connectionKey(connection_id));
      const topics = Attributes?.topics?.SS ?? [];
      await Promise.all(topics.map((topic) => remove(subscriptionKey(topic, connection_id))));
    },
    async subscribe(subscription) {
      const { topic, connection_id } = subscription;
      try {
        await update(connectionKey(connection_id), {
          UpdateExpression: 'ADD topics :topics',
          ConditionExpression: `${CONNECTED} AND (${ROOM_FOR_ONE})`,
          ExpressionAttributeValues: {
            ':topics': { SS: [topic] },
            ':topic': { S: topic },
            ':most': { N: String(MOST_TOPICS) },
          },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        });
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw asFault(error);
        return error.Item ? 'too_many' : 'not_connected';
      }
      await orFault(client.send(new PutItemCommand({ TableName: table, Item: itemOf(subscription) })));
      await countChange();
      return 'subscribed';
    },
    async unsubscribe(topic, connection_id) {
      await remove(subscriptionKey(topic, connection_id));
      await countChange();
      try {
        await update(connectionKey(connection_id), {
          UpdateExpression: 'DELETE topics :topics',
          ConditionExpression: CONNECTED,
          ExpressionAttributeValues: { ':topics': { SS: [topic] } },
        });
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw asFault(error);
      }
    },
    async goLive({ topic, connection_id, id }, from) {
      try {
        await update(subscriptionKey(topic, connection_id), {
          UpdateExpression: 'SET phase = :live, live_from = :from',
          ConditionExpression: `${REPLAYING} AND ${THIS_ONE} AND ${NOTHING_LEFT}`,
          ExpressionAttributeValues: {
            ':live': { S: 'live' },
            ':replaying': { S: 'replaying' },
            ':id': { S: id },
            ':from': { N: String(from) },
          },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        });
        return 'live';
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw asFault(error);
        const there = error.Item ? subscriptionOf(error.Item) : null;
        if (there?.id !== id) return 'replaced';
        // A retry of our own whose first try had landed.
        return there.phase.name === 'live' ? 'live' : 'behind';
      }
    },
    async generation() {
      const item = await get(generationKey());
      return Number(item?.generation?.N ?? 0);
    },
    async subscribers(topic) {
      const found: Subscription[] = [];
      const pages = paginateQuery(
        { client },
        {
          TableName: table,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: subscriptionKey(topic, '').pk } },
        },
      );
      try {
        for await (const { Items = [] } of pages) found.push(...Items.map(subscriptionOf));
      } catch (error) {
        throw asFault(error);
      }
      return found;
    },
    async leaveToReplay({ topic, connection_id }, seq) {
      try {
        await update(subscriptionKey(topic, connection_id), {
          UpdateExpression: 'SET left_to = :seq',
          ConditionExpression: `${REPLAYING} AND ${NOT_TOLD_YET}`,
          ExpressionAttributeValues: { ':replaying': { S: 'replaying' }, ':seq': { N: String(seq) } },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        });
        return 'left';
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw asFault(error);
        if (!error.Item) return null;
        const there = subscriptionOf(error.Item);
        return there.phase.name === 'replaying' ? 'left' : there;
      }
    },
  };
}

type Key = { readonly pk: string; readonly sk: string };

const asItem = ({ pk, sk }: Key): Item => ({ [PK]: { S: pk }, [SK]: { S: sk } });
const lastsUntil = (now: string): string => String(Math.ceil(Date.parse(now) / 1000) + LIFE_SECONDS);

const About: z.ZodType<Connection> = z.object({
  connection_id: z.string(),
  actor: Actor,
  expires_at: z.number(),
});

/** What never changes is one text; what conditions look at are attributes. */
function itemOf({ phase, id, ...about }: Subscription): Item {
  return {
    ...asItem(subscriptionKey(about.topic, about.connection_id)),
    id: { S: id },
    about: { S: JSON.stringify(about) },
    phase: { S: phase.name },
    ...(phase.name === 'live' ? { live_from: { N: String(phase.from) } } : {}),
    [TTL]: { N: lastsUntil(about.since) },
  };
}

const Fixed = z.object({
  connection_id: z.string(),
  actor: Actor,
  expires_at: z.number(),
  topic: z.string(),
  since: z.string(),
  after: z.number(),
  resumed: z.boolean(),
});

function subscriptionOf(item: Item): Subscription {
  const phase =
    item.phase?.S === 'live'
      ? ({ name: 'live', from: Number(item.live_from?.N) } as const)
      : ({ name: 'replaying' } as const);
  return { ...Fixed.parse(JSON.parse(item.about?.S ?? '')), id: z.string().parse(item.id?.S), phase };
}
