// A batch of the table's stream in, the records that must come again out.
//   SR1  A record that cannot be read fails alone: the others of its batch are handled.
//   SR2  What is answered as failed comes again with everything after it, so handlers take each record any number
//       of times.
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { readTold, type Told } from '../../shared/app/publish-told.ts';
import { Fault } from '../../shared/faults.ts';
import type { Closing } from '../../shared/ports.ts';
import { readRecord } from '../../shared/store/stream-record.ts';
import { logger } from './telemetry.ts';

/** One commit as it arrived. */
export interface Arrived {
  readonly told: Told;
  /** The whole commit, not parsed yet. */
  readonly commit: unknown;
  readonly hash: string;
  readonly record: string;
}

export interface Failure {
  readonly of: Arrived;
  readonly error: unknown;
}

/** Answers with what failed; if it throws, all has. */
export type BatchHandler = (batch: readonly Arrived[]) => Promise<readonly Failure[]>;

/** Follows the closing of a session. */
export type ClosingHandler = (closing: Closing) => Promise<void>;

/** Follows the deletion of an instance. */
export type ErasureHandler = (instance_id: string) => Promise<void>;

export function stream(
  name: string,
  handle: BatchHandler,
  follow: ClosingHandler = async () => {},
  forget: ErasureHandler = async () => {},
) {
  return async ({ Records }: Pick<DynamoDBStreamEvent, 'Records'>): Promise<DynamoDBBatchResponse> => {
    const started = performance.now();
    const failed = new Set<string>();
    const fail = (record: string, error: unknown, instance_id?: string) => {
      failed.add(record);
      logger.error('record failed', { consumer: name, record, instance_id, reason: reasonOf(error) });
    };
    const closings: { readonly closing: Closing; readonly record: string }[] = [];
    const erasures: { readonly erased: string; readonly record: string }[] = [];
    const batch = Records.flatMap((record): Arrived[] => {
      const id = record.dynamodb?.SequenceNumber ?? '';
      try {
        const read = readRecord(record);
        if (read !== null && 'closing' in read) closings.push({ closing: read.closing, record: id });
        if (read !== null && 'erased' in read) erasures.push({ erased: read.erased, record: id });
        if (read === null || !('commit' in read)) return [];
        const { commit, hash } = read;
        return [{ told: readTold(commit), commit, hash, record: id }];
      } catch (error) {
        fail(id, error); // SR1
        return [];
      }
    });
    const failures = await handle(batch).catch((error: unknown) => batch.map((of) => ({ of, error })));
    for (const { of, error } of failures) fail(of.record, error, of.told.instance_id);
    for (const { closing, record } of closings)
      await follow(closing).catch((error: unknown) => fail(record, error));
    for (const { erased, record } of erasures)
      await forget(erased).catch((error: unknown) => fail(record, error, erased));
    logger.info('stream', {
      consumer: name,
      records: Records.length,
      failed: failed.size,
      latency_ms: Math.round(performance.now() - started),
    });
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
  };
}

/** Not the message of just any error: it may quote what the record holds. */
function reasonOf(error: unknown): string {
  if (error instanceof Fault) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.name : typeof error;
}
