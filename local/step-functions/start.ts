// The laptop's Step Functions: reads the state machine that CDK deploys, goes on with what had not ended, and answers
// the SDK's client.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createApi } from './api.ts';
import { type Clock, systemClock } from './clock.ts';
import { openJournal } from './journal.ts';
import { readMachine } from './machine.ts';
import { createRunner, type Invoke } from './runner.ts';
import { serveStepFunctions } from './serve.ts';

export const STATE_MACHINE_ARN = 'arn:aws:states:local:000000000000:stateMachine:stepgate-attempts';
const DEFINITION = new URL('../../infra/attempts.asl.json', import.meta.url);
/** What the function is called on the laptop: put in for the name that CDK puts in. */
const ATTEMPTS_FUNCTION = 'attempts-clock';

export interface StepFunctionsOptions {
  /** To the local store. */
  readonly client: DynamoDBClient;
  readonly invoke: Invoke;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly id?: () => string;
  readonly table?: string;
  readonly report?: (message: string, error: unknown) => void;
}

export interface LocalStepFunctions {
  /** For AWS_ENDPOINT_URL_SFN. */
  readonly endpoint: string;
  readonly state_machine: string;
  /** Goes on with the executions that had not ended, once their functions can be called. Answers with how many. */
  takeUp(): Promise<number>;
  stop(): Promise<void>;
}

export async function startLocalStepFunctions(options: StepFunctionsOptions): Promise<LocalStepFunctions> {
  const {
    client,
    invoke,
    clock = systemClock,
    random = Math.random,
    id = randomUUID,
    table,
    report,
  } = options;
  const text = readFileSync(DEFINITION, 'utf8');
  const machine = readMachine(STATE_MACHINE_ARN, text, { attempts_function: ATTEMPTS_FUNCTION });
  const journal = await openJournal(client, table);
  await journal.keepDefinition(machine.version, machine.text);
  const runner = createRunner({ machine, journal, invoke, clock, random, id, ...(report ? { report } : {}) });
  const endpoint = await serveStepFunctions(createApi({ machine, journal, runner }));
  return {
    endpoint: endpoint.url,
    state_machine: machine.arn,
    takeUp: () => runner.takeUp(),
    async stop() {
      await endpoint.close();
      await runner.close();
    },
  };
}
