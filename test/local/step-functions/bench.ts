// A state machine on the bench: a small document, its functions, a fake clock and a journal in a real store.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { vi } from 'vitest';
import type { Execution } from '../../../local/step-functions/execution.ts';
import { tokenOf } from '../../../local/step-functions/execution.ts';
import { type Journal, openJournal } from '../../../local/step-functions/journal.ts';
import { readMachine } from '../../../local/step-functions/machine.ts';
import { createRunner, type Runner } from '../../../local/step-functions/runner.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { clientConfig, endpointOf, STORE_KINDS } from '../../support/stores.ts';

export const ARN = 'arn:aws:states:local:000000000000:stateMachine:sample';
export const INVOKE = 'arn:aws:states:::lambda:invoke';
export const WITH_TOKEN = 'arn:aws:states:::lambda:invoke.waitForTaskToken';

type Fn = (payload: unknown) => unknown;

export interface Bench {
  readonly clock: FakeClock;
  readonly journal: Journal;
  readonly runner: Runner;
  /** What the functions were called with, in order. */
  readonly calls: { name: string; payload: unknown }[];
  start(input?: unknown): Promise<void>;
  /** What became of it, once it has ended. */
  end(): Promise<{ status: string; output?: unknown; error?: string | null; cause?: string | null }>;
  token(): Promise<string>;
  taskId(): Promise<string>;
}

/** A document whose states all speak JSONata. */
export const document = (StartAt: string, States: Record<string, unknown>): string =>
  JSON.stringify({ QueryLanguage: 'JSONata', StartAt, States });

/** Each one is a process of its own, also on the same table. */
export const newJournal = (table = `executions-${randomUUID()}`): Promise<Journal> => {
  const kind = STORE_KINDS[0] ?? 'dynoxide';
  return openJournal(new DynamoDBClient(clientConfig(endpointOf(kind))), table);
};

export async function bench(
  text: string,
  functions: Record<string, Fn> = {},
  {
    journal,
    clock = new FakeClock(),
    random = () => 1,
  }: { journal?: Journal; clock?: FakeClock; random?: () => number } = {},
): Promise<Bench> {
  const machine = readMachine(ARN, text);
  const kept = journal ?? (await newJournal());
  const calls: Bench['calls'] = [];
  const invoke = async (name: string, payload: unknown) => {
    calls.push({ name, payload });
    return functions[name]?.(payload);
  };
  const runner = createRunner({ machine, journal: kept, invoke, clock, random, id: randomUUID });
  const find = async (): Promise<Execution> => {
    const found = await kept.find(ARN, 'run');
    if (!found) throw new Error('it was never started');
    return found;
  };
  const taskId = () =>
    vi.waitFor(async () => {
      const found = await find();
      if (found.status !== 'RUNNING' || found.at.phase.kind !== 'task')
        throw new Error(`it is ${found.status}`);
      return found.at.phase.id;
    });
  return {
    clock,
    journal: kept,
    runner,
    calls,
    start: async (input = {}) => void (await runner.start('run', JSON.stringify(input))),
    end: () =>
      vi.waitFor(
        async () => {
          const found = await find();
          if (found.status === 'RUNNING') throw new Error('it runs');
          return found.status === 'SUCCEEDED'
            ? { status: found.status, output: found.output }
            : { status: found.status, error: found.error, cause: found.cause };
        },
        { timeout: 5_000, interval: 5 },
      ),
    taskId,
    token: async () => tokenOf({ machine: ARN, name: 'run' }, await taskId()),
  };
}
