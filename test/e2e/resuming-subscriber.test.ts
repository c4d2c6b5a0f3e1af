// A subscriber that drops and returns ten times during 500 commits sees every event once, in order.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  type Client,
  createClient,
  type Signal,
  type SocketConstructor,
  type StepgateEvent,
} from '../../client/node.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { ONE_STORE } from '../support/stores.ts';

const COMMITS = 500;
const DROPS = 10;
const WRITERS = 4;

/** Every socket the subscriber opens, so that the test can cut it. */
const opened: WebSocket[] = [];
class Cuttable extends WebSocket {
  constructor(url: string, protocols?: string | string[]) {
    super(url, protocols);
    opened.push(this);
  }
}

describe.each(ONE_STORE)('a subscriber, on %s', (kind) => {
  let server: TestServer;
  let owner: Client;
  let developer: Client;
  beforeAll(async () => {
    server = await startServer({ store: kind });
    owner = createClient({
      url: server.url,
      token: () => server.token('olga', [], 'human'),
      WebSocket: Cuttable as unknown as SocketConstructor, // listeners of ours ask for less than ws gives
      timing: { backoff: { first_ms: 10, most_ms: 100 } },
    });
    const token = await server.token('dev', ['developer'], 'agent');
    developer = createClient({ url: server.url, token });
  });
  afterAll(async () => {
    owner?.close();
    await server?.stop();
  });

  it('that drops and returns ten times during 500 commits sees every event once, in order', async () => {
    const { instance_id } = await owner.start({ workflow_id: 'delivery' });
    const heard: StepgateEvent[] = [];
    const before = opened.length;
    const heardAll = new Promise<void>((resolve, reject) => {
      const subscription = owner.subscribe(`instance:${instance_id}`, {
        after: 0,
        onEvent: (event) => {
          heard.push(event);
          if (event.type === 'workflow.cancelled') resolve();
        },
      });
      subscription.closed.catch(reject);
    });

    let written = 1;
    let cut = 0;
    const write = async (): Promise<void> => {
      while (written < COMMITS - 1) {
        written++;
        await developer.signal(instance_id, SIGNALS[written % SIGNALS.length] ?? {});
        if (written >= (cut + 1) * (COMMITS / (DROPS + 1))) {
          cut++;
          opened.at(-1)?.terminate();
        }
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
    const { version } = await owner.cancel(instance_id, { reason: 'enough' });
    await heardAll;

    expect([version, cut]).toEqual([COMMITS, DROPS]);
    expect(opened.length - before).toBeGreaterThan(DROPS);
    const logged = await historyOf(owner, instance_id);
    expect(heard).toEqual(logged);
    expect(logged.length).toBeGreaterThan(COMMITS / 2);
  }, 120_000);
});

/** One event, no event, and one again: blocked, stayed, blocked. */
const SIGNALS: readonly Signal[] = [
  { action: 'COMMIT_CODE' },
  { action: 'stay', data: { note: 'still at it' } },
  { action: 'COMMIT_CODE', feedback: 'nothing was committed yet' },
];

async function historyOf(client: Client, instance_id: string) {
  const events = [];
  for (let after = 0; ; ) {
    const { items, next } = await client.history(instance_id, { after, limit: 100 });
    events.push(...items.flatMap((item) => item.events));
    if (next === null) return events;
    after = Number(next);
  }
}
