// The laptop's event source mapping: every shard of the main table's stream, told to every consumer.
//   P1  A shard is read only after its parent was handled to the end by all consumers.
//   P2  A restart goes on where each consumer was; the very first start begins at the beginning.
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { type Consumers, END, loadCheckpoint, saveCheckpoint } from './checkpoint.ts';
import type { Bury } from './dead-letters.ts';
import { type Consumer, Lane, type LaneOptions } from './lane.ts';
import { listShards } from './list-shards.ts';
import { ShardReader } from './shard-reader.ts';
import { earliest } from './stream-record.ts';

export interface PollerOptions {
  readonly client: DynamoDBStreamsClient;
  readonly stream_arn: string;
  readonly consumers: Readonly<Record<string, Consumer | Consuming>>;
  readonly checkpoint_file: string;
  readonly bury: Bury;
  readonly failed: (what: string, error: unknown) => void;
  /** How many readers wait for something to be written. */
  readonly resting?: (readers: number) => void;
  /** How often something was written so far. */
  readonly writes?: () => number;
  readonly batch_size?: number;
  readonly tries?: number;
  readonly backoff_ms?: number;
}

/** A consumer with settings of its own. */
export interface Consuming {
  readonly handler: Consumer;
  readonly batch_size?: number;
  readonly apart_ms?: LaneOptions['apart_ms'];
}

export interface Poller {
  /** Something was written: look now. */
  nudge(): void;
  /** Up to where all consumers have handled the one open shard; undefined if there is none or more than one. */
  handled(): string | undefined;
  /** Finishes what is being handled and keeps how far it came. */
  stop(): Promise<void>;
}

const SAVE_MS = 500;
const LOOK_FOR_SHARDS_MS = 5_000;

interface Running {
  readonly reader: ShardReader;
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly ended: Promise<void>;
}

export async function startPoller(options: PollerOptions): Promise<Poller> {
  const { client, stream_arn, consumers, checkpoint_file, bury, failed } = options;
  const { batch_size = 100, tries = 8, backoff_ms = 50 } = options;
  const known = loadCheckpoint(checkpoint_file, stream_arn);
  const finished = new Map<string, Set<string>>(); // consumers that are through, by shard
  const running = new Map<string, Running>();
  let stopping = false;
  let saved = '';
  let idle = 0;
  const counting = options.writes === undefined ? {} : { writes: options.writes };
  const resting = (is: boolean) => options.resting?.((idle += is ? 1 : -1));

  for (const [consumer, shards] of Object.entries(known))
    for (const [shard, position] of Object.entries(shards)) if (position === END) finish(shard, consumer);

  function finish(shard: string, consumer: string): void {
    finished.set(shard, (finished.get(shard) ?? new Set()).add(consumer));
  }
  const isFinished = (shard: string): boolean =>
    Object.keys(consumers).every((consumer) => finished.get(shard)?.has(consumer));

  const reachable = (): Promise<boolean> =>
    listShards(client, stream_arn).then(
      () => true,
      () => false,
    );

  function start(shard_id: string): void {
    const lanes = new Map(
      Object.entries(consumers)
        .filter(([name]) => !finished.get(shard_id)?.has(name))
        .map(([name, consumer]) => {
          const own = typeof consumer === 'function' ? { handler: consumer } : consumer;
          const options = { batch_size, apart_ms: () => 0, tries, backoff_ms, reachable, ...own };
          const give = { bury: (...letter: [Parameters<Bury>[1], unknown]) => bury(name, ...letter) };
          return [name, new Lane(known[name]?.[shard_id], { ...options, ...give })] as const;
        }),
    );
    const lanesOf = [...lanes.values()];
    const reader = new ShardReader({
      client,
      stream_arn,
      shard_id,
      lanes: lanesOf,
      failed,
      resting,
      ...counting,
    });
    running.set(shard_id, { reader, lanes, ended: run(shard_id, reader, lanes) });
  }

  async function run(shard: string, reader: ShardReader, lanes: ReadonlyMap<string, Lane>): Promise<void> {
    if (!(await reader.run())) return;
    await Promise.all([...lanes.values()].map((lane) => lane.room(0)));
    if (stopping) return;
    for (const name of lanes.keys()) finish(shard, name);
    running.delete(shard);
    await look();
  }

  async function look(): Promise<void> {
    const shards = await listShards(client, stream_arn);
    const ids = new Set(shards.map(({ ShardId }) => ShardId));
    for (const { ShardId, ParentShardId } of shards) {
      if (stopping || ShardId === undefined || running.has(ShardId) || isFinished(ShardId)) continue;
      if (ParentShardId === undefined || !ids.has(ParentShardId) || isFinished(ParentShardId)) start(ShardId);
    }
  }

  function positions(): Consumers {
    const all: Record<string, Record<string, string>> = {};
    for (const name of Object.keys(consumers)) {
      all[name] = {};
      for (const [shard, through] of finished) if (through.has(name)) all[name][shard] = END;
      for (const [shard, { lanes }] of running) {
        const position = lanes.get(name)?.position;
        if (position !== undefined) all[name][shard] = position;
      }
    }
    return all;
  }

  function save(): void {
    const now = positions();
    const text = JSON.stringify(now);
    if (text === saved) return;
    saveCheckpoint(checkpoint_file, stream_arn, now);
    saved = text;
  }

  await look();
  const saving = setInterval(() => attempt('keeping the checkpoint', save), SAVE_MS);
  const looking = setInterval(
    () => void look().catch((error: unknown) => failed('listing the shards', error)),
    LOOK_FOR_SHARDS_MS,
  );

  function attempt(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      failed(what, error);
    }
  }

  return {
    nudge: () => {
      for (const { reader } of running.values()) reader.nudge();
    },
    handled: () => {
      const [only, ...others] = running.values();
      if (only === undefined || others.length > 0) return undefined;
      return earliest([...only.lanes.values()].map(({ position }) => position));
    },
    stop: async () => {
      stopping = true;
      clearInterval(saving);
      clearInterval(looking);
      const all = [...running.values()];
      for (const { reader } of all) reader.stop();
      await Promise.all(all.flatMap(({ lanes }) => [...lanes.values()].map((lane) => lane.stop())));
      await Promise.all(all.map(({ ended }) => ended));
      attempt('keeping the checkpoint', save);
    },
  };
}
