// The @connections API as ApiGatewayManagementApiClient calls it: POST, GET and DELETE of one connection.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../read-body.ts';
import type { LiveConnection } from './live-connection.ts';

/** Where it is mounted; the SDK adds `/@connections/<id>`. */
export const CONNECTIONS_PREFIX = '/@connections-api';

type Find = (id: string) => LiveConnection | undefined;

export async function serveConnections(
  request: IncomingMessage,
  response: ServerResponse,
  find: Find,
  message_bytes: number,
): Promise<void> {
  const [, encoded] = /\/@connections\/([^/?]+)$/.exec(request.url ?? '') ?? [];
  // The SDK signs every request; a page in a browser, which could reach this port too, cannot pretend to.
  if (!request.headers.authorization?.startsWith('AWS4-')) return refuse(response, 403, 'ForbiddenException');
  const connection = encoded === undefined ? undefined : find(decoded(encoded));
  if (connection === undefined) return refuse(response, 410, 'GoneException');
  if (request.method === 'POST') return post(request, response, connection, message_bytes);
  if (request.method === 'GET') return answer(response, 200, describe(connection));
  if (request.method === 'DELETE') {
    connection.close(1000, 'Connection closed by the service');
    return answer(response, 204);
  }
  refuse(response, 403, 'ForbiddenException');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function post(
  request: IncomingMessage,
  response: ServerResponse,
  connection: LiveConnection,
  message_bytes: number,
): Promise<void> {
  let body: Buffer;
  try {
    body = await readBody(request, message_bytes);
  } catch {
    return refuse(response, 413, 'PayloadTooLargeException');
  }
  if (await connection.send(body.toString())) return answer(response, 200, {});
  refuse(response, 410, 'GoneException');
}

const describe = ({ peer, last_active_at }: LiveConnection) => ({
  connectedAt: new Date(peer.connected_at).toISOString(),
  identity: { sourceIp: peer.source_ip, userAgent: peer.user_agent },
  lastActiveAt: new Date(last_active_at).toISOString(),
});

function answer(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, type: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
  response.end(JSON.stringify({ message: null }));
}
