// For topics that cannot be replayed (a person's, a role's, a session's): each event once, in order where that costs
// no more than a short wait. Pure: who uses it keeps the time.
//   F1  An id is handed on once, as long as it is among the latest that were seen.
//   F2  An event that does not follow the one before it waits until `settle`; what comes too late is still handed on.
import { indexOf, type Sequenced } from './sequence.ts';

const REMEMBERED = 5_000;

interface InstanceEvent extends Sequenced {
  readonly instance_id: string;
}

export class FirstSight<E extends InstanceEvent> {
  readonly #seen = new Set<string>();
  readonly #last = new Map<string, E>();
  #waiting: E[] = [];

  get behind(): boolean {
    return this.#waiting.length > 0;
  }

  offer(event: E): E[] {
    if (this.#seen.has(event.id)) return [];
    remember(this.#seen, event.id);
    const last = this.#last.get(event.instance_id);
    if (last && !follows(last, event) && !isBefore(event, last)) {
      this.#waiting.push(event);
      return [];
    }
    return [this.#pass(event), ...this.#releaseFollowing(event.instance_id)];
  }

  /** The wait is over: what is here goes on, in order. */
  settle(): E[] {
    const released = this.#waiting.toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
    this.#waiting = [];
    return released.map((event) => this.#pass(event));
  }

  #releaseFollowing(instance_id: string): E[] {
    const released: E[] = [];
    for (;;) {
      const last = this.#last.get(instance_id);
      const at = this.#waiting.findIndex(
        (event) => event.instance_id === instance_id && last && follows(last, event),
      );
      const next = this.#waiting[at];
      if (!next) return released;
      this.#waiting.splice(at, 1);
      released.push(this.#pass(next));
    }
  }

  #pass(event: E): E {
    const last = this.#last.get(event.instance_id);
    if (last && isBefore(event, last)) return event;
    this.#last.delete(event.instance_id);
    this.#last.set(event.instance_id, event);
    if (this.#last.size > REMEMBERED) this.#last.delete(first(this.#last.keys()));
    return event;
  }
}

function follows(last: Sequenced, next: Sequenced): boolean {
  const index = indexOf(next.id);
  if (next.seq === last.seq) return index === indexOf(last.id) + 1;
  return next.seq === last.seq + 1 && index === 0 && (last.of ?? 0) <= indexOf(last.id) + 1;
}

const isBefore = (a: Sequenced, b: Sequenced): boolean =>
  a.seq === b.seq ? indexOf(a.id) < indexOf(b.id) : a.seq < b.seq;

function remember(seen: Set<string>, id: string): void {
  seen.add(id);
  if (seen.size > REMEMBERED) seen.delete(first(seen.keys()));
}

const first = (keys: Iterable<string>): string => {
  for (const key of keys) return key;
  return '';
};
