// A Lambda function as the gateway calls it: an event and a context in, a promise out.
import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';

export type Handler = (event: unknown, context: Context) => Promise<unknown>;

/** Finds the handler of functions/<name>.ts. */
export type Resolve = (name: string) => Handler;

const TIMEOUT_MS = 29_000;

export function contextOf(name: string): Context {
  const ends = Date.now() + TIMEOUT_MS;
  return {
    awsRequestId: randomUUID(),
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${name}`,
    memoryLimitInMB: '1024',
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, ends - Date.now()),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}
