// Open WebSocket connections and what each listens to, in a table of their own.
//   CN1  A subscription is written before the change is counted: whoever reads the new count also reads it.
//   CN2  A subscription goes live only if broadcast has left it no commit past the point it was replayed to.
//   CN3  What is left behind by a crash goes by TTL; what is met gone is forgotten at once.
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Connections, Subscription } from '../ports.ts';
import {
  asItem,
  connectionIn,
  connectionItem,
  type Item,
  type Key,
  subscriptionIn,
  subscriptionItem,
} from './connection-items.ts';
import { connectionKey, generationKey, subscriptionKey } from './keys.ts';
import { asFault, orFault } from './sdk-faults.ts';

const MOST_TOPICS = 100;

const CONNECTED = 'attribute_exists(pk)';
const ROOM_FOR_ONE = 'attribute_not_exists(topics) OR contains(topics, :topic) OR size(topics) < :most';
const REPLAYING = 'phase = :replaying';
const THIS_ONE = 'id = :id';
const NOTHING_LEFT = '(attribute_not_exists(left_to) OR left_to <= :from)';
const NOT_TOLD_YET = '(attribute_not_exists(left_to) OR left_to < :seq)';

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
    async open(connection, now) {
      const Item = connectionItem(connection, now);
      await orFault(client.send(new PutItemCommand({ TableName: table, Item })));
    },
    async find(connection_id) {
      const item = await get(connectionKey(connection_id));
      return item ? connectionIn(item) : null;
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
      await orFault(
        client.send(new PutItemCommand({ TableName: table, Item: subscriptionItem(subscription) })),
      );
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
        const there = error.Item ? subscriptionIn(error.Item) : null;
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
        for await (const { Items = [] } of pages) found.push(...Items.map(subscriptionIn));
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
        const there = subscriptionIn(error.Item);
        return there.phase.name === 'replaying' ? 'left' : there;
      }
    },
  };
}
