// Keeps a claimed task while it is worked on.
import type { Client } from './create-client.ts';
import { StepgateError } from './error.ts';

/** Why work on a task has to stop. */
export type Interruption = 'superseded' | 'lost' | 'stopping';

export interface LeaseParts {
  readonly client: Client;
  readonly instance_id: string;
  readonly turn: number;
  readonly lease_seconds: number;
  /** For role and agent. */
  readonly as: { readonly role?: string; readonly agent?: string };
  /** In milliseconds. */
  readonly every_ms: number;
  readonly interrupt: (why: Interruption) => void;
}

/** Beats until it is told to stop, and settles then once the last beat was heard: none may come after the step has
 *  moved on. A lease that ran out unnoticed is taken again, if nobody else has it. */
export function keepLease(parts: LeaseParts): () => Promise<void> {
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let beating = Promise.resolve();
  const next = (): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      beating = beat(parts).then(next);
    }, parts.every_ms);
  };
  next();
  return () => {
    stopped = true;
    clearTimeout(timer);
    return beating;
  };
}

async function beat({ client, instance_id, turn, lease_seconds, as, interrupt }: LeaseParts): Promise<void> {
  const body = { turn, lease_seconds };
  const once = { tries: 1 };
  try {
    await client
      .heartbeat(instance_id, body, once)
      .catch((error: unknown) =>
        codeOf(error) === 'not_holder'
          ? client.claim(instance_id, { ...body, ...as }, once)
          : Promise.reject(error as Error),
      );
  } catch (error) {
    if (codeOf(error) === 'stale_turn') interrupt('superseded');
    else if (error instanceof StepgateError && !error.retryable) interrupt('lost');
    // what may pass is tried with the next beat
  }
}

export const codeOf = (error: unknown): string | null => (error instanceof StepgateError ? error.code : null);
