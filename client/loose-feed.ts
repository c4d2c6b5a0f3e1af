// The feed of a topic that cannot be replayed: each event once, in order as far as a short wait allows.
import type { Feed, FeedParts } from './feed.ts';
import { FirstSight } from './first-sight.ts';
import { plain, type WireEvent } from './messages.ts';

export class LooseFeed implements Feed {
  readonly after = undefined;
  readonly #parts: FeedParts;
  readonly #order = new FirstSight<WireEvent>();
  readonly #stop = new AbortController();
  readonly #ordered: boolean;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** `ordered`: worth a wait. A role's topic carries single events out of many: there is nothing to wait for. */
  constructor(parts: FeedParts, { ordered }: { readonly ordered: boolean }) {
    this.#parts = parts;
    this.#ordered = ordered;
  }

  began(): void {}

  take(event: WireEvent): void {
    if (event.notice) void this.#readLarge(event);
    else this.#offer(event);
  }

  stop(): void {
    this.#stop.abort();
    if (this.#timer) clearTimeout(this.#timer);
  }

  #offer(event: WireEvent): void {
    this.#deliver(this.#order.offer(event));
    if (!this.#order.behind) return;
    if (!this.#ordered) return this.#deliver(this.#order.settle());
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#deliver(this.#order.settle());
    }, this.#parts.timing.grace_ms);
  }

  async #readLarge(event: WireEvent): Promise<void> {
    const { signal } = this.#stop;
    try {
      const commits = await this.#parts.history(event.instance_id, event.seq - 1, signal);
      const whole = commits.flatMap(({ events }) => events).find(({ id }) => id === event.id);
      this.#offer(whole ?? event);
    } catch {
      this.#offer(event); // what could not be read is still worth knowing of
    }
  }

  #deliver(events: readonly WireEvent[]): void {
    if (events.length > 0 && !this.#stop.signal.aborted) this.#parts.deliver(events.map(plain));
  }
}
