// The turns a worker has answered, so that the inbox does not make it answer them again (WK2). One whose handler failed
// may be tried again after a while, ever longer.
import { type Backoff, delayOf } from './backoff.ts';

const AFTER_FAILURE: Backoff = { first_ms: 30_000, most_ms: 3_600_000 };
/** The longest unused are forgotten first: they are answered again at worst, under the same key. */
const MOST = 10_000;

interface Settled {
  readonly turn: number;
  readonly failures: number;
  /** Not again before this instant. */
  readonly until: number;
}

export class SettledTurns {
  readonly #turns = new Map<string, Settled>();

  has(instance_id: string, turn: number): boolean {
    const settled = this.#turns.get(instance_id);
    return settled !== undefined && settled.turn >= turn && settled.until > Date.now();
  }

  add(instance_id: string, turn: number, failed: boolean): void {
    const before = this.#turns.get(instance_id);
    const failures = failed ? (before?.turn === turn ? before.failures : 0) + 1 : 0;
    const wait = failed ? delayOf(AFTER_FAILURE, failures - 1, Math.random()) : Infinity;
    this.#turns.delete(instance_id);
    this.#turns.set(instance_id, { turn, failures, until: Date.now() + wait });
    const [oldest] = this.#turns.keys();
    if (this.#turns.size > MOST && oldest !== undefined) this.#turns.delete(oldest);
  }
}
