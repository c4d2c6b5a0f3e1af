// What this process saw last of each instance, and whose turn it is to write to it.
//   K1  A cached state may only ever lead to a write: an answer that writes nothing is given on a fresh read.
//   K2  Within one process, writers of one instance go one after the other, so they do not race each other.
import type { Entry } from '../ports.ts';

export interface WarmStates {
  get(instance_id: string): Entry | undefined;
  keep(entry: Entry): void;
  forget(instance_id: string): void;
  /** Runs when every earlier one for this instance has ended. */
  inTurn<T>(instance_id: string, run: () => Promise<T>): Promise<T>;
}

const MOST = 2_000;

export function createWarmStates(most = MOST): WarmStates {
  const entries = new Map<string, Entry>();
  const queues = new Map<string, Promise<unknown>>();
  return {
    get: (id) => entries.get(id),
    keep(entry) {
      const { instance_id } = entry.commit.state;
      entries.delete(instance_id);
      entries.set(instance_id, entry);
      if (entries.size <= most) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
    forget: (id) => void entries.delete(id),
    async inTurn(id, run) {
      const before = queues.get(id);
      const mine = before ? before.then(run, run) : run();
      queues.set(id, mine);
      try {
        return await mine;
      } finally {
        if (queues.get(id) === mine) queues.delete(id);
      }
    },
  };
}
