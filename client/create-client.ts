// Puts a client together: HTTP calls, one socket for all instances, and one for each other topic (H1).
import type { Backoff } from './backoff.ts';
import { type Calls, makeCalls } from './calls.ts';
import type { ConnectionTiming } from './connection.ts';
import { dial } from './dial.ts';
import { StepgateError } from './error.ts';
import { type EventsOptions, eventsOf } from './events-of.ts';
import type { FeedTiming, ReadHistory } from './feed.ts';
import { Hub } from './hub.ts';
import type { StepgateEvent } from './messages.ts';
import { newId } from './new-id.ts';
import type { Token, Transport, WriteOptions } from './request.ts';
import type { Answer, Signal } from './shapes.ts';
import type { SocketConstructor } from './socket.ts';
import type { SubscribeOptions, Subscription, Topic } from './subscription.ts';

export interface ClientOptions {
  /** Where the HTTP API is: `http://localhost:4400`. */
  readonly url: string;
  /** Where the WebSocket is, if not at `/ws` of the same host. */
  readonly socket_url?: string;
  /** A token, or a function that gives a fresh one whenever it is asked. */
  readonly token: Token;
  /** How the token is sent when a WebSocket opens; `protocol`, unless told otherwise. */
  readonly token_in?: 'protocol' | 'query';
  readonly fetch?: typeof fetch;
  readonly WebSocket?: SocketConstructor;
  /** For one try of a call, in milliseconds. */
  readonly timeout_ms?: number;
  /** How often a call is sent at most. */
  readonly tries?: number;
  readonly timing?: Partial<Timing>;
}

/** In milliseconds. The defaults fit API Gateway: 10 minutes idle, 2 hours in all. */
export interface Timing extends ConnectionTiming, FeedTiming {
  readonly dial_ms: number;
  readonly retry: Backoff;
}

const TIMING: Timing = {
  dial_ms: 10_000,
  ping_ms: 240_000,
  pong_ms: 15_000,
  most_age_ms: 6_600_000,
  overlap_ms: 5_000,
  backoff: { first_ms: 250, most_ms: 15_000 },
  grace_ms: 150,
  again_ms: 1_000,
  retry: { first_ms: 100, most_ms: 5_000 },
};
const HISTORY_PAGE = 100;

export interface Client extends Omit<Calls, 'signal'> {
  /** Over HTTP, or over the socket that subscriptions use. */
  signal(instance_id: string, signal: Signal, options?: SignalOptions): Promise<Answer>;
  subscribe(topic: Topic, options: SubscribeOptions): Subscription;
  /** The events of a topic, to be read with `for await`. */
  events(topic: Topic, options?: EventsOptions): AsyncGenerator<StepgateEvent, void, undefined>;
  /** Ends all subscriptions and the sockets. */
  close(): void;
}

export interface SignalOptions extends WriteOptions {
  readonly over?: 'http' | 'socket';
}

export function createClient(options: ClientOptions): Client {
  const url = options.url.replace(/\/+$/, '');
  const timing = { ...TIMING, ...options.timing };
  const transport: Transport = {
    url,
    token: options.token,
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    timeout_ms: options.timeout_ms ?? 30_000,
    tries: options.tries ?? 5,
    backoff: timing.retry,
    random: Math.random,
    newId,
  };
  const calls = makeCalls(transport);
  const history: ReadHistory = async (instance_id, after, signal) =>
    (await calls.history(instance_id, { after, limit: HISTORY_PAGE }, { signal })).items;
  const line = {
    url: options.socket_url ?? `${url.replace(/^http/, 'ws')}/ws`,
    token: options.token,
    token_in: options.token_in ?? 'protocol',
    timeout_ms: timing.dial_ms,
  };
  const open = (): Hub =>
    new Hub({
      transport,
      timing,
      feeds: timing,
      random: Math.random,
      history,
      dial: () => dial({ ...line, WebSocket: socketOf(options) }, Date.now()),
      probe: () => calls.list({ limit: 1 }, { tries: 1 }).then(() => {}, onlyUnauthenticated),
    });
  const instances = open();
  const others = new Map<string, Hub>();
  const hubOf = (topic: Topic): Hub => {
    if (topic.startsWith('instance:')) return instances;
    const hub = others.get(topic) ?? open();
    others.set(topic, hub);
    return hub;
  };
  const subscribe: Client['subscribe'] = (topic, how) => hubOf(topic).subscribe(topic, how);
  return {
    ...calls,
    signal: (instance_id, signal, { over, ...how } = {}) =>
      over === 'socket' ? instances.signal(instance_id, signal, how) : calls.signal(instance_id, signal, how),
    subscribe,
    events: (topic, how) => eventsOf(subscribe, topic, how),
    close: () => [instances, ...others.values()].forEach((hub) => hub.close()),
  };
}

function socketOf({ WebSocket }: ClientOptions): SocketConstructor {
  const found = WebSocket ?? (globalThis as { WebSocket?: SocketConstructor }).WebSocket; // not in every runtime
  if (found) return found;
  throw new StepgateError(
    0,
    'unreachable',
    'There is no WebSocket here: give one as an option, or import createClient from client/node.ts.',
  );
}

function onlyUnauthenticated(error: unknown): void {
  if (error instanceof StepgateError && error.status === 401) throw error;
}
