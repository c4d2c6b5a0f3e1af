// Reads one shard for all consumers: quick while there is work, quiet while there is none.
//   R1  Each record is read once for all lanes, and pages wait while one of them is far behind.
//   R2  It says that it rests before it looks whether something was written; who writes counts before looking
//       whether it rests. So one of the two always notices, and no write waits for the next poll.
import { setTimeout as pause } from 'node:timers/promises';
import {
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { Lane } from './lane.ts';
import { asLambdaRecord, earliest, isNewCommit, sequenceOf } from './stream-record.ts';

export interface ReaderOptions {
  readonly client: DynamoDBStreamsClient;
  readonly stream_arn: string;
  readonly shard_id: string;
  readonly lanes: readonly Lane[];
  readonly failed: (what: string, error: unknown) => void;
  /** Whether it waits for something to be written: only then a nudge is of use. */
  readonly resting?: (is: boolean) => void;
  /** How often something was written so far: what was written during a read is not missed. */
  readonly writes?: () => number;
}

const PAGE = 1_000;
/** A lane with more than this waiting holds the reading up. */
const FAR_BEHIND = 2_000;
const SHORTEST_MS = 4;
/** Pages that are not full are read no more often than this, so that reading does not compete with writing. */
const APART_MS = 12;
const LONGEST_MS = 100;
const LONGEST_AFTER_FAILURE_MS = 2_000;

export class ShardReader {
  readonly #options: ReaderOptions;
  #position: string | undefined;
  #iterator: string | undefined;
  #stopping = false;
  #wake = new AbortController();
  #nudged = false;
  #written: number | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#position = earliest(options.lanes.map(({ position }) => position));
  }

  /** Something was written: look now. */
  nudge(): void {
    this.#nudged = true;
    this.#wake.abort();
  }

  stop(): void {
    this.#stopping = true;
    this.nudge();
  }

  /** Reads until the shard is closed and read to its end (true), or until stopped (false). */
  async run(): Promise<boolean> {
    let wait = SHORTEST_MS;
    while (!this.#stopping) {
      await Promise.all(this.#options.lanes.map((lane) => lane.room(FAR_BEHIND)));
      this.#nudged = false;
      this.#written = this.#options.writes?.();
      const began = performance.now();
      try {
        const count = await this.#page();
        if (count === undefined) return true;
        if (count === 0) wait = await this.#rest(wait);
        else {
          wait = SHORTEST_MS;
          if (count < PAGE) await this.#space(began);
        }
      } catch (error) {
        if (this.#stopping) break;
        this.#recover(error);
        await pause(wait); // nudges would not help
        wait = Math.min(wait * 2, LONGEST_AFTER_FAILURE_MS);
      }
    }
    return false;
  }

  /** The number of records read; undefined at the end of a closed shard. */
  async #page(): Promise<number | undefined> {
    const { client, stream_arn, lanes } = this.#options;
    this.#iterator ??= await this.#open();
    const { Records = [], NextShardIterator } = await client.send(
      new GetRecordsCommand({ ShardIterator: this.#iterator, Limit: PAGE }),
    );
    const last = Records.at(-1);
    if (last !== undefined) {
      const wanted = Records.filter(isNewCommit).map((record) => asLambdaRecord(record, stream_arn));
      for (const lane of lanes) lane.push(wanted, sequenceOf(last));
      this.#position = sequenceOf(last);
    }
    this.#iterator = NextShardIterator;
    return NextShardIterator === undefined ? undefined : Records.length;
  }

  async #open(): Promise<string | undefined> {
    const { client, stream_arn: StreamArn, shard_id: ShardId } = this.#options;
    const from =
      this.#position === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' as const }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: this.#position };
    return (await client.send(new GetShardIteratorCommand({ StreamArn, ShardId, ...from }))).ShardIterator;
  }

  #recover(error: unknown): void {
    this.#iterator = undefined;
    if (error instanceof TrimmedDataAccessException)
      this.#position = undefined; // what is left begins later
    else if (!(error instanceof ExpiredIteratorException)) this.#options.failed('reading the stream', error);
  }

  async #space(began: number): Promise<void> {
    const left = APART_MS - (performance.now() - began);
    if (left >= 1 && !this.#stopping) await pause(left);
  }

  /** Waits, unless nudged; gives back how long to wait next time. */
  async #rest(wait: number): Promise<number> {
    if (!this.#nudged) {
      this.#wake = new AbortController();
      this.#options.resting?.(true);
      if (this.#options.writes?.() !== this.#written) this.nudge();
      await pause(wait, undefined, { signal: this.#wake.signal }).catch(() => {}); // nudged
      this.#options.resting?.(false);
    }
    return this.#nudged ? SHORTEST_MS : Math.min(wait * 2, LONGEST_MS);
  }
}
