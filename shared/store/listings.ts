// Listings: what lists show of each instance, with the keys of the listing indexes.
//   LS1  Guarded by `rank`: a late or repeated projection never moves an entry back.
//   LS2  The HEAD is written last: a crash before it is mended when the record comes again. A second role's entry
//       that outlives its turn is harmless, because the inbox is checked against the log when it is read.
//   LS3  An index holds keys alone, so that a signal that changes nobody's place in a list writes to none of them; what
//       is listed is read from its entries, the newest there are.
//   LS4  Roles and workflows are spread over shards, so that no status or role is one hot key.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { INDEX, TTL } from '../names.ts';
import type { Listed, ListKey, Listings } from '../ports.ts';
import {
  headKey,
  LISTING_SHARDS,
  ownerPartition,
  rolePartition,
  sessionPartition,
  workflowPartition,
} from './keys.ts';
import { type Entry, entriesOf, headIn } from './listing-entries.ts';
import { readEntries } from './read-entries.ts';
import { asFault, orFault } from './sdk-faults.ts';

/** `rank`: of two projections of one commit, the one that its session no longer hides is the later. */
const NOTHING_LATER = '(attribute_not_exists(pk) OR #rank < :rank)';
const NOTHING_BESIDES = 'attribute_not_exists(besides)';
const OLDER = '#rank < :rank';

const SHARDS = Array.from({ length: LISTING_SHARDS }, (_, shard) => shard);

const Stored = z.object({ pk: z.string(), sk: z.string(), rank: z.number() });
type Stored = z.infer<typeof Stored>;
const Seen = z.object({ version: z.number(), hash: z.string().default('') });

type Index = (typeof INDEX)['owner' | 'workflow' | 'session' | 'role'];

interface Slice {
  readonly past: string | undefined;
  readonly limit: number;
  readonly newest: boolean;
}

export function createListings(client: DynamoDBDocumentClient, table: string): Listings {
  /** False if its condition does not hold. */
  async function put(item: Entry, condition: string): Promise<boolean> {
    return happens(
      client.send(
        new PutCommand({ TableName: table, Item: item, ConditionExpression: condition, ...guard(item) }),
      ),
    );
  }
  async function remove({ pk, sk }: Stored, rank: number): Promise<boolean> {
    const Key = { pk, sk };
    return happens(
      client.send(
        new DeleteCommand({ TableName: table, Key, ConditionExpression: OLDER, ...guard({ rank }) }),
      ),
    );
  }
  async function there(instance_id: string): Promise<readonly Stored[]> {
    const { pk } = headKey(instance_id);
    const input = {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ProjectionExpression: 'pk, sk, #rank',
      ExpressionAttributeNames: { '#rank': 'rank' },
      ExpressionAttributeValues: { ':pk': pk },
    };
    const { Items = [] } = await orFault(client.send(new QueryCommand(input)));
    return Items.map((item) => Stored.parse(item));
  }
  async function page(index: Index, partition: string, slice: Slice): Promise<Listed[]> {
    const { pk, sk } = index;
    const found: Listed[] = [];
    for (let { past } = slice; found.length < slice.limit; ) {
      const items = await indexed(index, partition, { ...slice, past });
      const entries = await readEntries(client, table, items);
      // By its place in the index, where the next page goes on; what has left this list since is not shown.
      for (const [i, item] of items.entries()) {
        const entry = entries[i];
        if (entry?.[pk] === partition) found.push({ head: headIn(entry), position: String(item[sk]) });
      }
      if (items.length < slice.limit) break;
      past = String(items.at(-1)?.[sk]);
    }
    return found.slice(0, slice.limit);
  }
  async function indexed(
    { name, pk, sk }: Index,
    partition: string,
    { past, limit, newest }: Slice,
  ): Promise<Record<string, unknown>[]> {
    const input = {
      TableName: table,
      IndexName: name,
      ScanIndexForward: !newest,
      Limit: limit,
      KeyConditionExpression:
        past === undefined ? '#pk = :pk' : `#pk = :pk AND #sk ${newest ? '<' : '>'} :past`,
      ExpressionAttributeNames: { '#pk': pk, ...(past === undefined ? {} : { '#sk': sk }) },
      ExpressionAttributeValues: { ':pk': partition, ...(past === undefined ? {} : { ':past': past }) },
    };
    const { Items = [] } = await orFault(client.send(new QueryCommand(input)));
    return Items;
  }

  return {
    async project(head, hash = '') {
      const { first: listed, besides } = entriesOf(head);
      const first = { ...listed, hash };
      // Almost always there is one entry, before and after: one request.
      if (besides.length === 0 && (await put(first, `${NOTHING_LATER} AND ${NOTHING_BESIDES}`))) return;
      const stored = await there(head.instance_id);
      if (stored.some(({ sk, rank }) => sk === first.sk && rank >= first.rank)) return; // LS1, with LS2
      const wanted = new Set([first, ...besides].map(({ sk }) => sk));
      const old = stored.filter(({ sk }) => !wanted.has(sk));
      await Promise.all([
        ...besides.map((entry) => put(entry, NOTHING_LATER)),
        ...old.map((entry) => remove(entry, first.rank)),
      ]);
      await put(first, NOTHING_LATER); // LS2
    },
    /** The HEAD stays, above every rank and in no list; what else there was follows. */
    async erase(instance_id, expires_at) {
      const stored = await there(instance_id);
      const key = headKey(instance_id);
      const Item = { ...key, erased: true, rank: Number.MAX_SAFE_INTEGER, [TTL]: expires_at };
      await orFault(client.send(new PutCommand({ TableName: table, Item })));
      const others = stored.filter(({ sk }) => sk !== key.sk);
      await Promise.all(others.map((entry) => remove(entry, Number.MAX_SAFE_INTEGER)));
    },
    async seen(instance_id) {
      const Key = headKey(instance_id);
      const { Item } = await orFault(
        client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true })),
      );
      return Seen.safeParse(Item).data ?? null;
    },
    async list(by, before, limit) {
      const { index, partitions } = partitionsOf(by);
      const past = { past: before, limit, newest: true };
      const pages = await Promise.all(partitions.map((partition) => page(index, partition, past)));
      return pages
        .flat()
        .toSorted((a, b) => (a.position > b.position ? -1 : 1))
        .slice(0, limit);
    },
    async inbox(role, after, limit) {
      const past = { past: after, limit, newest: false };
      const pages = await Promise.all(
        SHARDS.map((shard) => page(INDEX.role, rolePartition(role, shard), past)),
      );
      return pages
        .flat()
        .toSorted((a, b) => (a.position < b.position ? -1 : 1))
        .slice(0, limit);
    },
  };
}

const guard = ({ rank }: Pick<Entry, 'rank'>) => ({
  ExpressionAttributeNames: { '#rank': 'rank' },
  ExpressionAttributeValues: { ':rank': rank },
});

function partitionsOf(by: ListKey): { index: Index; partitions: readonly string[] } {
  if ('owner' in by) return { index: INDEX.owner, partitions: [ownerPartition(by.owner)] };
  if ('session' in by) return { index: INDEX.session, partitions: [sessionPartition(by.session)] };
  return {
    index: INDEX.workflow,
    partitions: SHARDS.map((shard) => workflowPartition(by.workflow, shard)),
  };
}

async function happens(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw asFault(error);
  }
}
