// The stream's own thread: the poller and all consumers, so that what follows a commit never holds up a request.
import { parentPort, workerData } from 'node:worker_threads';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { messageOf } from '../setup-error.ts';
import { trimStreamRecords } from '../store/stream-records.ts';
import { deadLetters } from './dead-letters.ts';
import type { Consumer } from './lane.ts';
import { type Poller, startPoller } from './poller.ts';
import { type FromWorker, type Given, RESTING, type ToWorker, WRITES } from './run-in-worker.ts';

const DAY_SECONDS = 86_400;
const TRIM_EVERY_MS = 3_600_000;
/** Lists may be a moment behind: the more is written, the more commits of an instance are projected as one. */
const GATHERED = { batch_size: 2_000, apart_ms: (records: number) => Math.min(records * 10, 1_000) };

const options = workerData as Given; // what run-in-worker.ts hands over
const tell = (message: FromWorker): void => parentPort?.postMessage(message);
const say = (line: string): void => tell({ say: line });

const [broadcast, project, clock] = await Promise.all([
  import('../../functions/stream/broadcast.ts'),
  import('../../functions/stream/project.ts'),
  import('../../functions/stream/clock.ts'),
]);

const client = new DynamoDBStreamsClient({ cacheMiddleware: true });
const poller = await startPoller({
  client,
  stream_arn: options.stream_arn,
  consumers: {
    broadcast: broadcast.handler as Consumer, // a batch in, failures out
    project: { handler: project.handler as Consumer, ...GATHERED }, // likewise
    clock: { handler: clock.handler as Consumer, ...GATHERED }, // likewise
  },
  checkpoint_file: options.checkpoint_file,
  bury: deadLetters(options.dead_letter_file, Date.now, say),
  resting: (readers) => void Atomics.store(options.counts, RESTING, readers),
  writes: () => Atomics.load(options.counts, WRITES),
  failed: (what, error) => say(`${what} failed: ${messageOf(error)}`),
});
const trimming = options.trim === null ? undefined : setInterval(() => trim(poller), TRIM_EVERY_MS);
trim(poller);

parentPort?.on('message', (message: ToWorker) => {
  if (message === 'nudge') poller.nudge();
  else void stop();
});
tell({ ready: true });

async function stop(): Promise<void> {
  clearInterval(trimming);
  await poller.stop();
  client.destroy();
  tell({ stopped: true });
  parentPort?.close();
}

function trim({ handled }: Pick<Poller, 'handled'>): void {
  const seen = handled();
  if (options.trim === null || seen === undefined) return;
  const before = Math.floor(Date.now() / 1000) - DAY_SECONDS;
  try {
    trimStreamRecords(options.trim.data_dir, options.trim.table, seen, before);
  } catch (error) {
    say(`forgetting old stream records failed: ${messageOf(error)}`); // next hour, then
  }
}
