// The shape of both tables, as data: what the laptop creates and what infrastructure is compared with.
import type {
  AttributeDefinition,
  CreateTableCommandInput,
  GlobalSecondaryIndex,
  KeySchemaElement,
  UpdateTimeToLiveCommandInput,
} from '@aws-sdk/client-dynamodb';
import { INDEX, PK, SK, TTL } from '../names.ts';

export interface TableNames {
  readonly table: string;
  readonly connections: string;
}

const keys = (hash: string, range: string): KeySchemaElement[] => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];

const strings = (...names: readonly string[]): AttributeDefinition[] =>
  [...new Set(names)].map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));

const LISTINGS = [INDEX.owner, INDEX.workflow, INDEX.session, INDEX.role];

/** Instances with their logs, listings, facts, definitions. Its stream feeds broadcast and project. */
export const mainTable = ({ table }: TableNames): CreateTableCommandInput => ({
  TableName: table,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: keys(PK, SK),
  AttributeDefinitions: strings(PK, SK, INDEX.key.sk, ...LISTINGS.flatMap(({ pk, sk }) => [pk, sk])),
  LocalSecondaryIndexes: [
    {
      IndexName: INDEX.key.name,
      KeySchema: keys(PK, INDEX.key.sk),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  GlobalSecondaryIndexes: LISTINGS.map(
    ({ name, pk, sk }): GlobalSecondaryIndex => ({
      IndexName: name,
      KeySchema: keys(pk, sk),
      // Of the entry alone: when a step changes, only the inbox's index is written (shared/store/listings.ts).
      Projection: { ProjectionType: 'KEYS_ONLY' },
    }),
  ),
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
});

/** WebSocket connections and what they are subscribed to. */
export const connectionsTable = ({ connections }: TableNames): CreateTableCommandInput => ({
  TableName: connections,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: keys(PK, SK),
  AttributeDefinitions: strings(PK, SK),
});

export const timeToLive = (TableName: string): UpdateTimeToLiveCommandInput => ({
  TableName,
  TimeToLiveSpecification: { AttributeName: TTL, Enabled: true },
});
