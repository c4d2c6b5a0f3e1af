// A clock that stands still until a test moves it. Timers are told apart by their instant, so that a test says exactly
// which one it waits for.
import type { Clock } from '../../local/step-functions/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();
  #waiting: { at: number; found: () => void }[] = [];

  constructor(start = '2026-03-01T12:00:00.000Z') {
    this.#now = Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  get iso(): string {
    return new Date(this.#now).toISOString();
  }

  setTimer(at: number, run: () => void): () => void {
    const timer = { at, run };
    this.#timers.add(timer);
    const found = this.#waiting.filter((one) => one.at === at);
    this.#waiting = this.#waiting.filter((one) => one.at !== at);
    for (const one of found) one.found();
    if (at <= this.#now) queueMicrotask(() => this.#fire(timer));
    return () => void this.#timers.delete(timer);
  }

  /** When the timers that are set go off, the next one first. */
  get timers(): readonly string[] {
    return [...this.#timers].map(({ at }) => new Date(at).toISOString()).toSorted();
  }

  /** Until a timer is set for so many seconds from now. */
  async timerIn(seconds: number): Promise<void> {
    const at = this.#now + seconds * 1000;
    if ([...this.#timers].some((timer) => timer.at === at)) return;
    await new Promise<void>((found) => this.#waiting.push({ at, found }));
  }

  /** Moves on and sets off what is due, in order. */
  advance(seconds: number): void {
    this.#now += seconds * 1000;
    const due = [...this.#timers].filter(({ at }) => at <= this.#now).toSorted((a, b) => a.at - b.at);
    for (const timer of due) this.#fire(timer);
  }

  /** Waits until such a timer is set, then lets it go off. */
  async pass(seconds: number): Promise<void> {
    await this.timerIn(seconds);
    this.advance(seconds);
  }

  #fire(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.run();
  }
}
