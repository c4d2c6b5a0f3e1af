// One subscription as its caller holds it: its feed, its delivery, its state, its end.
import { Delivery, type EventHandler } from './delivery.ts';
import type { Feed, FeedParts } from './feed.ts';
import { InstanceFeed } from './instance-feed.ts';
import { LooseFeed } from './loose-feed.ts';
import type { WireEvent } from './messages.ts';

export type Topic = `instance:${string}` | 'user:me' | `role:${string}` | `session:${string}`;

/** `live`: from now on events come as they happen; `again` says that the line was lost in between. */
export type SubscriptionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live'; readonly again: boolean }
  | { readonly state: 'waiting'; readonly retry_in_ms: number }
  | { readonly state: 'closed'; readonly error?: unknown };

export interface SubscribeOptions {
  /** For an instance: the last commit whose events are known already; 0 for all there ever were. */
  readonly after?: number | undefined;
  /** Called once per event, in order; if it returns a promise, the next event waits for it. */
  readonly onEvent: EventHandler;
  readonly onState?: ((state: SubscriptionState) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Subscription {
  readonly topic: Topic;
  /** For an instance: the last commit whose events were all handled. Store it to resume from there. */
  readonly cursor: number | undefined;
  /** Resolves once the server has taken it in. */
  readonly ready: Promise<void>;
  /** Resolves when it is closed; rejects if it was refused or a handler threw. */
  readonly closed: Promise<void>;
  close(): void;
}

/** How it is wired: `left` is called once, at its end. */
export interface SubscriptionParts extends Pick<FeedParts, 'history' | 'timing'> {
  readonly left: (subscription: LiveSubscription) => void;
}

export class LiveSubscription implements Subscription {
  readonly topic: Topic;
  readonly ready: Promise<void>;
  readonly closed: Promise<void>;
  readonly #options: SubscribeOptions;
  readonly #left: SubscriptionParts['left'];
  readonly #delivery: Delivery;
  readonly #feed: Feed;
  #begin = (): void => {};
  #end: (error?: { reason: unknown }) => void = () => {};
  /** In a row, of those that may pass. */
  refusals = 0;
  #phase: 'new' | 'live' | 'down' | 'ended' = 'new';

  constructor(topic: Topic, options: SubscribeOptions, { history, timing, left }: SubscriptionParts) {
    this.topic = topic;
    this.#options = options;
    this.#left = left;
    this.closed = new Promise((resolve, reject) => {
      this.#end = (error) => (error ? reject(error.reason as Error) : resolve());
    });
    this.ready = Promise.race([new Promise<void>((resolve) => (this.#begin = resolve)), this.closed]);
    for (const promise of [this.ready, this.closed]) promise.catch(() => {}); // heard through whichever is awaited
    const fail = (reason: unknown): void => this.fail(reason);
    this.#delivery = new Delivery(options.onEvent, fail);
    this.#feed = feedOf(topic, options.after, {
      deliver: (events) => this.#delivery.push(events),
      fail,
      history,
      timing,
    });
    const { signal } = options;
    signal?.addEventListener('abort', () => this.close(), { once: true });
  }

  get cursor(): number | undefined {
    const { head } = this.#delivery;
    return this.#feed.after === undefined || !head ? this.#feed.after : head.seq - 1;
  }

  /** The message by which the server learns of it, now or again. */
  get request() {
    const { after } = this.#feed;
    return { action: 'subscribe', topic: this.topic, ...(after === undefined ? {} : { after }) };
  }

  connecting(): void {
    this.#tell({ state: 'connecting' });
  }

  began(seq: number | null): void {
    this.refusals = 0;
    this.#feed.began(seq);
    if (this.#phase === 'live' || this.#phase === 'ended') return;
    const again = this.#phase === 'down';
    this.#phase = 'live';
    this.#begin();
    this.#tell({ state: 'live', again });
  }

  take(event: WireEvent): void {
    if (this.#phase !== 'ended') this.#feed.take(event);
  }

  down(retry_in_ms: number): void {
    if (this.#phase === 'live') this.#phase = 'down';
    this.#tell({ state: 'waiting', retry_in_ms });
  }

  close(): void {
    this.#finish();
  }

  fail(reason: unknown): void {
    this.#finish({ reason });
  }

  #finish(error?: { reason: unknown }): void {
    if (this.#phase === 'ended') return;
    this.#feed.stop();
    this.#delivery.stop();
    this.#left(this);
    this.#tell({ state: 'closed', ...(error ? { error: error.reason } : {}) });
    this.#phase = 'ended';
    this.#end(error);
  }

  #tell(state: SubscriptionState): void {
    if (this.#phase !== 'ended') this.#options.onState?.(state);
  }
}

function feedOf(topic: Topic, after: number | undefined, parts: FeedParts): Feed {
  const [kind = '', ...name] = topic.split(':');
  return kind === 'instance'
    ? new InstanceFeed(name.join(':'), after, parts)
    : new LooseFeed(parts, { ordered: kind !== 'role' });
}
