// The feed of one instance: every event once, in order; what the socket does not bring is read from the history.
import { pause } from './backoff.ts';
import { StepgateError } from './error.ts';
import type { Feed, FeedParts } from './feed.ts';
import { plain, type WireEvent } from './messages.ts';
import { Sequence } from './sequence.ts';

export class InstanceFeed implements Feed {
  readonly #instance_id: string;
  readonly #parts: FeedParts;
  readonly #stop = new AbortController();
  /** Null until it is known where it begins. */
  #sequence: Sequence<WireEvent> | null;
  #early: WireEvent[] = [];
  #mending = false;
  #urgent = false;

  constructor(instance_id: string, after: number | undefined, parts: FeedParts) {
    this.#instance_id = instance_id;
    this.#parts = parts;
    this.#sequence = after === undefined ? null : new Sequence(after);
  }

  get after(): number | undefined {
    return this.#sequence?.cursor;
  }

  began(seq: number | null): void {
    if (this.#sequence) {
      if (seq !== null) this.#sequence.expect(seq);
    } else {
      this.#sequence = new Sequence(seq ?? (this.#early[0]?.seq ?? 1) - 1);
      const early = this.#early;
      this.#early = [];
      for (const event of early) this.take(event);
    }
    this.#mend();
  }

  take(event: WireEvent): void {
    if (!this.#sequence) this.#early.push(event);
    else if (event.notice) {
      this.#urgent = true;
      this.#sequence.expect(event.seq);
    } else this.#deliver(this.#sequence.offer(event));
    this.#mend();
  }

  stop(): void {
    this.#stop.abort();
  }

  #deliver(events: readonly WireEvent[]): void {
    if (events.length > 0 && !this.#stop.signal.aborted) this.#parts.deliver(events.map(plain));
  }

  /** Starts mending, if there is something to mend and nobody at it. */
  #mend(): void {
    if (this.#mending || !this.#sequence?.behind) return;
    this.#mending = true;
    this.#closeGaps(this.#sequence)
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#parts.fail(error);
      })
      .finally(() => {
        this.#mending = false;
      });
  }

  async #closeGaps(sequence: Sequence<WireEvent>): Promise<void> {
    const { grace_ms, again_ms } = this.#parts.timing;
    const { signal } = this.#stop;
    if (!this.#urgent) await pause(grace_ms, signal);
    this.#urgent = false;
    while (sequence.behind) {
      const { cursor } = sequence;
      const commits = await this.#read(cursor, signal);
      signal.throwIfAborted();
      this.#deliver(sequence.fill(commits));
      if (sequence.cursor === cursor && sequence.behind) await pause(again_ms, signal);
    }
  }

  /** A server that cannot be reached now is asked again later. */
  async #read(cursor: number, signal: AbortSignal) {
    try {
      return await this.#parts.history(this.#instance_id, cursor, signal);
    } catch (error) {
      if (error instanceof StepgateError && error.retryable) return [];
      throw error;
    }
  }
}
