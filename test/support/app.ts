// The application on a real store, with every request to it counted; the clock and the ids are the real ones.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { App } from '../../shared/app/app.ts';
import { lexicalClassifier } from '../../shared/app/intents/lexical-classifier.ts';
import { createWarmStates } from '../../shared/app/warm-states.ts';
import { builtInWorkflows } from '../../shared/reading/built-in.ts';
import { createDefinitions } from '../../shared/store/definitions.ts';
import { createListings } from '../../shared/store/listings.ts';
import { createLog } from '../../shared/store/log.ts';
import { createMemory } from '../../shared/store/memory.ts';
import { createSessions } from '../../shared/store/sessions.ts';
import { chance } from '../../functions/chance.ts';
import { clientConfig, type FreshTables } from './stores.ts';

export interface TestApp extends App {
  readonly client: DynamoDBClient;
  /** Names of the commands sent since the last look. */
  sent(): readonly string[];
}

const builtIn = Object.fromEntries([...builtInWorkflows()].map(([id, { source }]) => [id, source]));

/** Each one is a process of its own: it shares nothing with the others but the tables. */
export function appOn(
  { endpoint, table }: FreshTables,
  more: Readonly<Record<string, unknown>> = {},
): TestApp {
  const client = new DynamoDBClient({ ...clientConfig(endpoint), maxAttempts: 3 });
  let commands: string[] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      commands.push(context.commandName ?? '');
      return next(args);
    },
    { step: 'initialize', name: 'counting' },
  );
  const docs = DynamoDBDocumentClient.from(client);
  return {
    client,
    log: createLog(client, table),
    definitions: createDefinitions(docs, table, { ...builtIn, ...more }),
    memory: createMemory(docs, table),
    listings: createListings(docs, table),
    sessions: createSessions(docs, table),
    classifier: lexicalClassifier,
    chance,
    warm: createWarmStates(),
    observe: () => {},
    sent() {
      const seen = commands;
      commands = [];
      return seen;
    },
  };
}
