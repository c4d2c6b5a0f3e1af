// What is struck: a store, the line to it, and the real server, each of which comes back on the same data.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startStore, type Store } from '../../local/store/start-store.ts';
import { startServer, type TestServer } from '../../test/support/server.ts';
import type { Chance } from './chance.ts';
import { type Moment, openStoreLine, type StoreLine } from './store-line.ts';

export type Victim = 'server' | 'store';

export interface Plant {
  readonly server: TestServer;
  readonly line: StoreLine;
  /** Straight to the store, past the line. */
  endpoint(): string;
  /** Kills the victim at the n-th write from now, and brings it back. */
  kill(victim: Victim, after: number, moment: Moment): Promise<void>;
  stop(): Promise<void>;
}

/** All that was cut off asks again while it starts, and the machine may be busy. */
const START_MS = 120_000;

export async function openPlant(
  kind: string | undefined,
  chance: Chance,
  share_of_faults: number,
): Promise<Plant> {
  const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-crash-'));
  const dataDir = path.join(folder, 'store');
  let store: Store | undefined;
  let server: TestServer | undefined;
  const line = await openStoreLine(chance);
  const storeUp = async (): Promise<void> => {
    store = await startStore({ kind, dataDir });
    line.connect(store.endpoint);
  };
  let stopped = false;
  let comesBack: Promise<void> = Promise.resolve();
  const stop = async (): Promise<void> => {
    stopped = true;
    line.faults(0);
    await comesBack.catch(() => {}); // whoever waits for it is told
    await server?.stop();
    await store?.stop();
    await line.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await storeUp();
    const data_dir = path.join(folder, 'server');
    server = await startServer({ store: line.url, data_dir, patience_ms: START_MS });
  } catch (error) {
    await stop();
    throw error;
  }
  const running = server;
  /** A start that meets a fault says so and ends, as it should: here it would only cost time. */
  const serverUp = async (): Promise<void> => {
    line.faults(0);
    await running.restart();
    line.faults(share_of_faults);
  };
  line.faults(share_of_faults);
  return {
    server: running,
    line,
    endpoint: () => store?.endpoint ?? '',
    stop,
    async kill(victim, after, moment) {
      const { pid } = victim === 'server' ? running : { pid: store?.pid ?? 0 };
      await line.strike({ after, moment, kill: () => process.kill(pid, 'SIGKILL') });
      if (stopped) return;
      comesBack = victim === 'server' ? serverUp() : (store?.exited ?? Promise.resolve()).then(storeUp);
      await comesBack;
    },
  };
}
