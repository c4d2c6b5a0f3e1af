// The composition root: the only place where clients are made. Everything a function needs comes from its environment.
import { readFileSync } from 'node:fs';
import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { App } from '../shared/app/app.ts';
import { createWarmStates } from '../shared/app/warm-states.ts';
import { ENV, type EnvName } from '../shared/names.ts';
import type { Bus, Classifier, Connections, Push, Tokens } from '../shared/ports.ts';
import { createBus } from '../shared/store/bus.ts';
import { createConnections } from '../shared/store/connections.ts';
import { createDefinitions } from '../shared/store/definitions.ts';
import { createExecutions, createTaskTokens } from '../shared/store/executions.ts';
import { createListings } from '../shared/store/listings.ts';
import { createLog } from '../shared/store/log.ts';
import { createMemory } from '../shared/store/memory.ts';
import { createPush } from '../shared/store/push.ts';
import { createSessions } from '../shared/store/sessions.ts';
import { createTokens } from '../shared/store/tokens.ts';
import { chance } from './chance.ts';
import { observe } from './edge/telemetry.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export function required(env: Environment, name: EnvName): string {
  const value = env[name];
  if (!value) throw new Error(`the environment variable ${name} is not set`);
  return value;
}

/** A lost write is found by its id, so it may be tried again. */
const TRIES = { maxAttempts: 4 };

/** What a command passes through is put together once, not for each: a quarter of what a request takes of the
 *  processor. Whoever changes the middleware of such a client does so before the first request. */
const ONCE = { cacheMiddleware: true };

/** Short waits: API Gateway gives up after 29 seconds. */
export const dynamoClient = (): DynamoDBClient =>
  new DynamoDBClient({
    ...TRIES,
    ...ONCE,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: 3_000,
      httpsAgent: { maxSockets: 128 },
      httpAgent: { maxSockets: 128 },
    },
  });

/** Over the same connections; lib-dynamodb cannot do with what is put together once. */
const documents = ({ config: { requestHandler } }: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ ...TRIES, requestHandler }), {
    marshallOptions: { removeUndefinedValues: true },
  });

/** Only the function that hears what people say has to know where it belongs. */
const unjudged: Classifier = { classify: () => Promise.resolve(null) };

export function wire(env: Environment, client = dynamoClient(), classifier = unjudged): App {
  const table = required(env, ENV.table);
  const docs = documents(client);
  return {
    log: createLog(client, table),
    definitions: createDefinitions(docs, table, definitionsIn(env)),
    memory: createMemory(docs, table),
    listings: createListings(docs, table),
    sessions: createSessions(docs, table),
    classifier,
    chance,
    warm: createWarmStates(),
    observe,
  };
}

/** Who is connected, and how to reach them. */
export function wireSockets(
  env: Environment,
  client = dynamoClient(),
): { readonly connections: Connections; readonly push: Push } {
  const gateway = new ApiGatewayManagementApiClient({ endpoint: required(env, ENV.websocket), ...ONCE });
  return { connections: wireConnections(env, client), push: createPush(gateway) };
}

export const wireConnections = (env: Environment, client = dynamoClient()): Connections =>
  createConnections(client, required(env, ENV.connections));

/** Null where there is no bus. */
export function wireBus(env: Environment): Bus | null {
  const bus = env[ENV.bus];
  return bus ? createBus(new EventBridgeClient({}), bus) : null;
}

const wireTokens = (env: Environment): Tokens =>
  createTokens(documents(dynamoClient()), required(env, ENV.table));

const stepFunctions = (): SFNClient =>
  new SFNClient({ requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 } });

/** For the function that the state machine calls: it gives tokens back. */
export const wireClock = (env: Environment) => ({
  tokens: wireTokens(env),
  executions: createTaskTokens(stepFunctions()),
});

/** For whoever starts and stops executions. */
export const wireClocks = (env: Environment) => ({
  tokens: wireTokens(env),
  executions: createExecutions(stepFunctions(), required(env, ENV.machine)),
});

/** Written beside the bundle by `npm run build`, and into the data folder by `stepgate start`. */
function definitionsIn(env: Environment): Readonly<Record<string, unknown>> {
  const file = env[ENV.definitions] ?? new URL('./definitions.json', import.meta.url);
  return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')));
}
