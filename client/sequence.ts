// Puts the events of one instance in order, whatever order they arrive in. Pure: no clock, no socket.
//   O1  An event is handed on once, and only after every event before it.
//   O2  Nothing is handed on over a gap. The history closes it (`fill`), also where a commit had no events at all.
//   O3  The cursor is the last commit of which everything was handed on: who resumes there loses nothing.

export interface Sequenced {
  /** `<instance>:<seq>.<index>` */
  readonly id: string;
  readonly seq: number;
  /** How many events its commit has. Without it, only the history tells that a commit is complete. */
  readonly of?: number;
}

export interface CompleteCommit<E> {
  readonly seq: number;
  readonly events: readonly E[];
}

export class Sequence<E extends Sequenced> {
  /** Commits up to this one are done. */
  #done: number;
  /** How many events of the commit after it were handed on. */
  #index = 0;
  #expected: number;
  readonly #held = new Map<number, Map<number, E>>();
  readonly #sizes = new Map<number, number>();

  constructor(after: number) {
    this.#done = after;
    this.#expected = after;
  }

  get cursor(): number {
    return this.#done;
  }

  /** Is something known to exist that was not handed on, or not known to be complete? */
  get behind(): boolean {
    const size = this.#sizes.get(this.#done + 1);
    return this.#held.size > 0 || this.#expected > this.#done || (size !== undefined && this.#index < size);
  }

  /** A commit is known to exist, by a notice or by the number that a subscription began with. */
  expect(seq: number): void {
    this.#expected = Math.max(this.#expected, seq);
  }

  /** Takes an event in; returns what may be handed on now. */
  offer(event: E): E[] {
    const { seq, of } = event;
    const index = indexOf(event.id);
    if (seq <= this.#done || (seq === this.#done + 1 && index < this.#index)) return [];
    if (of !== undefined) this.#sizes.set(seq, of);
    const commit = this.#held.get(seq) ?? new Map<number, E>();
    this.#held.set(seq, commit.set(index, event));
    return this.#release();
  }

  /** Takes a stretch of the history in, without a gap from the cursor on; returns what may be handed on now. */
  fill(commits: readonly CompleteCommit<E>[]): E[] {
    const released: E[] = [];
    for (const { seq, events } of commits) {
      if (seq <= this.#done) continue;
      const from = seq === this.#done + 1 ? this.#index : 0;
      released.push(...events.slice(from));
      this.#complete(seq);
    }
    return [...released, ...this.#release()];
  }

  #release(): E[] {
    const released: E[] = [];
    for (;;) {
      const seq = this.#done + 1;
      const commit = this.#held.get(seq);
      for (let event = commit?.get(this.#index); event; event = commit?.get(this.#index)) {
        commit?.delete(this.#index++);
        released.push(event);
      }
      if (commit?.size === 0) this.#held.delete(seq);
      if (this.#index < (this.#sizes.get(seq) ?? Number.POSITIVE_INFINITY)) return released;
      this.#complete(seq);
    }
  }

  #complete(seq: number): void {
    for (const known of [this.#held, this.#sizes])
      for (const key of known.keys()) if (key <= seq) known.delete(key);
    this.#done = seq;
    this.#index = 0;
  }
}

export const indexOf = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 1));
