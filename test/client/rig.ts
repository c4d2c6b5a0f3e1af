// What the tests of subscriptions share: a scripted server, a client with short waits, and what it was handed.
import { expect, vi } from 'vitest';
import {
  type Client,
  type ClientOptions,
  createClient,
  type StepgateEvent,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionState,
} from '../../client/node.ts';
import { INSTANCE, ScriptedServer } from './scripted-server.ts';

export const TOPIC = `instance:${INSTANCE}` as const;
const FAST = {
  backoff: { first_ms: 2, most_ms: 10 },
  grace_ms: 15,
  again_ms: 5,
  overlap_ms: 10,
  retry: { first_ms: 1, most_ms: 5 },
};

export const places = (events: readonly { id: string }[]): string[] =>
  events.map(({ id }) => id.slice(id.lastIndexOf(':') + 1));
export const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 5 });

export class Rig {
  readonly heard: StepgateEvent[] = [];
  readonly states: SubscriptionState[] = [];
  readonly server: ScriptedServer;
  readonly #clients: Client[] = [];

  private constructor(server: ScriptedServer) {
    this.server = server;
  }

  static async start(): Promise<Rig> {
    return new Rig(await ScriptedServer.start());
  }

  connect({ timing, ...options }: Partial<ClientOptions> = {}): Client {
    const client = createClient({
      url: this.server.url,
      token: 'secret',
      timing: { ...FAST, ...timing },
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  listen(client: Client, options: Partial<SubscribeOptions> = {}): Subscription {
    return client.subscribe(TOPIC, {
      onEvent: (event) => void this.heard.push(event),
      onState: (state) => this.states.push(state),
      ...options,
    });
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.server.stop();
  }
}

/** What is in the log was handed on, each once, in order. */
export function expectAll({ server, heard }: Rig): Promise<void> {
  const logged = () => places(server.log.flatMap(({ events }) => events));
  return until(() => expect(places(heard)).toEqual(logged()));
}
