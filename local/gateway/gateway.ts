// The laptop's API Gateway: HTTP API, WebSocket API and @connections on one port.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Verify } from '../../functions/edge/verify-token.ts';
import { MCP_ROUTES, ROUTES, type ServedRoute } from '../../shared/routes.ts';
import { codeOf, SetupError } from '../setup-error.ts';
import { corsHeaders } from './cors.ts';
import type { Resolve } from './handler.ts';
import { createServeHttp } from './serve-http.ts';
import { CONNECTIONS_PREFIX, serveConnections } from './sockets/connections-api.ts';
import { SOCKET_LIMITS, type SocketLimits } from './sockets/live-connection.ts';
import { createSockets, type Sockets } from './sockets/serve-sockets.ts';
import { writeJson, writeProblem } from './write-reply.ts';

export interface GatewayOptions {
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
  readonly resolve: Resolve;
  /** Given the address, since the keys may be served by this very gateway. */
  readonly verify: (origin: string) => Verify;
  /** Documents served as they are, by path: health, keys. */
  readonly documents?: (origin: string) => Readonly<Record<string, unknown>>;
  readonly routes?: readonly ServedRoute[];
  readonly limits?: Partial<SocketLimits> & { readonly body_bytes?: number };
  readonly now?: () => number;
  readonly failed?: (what: string, error: unknown) => void;
}

export interface Gateway {
  readonly origin: string;
  /** For ApiGatewayManagementApiClient. */
  readonly connections_endpoint: string;
  /** Stops accepting, lets what is under way finish, closes the sockets. */
  stop(): Promise<void>;
}

const SOCKET_PATH = '/ws';
const BODY_BYTES = 1024 * 1024;
const IDLE_CHECK_MS = 20;
const PATIENCE_MS = 10_000;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { host = '127.0.0.1', port, resolve, routes = [...ROUTES, ...MCP_ROUTES], now = Date.now } = options;
  const { failed = (what, error) => console.error(`${what} failed:`, error) } = options;
  const { body_bytes = BODY_BYTES, ...socketLimits } = options.limits ?? {};
  const limits = { ...SOCKET_LIMITS, ...socketLimits };
  const server = createServer();
  const origin = await listen(server, host, port);
  const documents = options.documents?.(origin) ?? {};
  const sockets = createSockets({ resolve, limits, now, failed });
  const serveHttp = createServeHttp({
    routes,
    resolve,
    verify: options.verify(origin),
    body_limit: body_bytes,
    now,
    failed,
  });

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? '/';
    if (url.startsWith(`${CONNECTIONS_PREFIX}/`))
      return serveConnections(request, response, sockets.find, limits.message_bytes);
    if (request.method === 'GET' && Object.hasOwn(documents, url))
      return writeJson(response, documents[url], corsHeaders(request));
    return serveHttp(request, response);
  };
  server.on('request', (request, response) => {
    serve(request, response).catch((error: unknown) => {
      failed('gateway', error);
      if (response.headersSent) response.destroy();
      else writeProblem(response, error, {});
    });
  });
  server.on('upgrade', (request, socket, head) => {
    if (request.url?.split('?')[0] === SOCKET_PATH) void sockets.upgrade(request, socket, head);
    else socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  return {
    origin,
    connections_endpoint: `${origin}${CONNECTIONS_PREFIX}`,
    stop: () => stop(server, sockets),
  };
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new SetupError(whyNot(error, port));
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return `http://${host}:${address.port}`;
}

function whyNot(error: unknown, port: number): string {
  if (codeOf(error) === 'EADDRINUSE')
    return `Port ${port} is in use. Stop what runs there, or choose another: PORT=${port + 1} npm start (PORT=0 for any).`;
  if (codeOf(error) === 'EACCES')
    return `Port ${port} may not be used by this user. Choose one above 1023, as in PORT=4400 npm start.`;
  return `Port ${port} cannot be listened on (${String(error)}). Choose another: PORT=4401 npm start.`;
}

async function stop(server: Server, sockets: Sockets): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await sockets.close();
  // A connection that is kept alive becomes idle only after its last answer.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const insist = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(insist);
}
