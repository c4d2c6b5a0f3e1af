// Real stores for tests: `STORE_KINDS` names those that run here, `freshTables` makes tables nobody else uses.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import { CHILD_KINDS, type ChildKind } from '../../local/store/choose-store.ts';
import { ensureTables } from '../../local/store/ensure-tables.ts';
import type { TableNames } from '../../shared/store/tables.ts';

export type StoreKind = ChildKind;

const endpoints = inject('stores');

/** Dynoxide, and DynamoDB Local where Java 17 or newer is found; the run says what it leaves out. */
export const STORE_KINDS: readonly StoreKind[] = CHILD_KINDS.filter((kind) => endpoints[kind] !== undefined);

/** For what is about clients, agents and processes more than about the store: one will do, unless all are asked for. */
export const ONE_STORE: readonly StoreKind[] =
  process.env['STEPGATE_TEST_EVERY'] === undefined ? STORE_KINDS.slice(0, 1) : STORE_KINDS;

export interface FreshTables extends TableNames {
  readonly kind: StoreKind;
  readonly endpoint: string;
  /** Of the main table. */
  readonly stream_arn: string;
}

export async function freshTables(kind: StoreKind): Promise<FreshTables> {
  const endpoint = endpointOf(kind);
  const id = randomUUID();
  const names = { table: `main-${id}`, connections: `connections-${id}` };
  const client = new DynamoDBClient(clientConfig(endpoint));
  try {
    return { kind, endpoint, ...names, stream_arn: await ensureTables(client, names) };
  } finally {
    client.destroy();
  }
}

/** For any AWS SDK client that is to talk to a store. */
export const clientConfig = (endpoint: string) => ({
  endpoint,
  region: 'local',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

export function endpointOf(kind: StoreKind): string {
  const endpoint = endpoints[kind];
  if (endpoint === undefined) throw new Error(`The store ${kind} does not run here; ask STORE_KINDS first.`);
  return endpoint;
}
