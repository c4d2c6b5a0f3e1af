// The line between the server and its store, which can be struck: a plain HTTP proxy with an address that stays.
//   CX1  A strike comes at the n-th write from now: before it reaches the store, or after it landed and before its
//        answer is heard.
//   CX2  A fault is one the SDK meets on AWS: throttling, an error of the service, a transaction at the same items, an
//        answer lost after the write landed.
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Chance } from './chance.ts';

export type Moment = 'before it lands' | 'after it landed';
export type FaultKind = 'throttled' | 'service_error' | 'conflict' | 'answer_lost';

const FAULTS: readonly FaultKind[] = ['throttled', 'service_error', 'answer_lost', 'conflict'];

export interface Strike {
  /** Counted in writes from now. */
  readonly after: number;
  readonly moment: Moment;
  /** Kills somebody, at once. */
  readonly kill: () => void;
}

export interface StoreLine {
  readonly url: string;
  readonly injected: Readonly<Record<FaultKind, number>>;
  /** Where the store is now. */
  connect(endpoint: string): void;
  /** Settles when it was carried out. */
  strike(strike: Strike): Promise<void>;
  /** The share of requests that meet a fault of each kind. */
  faults(share: number): void;
  close(): Promise<void>;
}

const WRITES = /\.(?:PutItem|TransactWriteItems|UpdateItem|DeleteItem)$/;
const TRANSACTIONS = /\.TransactWriteItems$/;
const PREFIX = 'com.amazonaws.dynamodb.v20120810#';
const REFUSALS = {
  throttled: { status: 400, type: 'ProvisionedThroughputExceededException' },
  service_error: { status: 500, type: 'InternalServerError' },
  conflict: { status: 400, type: 'TransactionConflictException' },
} as const;
/** How a transaction is told of it. */
const CANCELLED = {
  status: 400,
  type: 'TransactionCanceledException',
  CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
};

export async function openStoreLine(chance: Chance): Promise<StoreLine> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const injected: Record<FaultKind, number> = { throttled: 0, service_error: 0, conflict: 0, answer_lost: 0 };
  let endpoint = '';
  let share = 0;
  let planned: (Strike & { left: number; done: () => void }) | null = null;

  /** Only writes meet a transaction. */
  const fault = (operation: string): FaultKind | null => {
    if (share === 0) return null;
    const kind = FAULTS[Math.floor(chance.next() / share)] ?? null;
    if (kind === null || (kind === 'conflict' && !WRITES.test(operation))) return null;
    injected[kind]++;
    return kind;
  };
  const due = (operation: string): Strike | null => {
    if (planned === null || !WRITES.test(operation)) return null;
    if (planned.left-- > 0) return null;
    const { done, ...strike } = planned;
    planned = null;
    return { ...strike, kill: () => (strike.kill(), done()) };
  };

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer); // no encoding is set, so these are buffers
    const operation = String(incoming.headers['x-amz-target']);
    const strike = due(operation);
    if (strike?.moment === 'before it lands') strike.kill();
    const met = strike ? null : fault(operation);
    if (met === 'conflict' && TRANSACTIONS.test(operation)) return refuse(outgoing, CANCELLED);
    if (met !== null && met !== 'answer_lost') return refuse(outgoing, REFUSALS[met]);
    const answer = await forward(incoming, Buffer.concat(chunks), endpoint, agent);
    if (strike?.moment === 'after it landed') strike.kill();
    if (met === 'answer_lost') return void outgoing.destroy();
    outgoing.writeHead(answer.status, answer.headers);
    outgoing.end(answer.body);
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy()); // the store is gone, and so is its answer
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    injected,
    connect: (to) => void (endpoint = to),
    strike: (strike) =>
      new Promise((done) => {
        planned = { ...strike, left: strike.after, done };
      }),
    faults: (part) => void (share = part),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      agent.destroy();
    },
  };
}

function refuse(
  outgoing: ServerResponse,
  { status, type, ...more }: { readonly status: number; readonly type: string },
): void {
  outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  outgoing.end(JSON.stringify({ __type: `${PREFIX}${type}`, message: 'injected', ...more }));
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function forward(
  incoming: IncomingMessage,
  body: Buffer,
  endpoint: string,
  agent: Agent,
): Promise<Answer> {
  const { method = 'POST', url = '/', headers } = incoming;
  const outgoing = request(`${endpoint}${url}`, { method, headers, agent });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]; // what the event carries
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer); // as above
  const { 'transfer-encoding': _, ...kept } = response.headers;
  return { status: response.statusCode ?? 502, headers: kept, body: Buffer.concat(chunks) };
}
