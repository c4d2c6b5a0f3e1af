// Time on the laptop: its Step Functions, and the function that the state machine calls, in this process.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ENV } from '../shared/names.ts';
import { applyEnvironment } from './environment.ts';
import { messageOf } from './setup-error.ts';
import { startLocalStepFunctions } from './step-functions/start.ts';

export interface Clocks {
  /** Executions that had not ended go on, from here on. */
  takeUp(): Promise<number>;
  stop(): Promise<void>;
}

/** Tells functions that are loaded after this where to find it. `wrote`: there may be a new commit. */
export async function startClocks(wrote: () => void, say: (line: string) => void): Promise<Clocks> {
  const client = new DynamoDBClient({});
  const local = await startLocalStepFunctions({
    client,
    async invoke(_, payload) {
      const { handler } = await import('../functions/attempts/clock.ts');
      try {
        return await handler(payload);
      } finally {
        wrote();
      }
    },
    report: (message, error) => say(`Step Functions: ${message} ${messageOf(error)}`),
  });
  applyEnvironment({ AWS_ENDPOINT_URL_SFN: local.endpoint, [ENV.machine]: local.state_machine });
  return {
    takeUp: () => local.takeUp(),
    async stop() {
      await local.stop();
      client.destroy();
    },
  };
}
