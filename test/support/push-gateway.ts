// A gateway's @connections endpoint for tests: takes what is pushed, answers 410 for connections that are gone, and
// keeps slow ones waiting until it is stopped.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { clientConfig } from './stores.ts';

export interface PushGateway {
  readonly endpoint: string;
  readonly client: ApiGatewayManagementApiClient;
  /** What a connection was sent, as JSON, in order. */
  sent(connection_id: string): readonly Record<string, unknown>[];
  readonly gone: Set<string>;
  readonly slow: Set<string>;
  /** Connections that were hung up on. */
  readonly closed: Set<string>;
  /** Runs before a push is taken. */
  before: (connection_id: string) => Promise<void>;
  stop(): Promise<void>;
}

export async function startPushGateway(): Promise<PushGateway> {
  const received = new Map<string, Record<string, unknown>[]>();
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const id = decodeURIComponent((request.url ?? '').split('/@connections/')[1] ?? '');
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => void take(id, body, request.method, response));
  });
  async function take(id: string, body: string, method: string | undefined, response: ServerResponse) {
    if (method === 'DELETE') {
      gateway.closed.add(id);
      return response.writeHead(204).end();
    }
    await gateway.before(id);
    if (gateway.slow.has(id)) return waiting.push(response);
    if (gateway.gone.has(id) || gateway.closed.has(id))
      return response
        .writeHead(410, { 'x-amzn-errortype': 'GoneException', 'content-type': 'application/json' })
        .end('{}');
    received.set(id, [...(received.get(id) ?? []), JSON.parse(body) as Record<string, unknown>]);
    return response.writeHead(200).end();
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  const client = new ApiGatewayManagementApiClient(clientConfig(endpoint));
  const gateway: PushGateway = {
    endpoint,
    client,
    sent: (id) => received.get(id) ?? [],
    gone: new Set(),
    slow: new Set(),
    closed: new Set(),
    before: () => Promise.resolve(),
    async stop() {
      client.destroy();
      for (const response of waiting) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gateway;
}
