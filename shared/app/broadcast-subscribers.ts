// Who listens to a topic, remembered between batches.
//   B1  The count of changes is read after a batch is there, and what was read under another count is not used:
//       a subscription counted before a commit was written is therefore met by that commit (with G1).
import type { Connections, Subscription } from '../ports.ts';

/** By topic, then by connection. Changes made to it are remembered. */
export type Listeners = ReadonlyMap<string, Map<string, Subscription>>;

export interface Subscribers {
  /** For one batch that is there. */
  of(topics: ReadonlySet<string>): Promise<Listeners>;
  forget(connection_id: string): void;
}

type Source = Pick<Connections, 'generation' | 'subscribers'>;

const MOST_TOPICS = 5_000;

export function createSubscribers(source: Source, most = MOST_TOPICS): Subscribers {
  let generation = Number.NaN;
  let known = new Map<string, Map<string, Subscription>>();
  return {
    async of(topics) {
      const current = await source.generation();
      if (current !== generation) known = new Map();
      generation = current;
      const remembered = known; // of this count, even if another batch meets a later one meanwhile
      const found = await Promise.all(
        [...topics].map(async (topic) => {
          const listeners = remembered.get(topic) ?? byConnection(await source.subscribers(topic));
          remembered.delete(topic);
          remembered.set(topic, listeners);
          return [topic, listeners] as const;
        }),
      );
      dropOldest(remembered, most);
      return new Map(found);
    },
    forget(connection_id) {
      for (const listeners of known.values()) listeners.delete(connection_id);
    },
  };
}

const byConnection = (list: readonly Subscription[]): Map<string, Subscription> =>
  new Map(list.map((one) => [one.connection_id, one]));

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
