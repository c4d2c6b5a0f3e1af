// Names that code, infrastructure and the laptop cloud must agree on: environment variables, indexes, event source.
// Nothing here does anything, so that infra may import it.

/** What each function may read from its environment. AWS endpoints come from the SDK's own AWS_ENDPOINT_URL_* variables. */
export const ENV = {
  table: 'STEPGATE_TABLE',
  connections: 'STEPGATE_CONNECTIONS_TABLE',
  bus: 'STEPGATE_EVENT_BUS',
  /** The stage's callback URL, to which @connections is appended by the SDK. */
  websocket: 'STEPGATE_WEBSOCKET_ENDPOINT',
  issuer: 'STEPGATE_TOKEN_ISSUER',
  /** Comma-separated: values accepted in `aud` (or `client_id`, as Cognito's access tokens have it). */
  audience: 'STEPGATE_TOKEN_AUDIENCE',
  jwks: 'STEPGATE_TOKEN_JWKS_URI',
  /** ARN of the state machine that supplies time. */
  machine: 'STEPGATE_STATE_MACHINE',
  /** Path of a JSON file with the built-in definitions, as `npm run build` and `stepgate start` write it. */
  definitions: 'STEPGATE_DEFINITIONS_FILE',
} as const;
export type EnvName = (typeof ENV)[keyof typeof ENV];

/** Both tables: string keys `pk` and `sk`, TTL in `ttl` (epoch seconds). */
export const PK = 'pk';
export const SK = 'sk';
export const TTL = 'ttl';

/** The main table's indexes. `key` is local (it reads consistently) and keys only; the others are global. */
export const INDEX = {
  key: { name: 'by_key', sk: 'idempotency' },
  owner: { name: 'by_owner', pk: 'owner_pk', sk: 'created_sk' },
  workflow: { name: 'by_workflow', pk: 'workflow_pk', sk: 'created_sk' },
  session: { name: 'by_session', pk: 'session_pk', sk: 'created_sk' },
  role: { name: 'by_role', pk: 'role_pk', sk: 'assigned_sk' },
} as const;

/** Sort keys of commits begin so: what stream consumers filter on. */
export const COMMIT_PREFIX = 'C#';

export const EVENT_SOURCE = 'stepgate';
/** Events from outside that are taken in from EventBridge, by detail type. */
export const INBOUND_EVENTS = ['agent.work.completed', 'workflow.validation.requested'] as const;

/** What browsers on other origins may send: our own, and those of MCP clients. */
export const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'last-event-id',
];
