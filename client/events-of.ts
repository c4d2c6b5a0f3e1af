// A subscription as an async iterator. Leaving the loop ends the subscription.
import type { StepgateEvent } from './messages.ts';
import type { SubscribeOptions, Subscription, Topic } from './subscription.ts';

export type EventsOptions = Omit<SubscribeOptions, 'onEvent'>;

export async function* eventsOf(
  subscribe: (topic: Topic, options: SubscribeOptions) => Subscription,
  topic: Topic,
  options: EventsOptions = {},
): AsyncGenerator<StepgateEvent, void, undefined> {
  const queue: StepgateEvent[] = [];
  let wake = (): void => {};
  let ended = false;
  const onEvent = (event: StepgateEvent): void => {
    queue.push(event);
    wake();
  };
  const subscription = subscribe(topic, { ...options, onEvent });
  const end = (): void => {
    ended = true;
    wake();
  };
  subscription.closed.then(end, end);
  try {
    for (;;) {
      for (let event = queue.shift(); event; event = queue.shift()) yield event;
      if (ended) return await subscription.closed;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    subscription.close();
  }
}
