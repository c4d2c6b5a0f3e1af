// Starts the DynamoDB-compatible server as a child on a free port and waits until it answers.
import { mkdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { SetupError } from '../setup-error.ts';
import { type Choice, type ChildKind, chooseStore } from './choose-store.ts';
import { freePort } from './free-port.ts';
import { type GuardedChild, spawnGuarded } from './guarded-child.ts';
import { indexStreamRecords } from './stream-records.ts';

export interface Store {
  readonly endpoint: string;
  readonly kind: Choice['kind'];
  /** Of the child; none for a store that somebody else runs. */
  readonly pid: number | undefined;
  /** Settles when it is gone, with the reason. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

export interface StoreOptions {
  /** `dynoxide`, `dynamodb-local`, a URL, or nothing for the best that is there. */
  readonly kind?: string | undefined;
  readonly dataDir: string;
}

const TRIES = 3;
const PATIENCE_MS = 20_000;
const POLL_MS = 10;

export async function startStore({ kind, dataDir }: StoreOptions): Promise<Store> {
  const choice = chooseStore(kind);
  if (choice.kind === 'url') return reach(choice.endpoint);
  mkdirSync(dataDir, { recursive: true });
  let said = '';
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = await freePort();
    const child = await spawnGuarded(choice.command, choice.arguments(port, dataDir), dataDir);
    const endpoint = `http://127.0.0.1:${port}`;
    if (await answers(endpoint, child)) {
      if (choice.kind === 'dynoxide') indexStreamRecords(dataDir);
      return running(choice.kind, endpoint, child);
    }
    await child.stop();
    said = [child.ended(), child.output()].filter(Boolean).join(': ');
  }
  throw new SetupError(`The store ${choice.kind} did not start (${said}). Its data is in ${dataDir}.`);
}

const running = (kind: ChildKind, endpoint: string, child: GuardedChild): Store => ({
  kind,
  endpoint,
  pid: child.pid,
  exited: child.exited.then(() => [child.ended(), child.output()].filter(Boolean).join(': ')),
  stop: () => child.stop(),
});

async function reach(endpoint: string): Promise<Store> {
  if (!(await answersOnce(endpoint)))
    throw new SetupError(`Nothing answers at ${endpoint}. Start that store, or leave STEPGATE_DB unset.`);
  return { kind: 'url', endpoint, pid: undefined, exited: new Promise(() => {}), stop: async () => {} };
}

/** Until it answers, has ended, or the patience is used up. */
async function answers(endpoint: string, child: GuardedChild): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  while (child.ended() === undefined && performance.now() < until) {
    if (await answersOnce(endpoint)) return child.ended() === undefined;
    await pause(POLL_MS);
  }
  return false;
}

/** Any answer will do, a refusal included: the server is up. */
async function answersOnce(endpoint: string): Promise<boolean> {
  try {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
