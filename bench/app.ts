// The application as a function has it, on the store that is measured.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { chance } from '../functions/chance.ts';
import type { App } from '../shared/app/app.ts';
import { lexicalClassifier } from '../shared/app/intents/lexical-classifier.ts';
import { createWarmStates } from '../shared/app/warm-states.ts';
import { createDefinitions } from '../shared/store/definitions.ts';
import { createListings } from '../shared/store/listings.ts';
import { createLog } from '../shared/store/log.ts';
import { createMemory } from '../shared/store/memory.ts';
import { createSessions } from '../shared/store/sessions.ts';
import { TABLES } from './store.ts';
import { definitionOf } from './workflows.ts';

export function benchApp(client: DynamoDBClient, steps: number, { remember = true } = {}): App {
  const { table } = TABLES;
  const docs = DynamoDBDocumentClient.from(client);
  const warm = createWarmStates();
  return {
    log: createLog(client, table),
    definitions: createDefinitions(docs, table, { [`linear-${steps}`]: definitionOf(steps) }),
    memory: createMemory(docs, table),
    listings: createListings(docs, table),
    sessions: createSessions(docs, table),
    classifier: lexicalClassifier,
    chance,
    warm: remember ? warm : { ...warm, get: () => undefined },
    observe: () => {},
  };
}
