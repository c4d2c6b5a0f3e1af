// Everything that shares one socket: subscriptions, and signals sent over it.
//   H1  A message does not name its topic. Those of all instances are told apart by their instance and share a
//       socket; any other topic has one of its own.
import { delayOf } from './backoff.ts';
import { Connection, type ConnectionParts, type Listener } from './connection.ts';
import { StepgateError } from './error.ts';
import type { Message, WireEvent } from './messages.ts';
import type { Transport, WriteOptions } from './request.ts';
import type { Answer, Signal } from './shapes.ts';
import { SocketSignals } from './socket-signals.ts';
import {
  LiveSubscription,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionParts,
  type Topic,
} from './subscription.ts';

export interface HubParts extends ConnectionParts, Omit<SubscriptionParts, 'left' | 'timing'> {
  readonly feeds: SubscriptionParts['timing'];
  readonly transport: Transport;
}

export class Hub implements Listener {
  readonly #parts: HubParts;
  readonly #connection: Connection;
  readonly #signals: SocketSignals;
  readonly #subscriptions = new Set<LiveSubscription>();
  #up = false;
  #sending = 0;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.#connection = new Connection(parts, this);
    this.#signals = new SocketSignals(parts.transport, (message) => this.#connection.send(message));
  }

  subscribe(topic: Topic, options: SubscribeOptions): Subscription {
    options.signal?.throwIfAborted();
    const { history, feeds } = this.#parts;
    const left = (gone: LiveSubscription): void => this.#leave(gone);
    const subscription = new LiveSubscription(topic, options, { history, timing: feeds, left });
    this.#subscriptions.add(subscription);
    subscription.connecting();
    this.#connection.open();
    if (this.#up) this.#connection.send(subscription.request);
    return subscription;
  }

  async signal(instance_id: string, signal: Signal, options?: WriteOptions): Promise<Answer> {
    this.#sending++;
    this.#connection.open();
    try {
      return await this.#signals.signal(instance_id, signal, options);
    } finally {
      this.#sending--;
    }
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
    this.#signals.failAll(new StepgateError(0, 'closed', 'The client was closed.'));
    this.#connection.close();
    this.#up = false;
  }

  up(): void {
    this.#up = true;
    this.tick();
    this.#signals.again();
  }

  tick(): void {
    for (const { request } of this.#subscriptions) this.#connection.send(request);
  }

  down(retry_in_ms: number): void {
    this.#up = false;
    for (const subscription of this.#subscriptions) subscription.down(retry_in_ms);
  }

  failed(error: unknown): void {
    this.#up = false;
    for (const subscription of this.#subscriptions) subscription.fail(error);
    this.#signals.failAll(error);
  }

  heard(message: Message): void {
    if (message.kind === 'event') {
      for (const subscription of this.#subscriptions)
        if (isFor(message.event, subscription.topic)) subscription.take(message.event);
    } else if (message.kind === 'subscribed') {
      for (const subscription of this.#on(message.topic)) subscription.began(message.seq);
    } else if (message.kind === 'error' && message.error.code === 'unauthenticated') {
      this.#connection.redial();
    } else if (message.kind === 'error' && message.topic !== undefined) {
      for (const subscription of this.#on(message.topic)) this.#refused(subscription, message.error);
    } else if (message.kind === 'result' || message.kind === 'error') this.#signals.hear(message);
  }

  /** What may pass is asked for again, on the line that is open then. */
  #refused(subscription: LiveSubscription, error: StepgateError): void {
    if (!error.retryable) return subscription.fail(error);
    const { timing, random } = this.#parts;
    setTimeout(
      () => {
        if (this.#subscriptions.has(subscription)) this.#connection.send(subscription.request);
      },
      delayOf(timing.backoff, subscription.refusals++, random()),
    );
  }

  #on(topic: string): LiveSubscription[] {
    return [...this.#subscriptions].filter((subscription) => subscription.topic === topic);
  }

  #leave(gone: LiveSubscription): void {
    this.#subscriptions.delete(gone);
    if (this.#on(gone.topic).length === 0)
      this.#connection.send({ action: 'unsubscribe', topic: gone.topic });
    if (this.#subscriptions.size > 0 || this.#sending > 0) return;
    this.#up = false;
    this.#connection.close();
  }
}

/** H1: whatever comes on the line of a topic that is not an instance is for it. */
const isFor = ({ instance_id }: WireEvent, topic: Topic): boolean =>
  !topic.startsWith('instance:') || topic === `instance:${instance_id}`;
