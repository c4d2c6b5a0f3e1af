// Runs the poller in a thread of its own and speaks with it.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface WorkerOptions {
  readonly stream_arn: string;
  readonly checkpoint_file: string;
  readonly dead_letter_file: string;
  /** Where old stream records are to be forgotten; null if the store does so itself. */
  readonly trim: { readonly data_dir: string; readonly table: string } | null;
}

/** Shared with the thread, so that a busy one is not sent nudges it has no use for. */
export type Given = WorkerOptions & { readonly counts: Int32Array };
/** Places in `counts`: how many readers rest, and how often something was written. */
export const RESTING = 0;
export const WRITES = 1;

export type ToWorker = 'nudge' | 'stop';
export type FromWorker = { readonly ready: true } | { readonly stopped: true } | { readonly say: string };

export interface StreamThread {
  nudge(): void;
  stop(): Promise<void>;
}

export async function runInWorker(
  options: WorkerOptions,
  say: (line: string) => void,
  died: (error: unknown) => void,
): Promise<StreamThread> {
  const counts = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const workerData: Given = { ...options, counts };
  const worker = new Worker(new URL('./worker-entry.js', import.meta.url), { workerData });
  let stopping = false;
  let nudged = false;
  await new Promise<void>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if ('ready' in message) resolve();
      if ('say' in message) say(message.say);
    });
    worker.on('error', (error) => {
      reject(error);
      died(error);
    });
    worker.on('exit', (code) => {
      const error = new Error(`the stream's thread ended with code ${code}`);
      reject(error);
      if (!stopping) died(error);
    });
  });
  return {
    /** Many writes in one turn of the loop are one nudge. */
    nudge: () => {
      Atomics.add(counts, WRITES, 1);
      if (nudged || stopping || Atomics.load(counts, RESTING) === 0) return;
      nudged = true;
      setImmediate(() => {
        nudged = false;
        worker.postMessage('nudge' satisfies ToWorker);
      });
    },
    stop: async () => {
      stopping = true;
      const exited = once(worker, 'exit');
      worker.postMessage('stop' satisfies ToWorker);
      await exited;
    },
  };
}
