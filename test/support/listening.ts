// Everything a listener needs, on a real store and a real push endpoint: a log to write to, connections, a broadcast.
// Requests of a client can be paused one by one, so that tests choose what happens in between.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Broadcast, createBroadcast } from '../../shared/app/broadcast.ts';
import { readTold } from '../../shared/app/publish-told.ts';
import type { Listening } from '../../shared/app/subscribe.ts';
import { type Actor, begin, type Workflow, type WorkflowEvent } from '../../shared/engine/index.ts';
import type { Connection, Definitions, Entry, InstanceLog } from '../../shared/ports.ts';
import { createConnections } from '../../shared/store/connections.ts';
import { createDefinitions } from '../../shared/store/definitions.ts';
import { createLog } from '../../shared/store/log.ts';
import { createPush } from '../../shared/store/push.ts';
import { createSessions } from '../../shared/store/sessions.ts';
import { delivery } from './definitions.ts';
import { NOON, OWNER } from './play.ts';
import { type PushGateway, startPushGateway } from './push-gateway.ts';
import { clientConfig, type FreshTables, freshTables, type StoreKind } from './stores.ts';

/** Stores sweep what has outlived its TTL by their own clock: connections are opened in the future. */
export const NOW = '2099-03-01T12:00:00.000Z';
/** When tokens run out, unless a test says otherwise. */
export const LATER = Date.parse('2099-03-01T13:00:00.000Z') / 1000;

/** Runs before each request of a client, with the name of its command. */
export type Before = (command: string) => Promise<void>;

export interface World extends Listening {
  readonly tables: FreshTables;
  readonly gateway: PushGateway;
  readonly broadcast: Broadcast;
  readonly definitions: Definitions;
  readonly log: InstanceLog;
  client(before?: Before): DynamoDBClient;
  /** The same ports over another client, so that its requests can be paused. */
  through(before: Before): Listening;
  connect(connection_id: string, actor?: Actor, expires_at?: number): Promise<Connection>;
  begin(instance_id: string, options?: { workflow?: Workflow; by?: Actor; owner?: string }): Promise<Entry>;
  /** One more commit, with an event of its own unless others are given. */
  commit(instance_id: string, events?: readonly WorkflowEvent[]): Promise<Entry>;
  stop(): Promise<void>;
}

export async function startWorld(kind: StoreKind, longestPush = 10_000): Promise<World> {
  const [tables, gateway] = await Promise.all([freshTables(kind), startPushGateway()]);
  const clients: DynamoDBClient[] = [];
  const client = (before?: Before): DynamoDBClient => {
    const made = new DynamoDBClient(clientConfig(tables.endpoint));
    if (before)
      made.middlewareStack.add(
        (next, { commandName }) =>
          async (request) => {
            await before(String(commandName));
            return next(request);
          },
        { step: 'initialize' },
      );
    clients.push(made);
    return made;
  };
  const push = createPush(gateway.client, longestPush);
  const over = (through: DynamoDBClient) => ({
    log: createLog(through, tables.table),
    sessions: createSessions(DynamoDBDocumentClient.from(through), tables.table),
    connections: createConnections(through, tables.connections),
    definitions: createDefinitions(DynamoDBDocumentClient.from(through), tables.table, {
      delivery: delivery.source,
    }),
    push,
  });
  const ports = over(client());
  return {
    ...ports,
    tables,
    gateway,
    client,
    broadcast: createBroadcast(ports),
    through: (before) => over(client(before)),
    async connect(connection_id, actor = OWNER, expires_at = LATER) {
      const connection = { connection_id, actor, expires_at };
      await ports.connections.open(connection, NOW);
      return connection;
    },
    async begin(instance_id, { workflow = delivery, by = OWNER, owner } = {}) {
      const body = { instance_id, workflow_id: workflow.id, ...(owner === undefined ? {} : { owner }) };
      const { state, events, verdict } = begin(workflow, body, by, NOON);
      const signal = { type: 'start', body };
      const commit = { id: 'c1', seq: 1, at: NOON, actor: by, signal, facts: {}, events, state, verdict };
      const entry = await ports.log.create(commit, {});
      if ('taken' in entry) throw new Error(`${instance_id} exists`);
      return entry;
    },
    async commit(instance_id, events = [TICK]) {
      const before = await ports.log.latest(instance_id);
      if (before === null) throw new Error(`${instance_id} was not begun`);
      const { previous: _previous, ...last } = before.commit;
      const seq = last.seq + 1;
      const next = { ...last, id: `c${seq}`, seq, events, state: { ...last.state, seq } };
      const entry = await ports.log.append(next, before);
      if ('lostTo' in entry) throw new Error(`another writer was first at ${seq}`);
      return entry;
    },
    async stop() {
      for (const made of clients) made.destroy();
      await gateway.stop();
    },
  };
}

const TICK: WorkflowEvent = { type: 'workflow.reminder', data: { step: 'todo' } };

export const toldOf = (...entries: readonly Entry[]) => entries.map(({ commit }) => readTold(commit));

/** The ids of the events a connection was sent, without what else it was told. */
export const idsSent = (gateway: PushGateway, connection_id: string): unknown[] =>
  gateway.sent(connection_id).flatMap(({ id }) => (id === undefined ? [] : [id]));
