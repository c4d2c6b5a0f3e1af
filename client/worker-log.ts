// What a worker tells of itself.
import { StepgateError } from './error.ts';

export type LogLevel = 'info' | 'warn' | 'error';

export interface WorkerLog {
  readonly level: LogLevel;
  readonly message: string;
  readonly worker: string;
  readonly instance_id?: string;
  readonly turn?: number;
  readonly error?: unknown;
}

/** Where nobody listens: warnings and errors. */
export function toConsole({ level, message, worker, instance_id, turn, error }: WorkerLog): void {
  if (level === 'info') return;
  const where = [worker, instance_id, turn].filter((part) => part !== undefined).join(' ');
  const expected = error instanceof StepgateError; // its message says it all
  console[level](
    `[${where}] ${message}${expected ? `: ${error.message}` : ''}`,
    ...(error && !expected ? [error] : []),
  );
}
