// One consumer on one shard: records in order, in batches, each batch until it is done.
//   L1  A batch follows only when the one before it was handled or given up: order per shard is kept.
//   L2  A record that keeps failing goes to the dead letters after a bounded number of tries, and the shard goes on.
//   L3  A function that fails without saying where has its batch halved until the record is found.
//   L4  While the store is away, a failure says nothing of the record: it is no try.
import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { isAfter, sequenceOf } from './stream-record.ts';

export type Consumer = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse | void>;

export interface LaneOptions {
  readonly handler: Consumer;
  readonly batch_size: number;
  /** How long after a batch of so many the next one may wait to fill: what comes close together is handled together. */
  readonly apart_ms: (records: number) => number;
  readonly tries: number;
  readonly backoff_ms: number;
  /** Is the store there? */
  readonly reachable: () => Promise<boolean>;
  /** Given up: kept somewhere, and said aloud. */
  readonly bury: (record: DynamoDBRecord, error: unknown) => void;
}

const LONGEST_BACKOFF_MS = 1_000;

export class Lane {
  readonly #options: LaneOptions;
  readonly #queue: DynamoDBRecord[] = [];
  #position: string | undefined;
  /** The last record read, wanted or not. */
  #read: string | undefined;
  #working: Promise<void> | undefined;
  #stopped = new AbortController();
  #changed = () => {};
  /** When the next call may be made without its batch being full. */
  #next = 0;

  constructor(position: string | undefined, options: LaneOptions) {
    this.#position = position;
    this.#read = position;
    this.#options = options;
  }

  /** Everything up to here was handled. */
  get position(): string | undefined {
    return this.#position;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Takes what was read: the wanted records of a page, and how far the page went. What it had before is left out. */
  push(records: readonly DynamoDBRecord[], through: string): void {
    if (!isAfter(through, this.#read)) return;
    const before = this.#read;
    const first = records.findIndex((record) => isAfter(sequenceOf(record), before));
    if (first >= 0) this.#queue.push(...records.slice(first));
    this.#read = through;
    if (this.#queue.length === 0) this.#position = through;
    else this.#working ??= this.#work();
  }

  /** Until no more than so many wait. */
  async room(most: number): Promise<void> {
    while (this.#queue.length > most && !this.#stopped.signal.aborted)
      await new Promise<void>((resolve) => (this.#changed = resolve));
  }

  /** Finishes the call under way and takes up no other. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#changed();
    await this.#working;
  }

  async #work(): Promise<void> {
    let size = this.#options.batch_size;
    let tried = 0;
    let failed = 0;
    while (this.#queue.length > 0 && !this.#stopped.signal.aborted) {
      await this.#gather();
      const batch = this.#queue.slice(0, size);
      this.#next = performance.now() + this.#options.apart_ms(batch.length);
      const { done, error, vague } = await this.#call(batch);
      this.#advance(done);
      if (done > 0) tried = failed = 0;
      if (done === batch.length) size = this.#options.batch_size;
      else if (vague && batch.length > 1) size = Math.ceil(batch.length / 2);
      else {
        failed += 1;
        if (await this.#options.reachable()) tried += 1; // L4
        if (tried < this.#options.tries) await this.#backOff(failed);
        else {
          this.#options.bury(batch[done] ?? never(), error);
          this.#advance(1);
          tried = failed = 0;
          size = this.#options.batch_size;
        }
      }
    }
    this.#working = undefined;
  }

  /** How many from the front were handled; `vague` if the function did not say which one failed. */
  async #call(Records: DynamoDBRecord[]): Promise<{ done: number; error?: unknown; vague?: boolean }> {
    try {
      const failures = (await this.#options.handler({ Records }))?.batchItemFailures ?? [];
      if (failures.length === 0) return { done: Records.length };
      const failed = new Set(failures.map(({ itemIdentifier }) => itemIdentifier));
      const done = Records.findIndex((record) => failed.has(sequenceOf(record)));
      if (done >= 0) return { done, error: new Error('the function answered that this record failed') };
      return { done: 0, error: new Error('the function named a record that is not there'), vague: true };
    } catch (error) {
      return { done: 0, error, vague: true };
    }
  }

  #advance(count: number): void {
    const last = this.#queue.splice(0, count).at(-1);
    if (last !== undefined) this.#position = sequenceOf(last);
    if (this.#queue.length === 0) this.#position = this.#read;
    if (count > 0) this.#changed();
  }

  /** At once after a rest; under load, when enough have come or enough time has passed. */
  async #gather(): Promise<void> {
    const left = this.#next - performance.now();
    if (left >= 1 && this.#queue.length < this.#options.batch_size)
      await pause(left, undefined, { signal: this.#stopped.signal }).catch(() => {}); // woken to stop
  }

  async #backOff(tried: number): Promise<void> {
    const wait = Math.min(this.#options.backoff_ms * 2 ** (tried - 1), LONGEST_BACKOFF_MS);
    await pause(wait, undefined, { signal: this.#stopped.signal }).catch(() => {}); // woken to stop
  }
}

function never(): never {
  throw new Error('a batch is never empty');
}
