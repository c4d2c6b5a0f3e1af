// Hands events to the caller one after the other: a handler that is async is waited for.
import type { StepgateEvent } from './messages.ts';

export type EventHandler = (event: StepgateEvent) => void | Promise<void>;

export class Delivery {
  readonly #handle: EventHandler;
  readonly #failed: (error: unknown) => void;
  readonly #queue: StepgateEvent[] = [];
  #busy = false;
  #stopped = false;

  constructor(handle: EventHandler, failed: (error: unknown) => void) {
    this.#handle = handle;
    this.#failed = failed;
  }

  /** The first one that is not dealt with yet. */
  get head(): StepgateEvent | undefined {
    return this.#queue[0];
  }

  push(events: readonly StepgateEvent[]): void {
    this.#queue.push(...events);
    if (!this.#busy) void this.#drain();
  }

  stop(): void {
    this.#stopped = true;
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    try {
      for (let event = this.#queue[0]; event && !this.#stopped; event = this.#queue[0]) {
        const handled = this.#handle(event);
        if (handled) await handled;
        this.#queue.shift();
      }
    } catch (error) {
      this.#stopped = true;
      this.#failed(error);
    } finally {
      this.#busy = false;
    }
  }
}
