// Makes both tables where they are missing; what is there stays as it is.
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { setTimeout as pause } from 'node:timers/promises';
import { connectionsTable, mainTable, type TableNames, timeToLive } from '../../shared/store/tables.ts';
import { messageOf, SetupError } from '../setup-error.ts';

const POLL_MS = 50;
const PATIENCE_MS = 60_000;

/** Gives back the address of the main table's stream. */
export async function ensureTables(client: DynamoDBClient, names: TableNames): Promise<string> {
  const [main] = await Promise.all([
    ensureTable(client, mainTable(names), names.table),
    ensureTable(client, connectionsTable(names), names.connections),
  ]);
  if (main.LatestStreamArn === undefined)
    throw new SetupError(
      `The table ${names.table} has no stream. Switch it on (NEW_IMAGE), or use another table.`,
    );
  return main.LatestStreamArn;
}

/** One table, with its TTL. */
export async function ensureTable(
  client: DynamoDBClient,
  table: CreateTableCommandInput,
  name: string,
): Promise<TableDescription> {
  const there = await describe(client, name);
  if (there === undefined) await create(client, table);
  const active = there?.TableStatus === 'ACTIVE' ? there : await untilActive(client, name);
  await forgetInTime(client, name);
  return active;
}

async function forgetInTime(client: DynamoDBClient, TableName: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL')) return;
  try {
    await client.send(new UpdateTimeToLiveCommand(timeToLive(TableName)));
  } catch (error) {
    if (!messageOf(error).includes('already enabled')) throw error; // somebody was faster: as good
  }
}

async function create(client: DynamoDBClient, table: CreateTableCommandInput): Promise<void> {
  try {
    await client.send(new CreateTableCommand(table));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error; // somebody was faster: as good
  }
}

async function untilActive(client: DynamoDBClient, name: string): Promise<TableDescription> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const table = await describe(client, name);
    if (table?.TableStatus === 'ACTIVE') return table;
    if (performance.now() > until) throw new SetupError(`The table ${name} does not become active.`);
    await pause(POLL_MS);
  }
}

async function describe(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
