// The WebSocket side: handshakes through the authorizer and `$connect`, messages to the function of their route.
//   W1  A socket is open only after the authorizer and `$connect` have agreed.
//   W2  Routes that begin with `$` are the gateway's own: no message can choose one.
import { randomBytes } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { SOCKET_ROUTES } from '../../../shared/routes.ts';
import { contextOf, type Resolve } from '../handler.ts';
import { authorizeConnect } from './authorize-connect.ts';
import { LiveConnection, type SocketLimits } from './live-connection.ts';
import { authorizerEvent, connectEvent, disconnectEvent, messageEvent, type Peer } from './socket-event.ts';

export interface SocketOptions {
  readonly resolve: Resolve;
  readonly limits: SocketLimits;
  readonly now: () => number;
  readonly failed: (what: string, error: unknown) => void;
}

export interface Sockets {
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;
  readonly find: (connection_id: string) => LiveConnection | undefined;
  /** Says goodbye to all, waits until `$disconnect` has been told for each, and lets nobody in again. */
  readonly close: () => Promise<void>;
}

export function createSockets({ resolve, limits, now, failed }: SocketOptions): Sockets {
  const live = new Map<string, LiveConnection>();
  const arriving = new Set<Promise<void>>();
  let closing = false;
  const chosen = new WeakMap<IncomingMessage, string>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.message_bytes,
    handleProtocols: (_offered, request) => chosen.get(request) ?? false,
  });

  const call = (route: keyof typeof SOCKET_ROUTES, event: unknown) => {
    const name = `websocket/${SOCKET_ROUTES[route]}`;
    return resolve(name)(event, contextOf(name));
  };

  async function tell(connection: LiveConnection, body: string): Promise<void> {
    const { peer, authorizer } = connection;
    const route = routeOf(body);
    try {
      await call(route, messageEvent(peer, route, body, authorizer, now()));
    } catch (error) {
      failed(`websocket ${route}`, error);
      await connection.send(
        JSON.stringify({ message: 'Internal server error', connectionId: peer.connection_id }),
      );
    }
  }

  async function farewell(
    peer: Peer,
    authorizer: object,
    end: { code: number; reason: string },
  ): Promise<void> {
    live.delete(peer.connection_id);
    try {
      await call('$disconnect', disconnectEvent(peer, end, authorizer, now()));
    } catch (error) {
      failed('websocket $disconnect', error);
    }
  }

  /** The status to refuse with, or the context to open with. */
  async function admit(
    request: IncomingMessage,
    peer: Peer,
  ): Promise<number | Readonly<Record<string, unknown>>> {
    const verdict = await authorizeConnect(
      resolve('websocket/authorize'),
      authorizerEvent(request, peer, now()),
    );
    if ('status' in verdict) return verdict.status;
    const { status, protocol } = readConnect(
      await call('$connect', connectEvent(request, peer, verdict.context, now())),
    );
    if (protocol !== undefined) chosen.set(request, protocol);
    return status >= 200 && status < 300 ? verdict.context : status;
  }

  async function open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const peer = peerOf(request, now());
    let admitted: number | Readonly<Record<string, unknown>>;
    try {
      admitted = closing ? 503 : await admit(request, peer);
    } catch (error) {
      failed('websocket $connect', error);
      admitted = 500;
    }
    if (typeof admitted === 'number') return refuse(socket, admitted);
    const authorizer = admitted;
    if (socket.destroyed || closing) {
      refuse(socket, 503);
      return farewell(peer, authorizer, { code: 1006, reason: '' });
    }
    server.handleUpgrade(request, socket, head, (opened) => {
      const connection = new LiveConnection(opened, peer, authorizer, limits, {
        message: (body) => tell(connection, body),
        gone: (end) => farewell(peer, authorizer, end),
      });
      live.set(peer.connection_id, connection);
    });
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => {}); // whoever leaves during the handshake
    const opening = open(request, socket, head).finally(() => arriving.delete(opening));
    arriving.add(opening);
    await opening;
  }

  async function close(): Promise<void> {
    closing = true;
    await Promise.all(arriving);
    const all = [...live.values()];
    for (const connection of all) connection.close(1001, 'The server stops');
    const insist = setTimeout(() => all.forEach((connection) => connection.terminate()), limits.push_ms);
    await Promise.all(all.map(({ ended }) => ended));
    clearTimeout(insist);
  }

  return { upgrade, close, find: (id) => live.get(id) };
}

/** `$request.body.action` */
function routeOf(body: string): keyof typeof SOCKET_ROUTES {
  try {
    const { action } = JSON.parse(body) as { action?: unknown }; // a value without members throws or has none
    if (typeof action === 'string' && !action.startsWith('$') && Object.hasOwn(SOCKET_ROUTES, action))
      return action as keyof typeof SOCKET_ROUTES; // just looked up
  } catch {
    // not JSON
  }
  return '$default';
}

/** What `$connect` returned: its status, and the subprotocol it chose by a header of that name. */
function readConnect(result: unknown): { readonly status: number; readonly protocol: string | undefined } {
  const { statusCode, headers } = Object(result) as { statusCode?: unknown; headers?: unknown }; // looked at below
  const protocol = Object.entries(Object(headers) as object).find(
    ([name]) => name.toLowerCase() === 'sec-websocket-protocol',
  )?.[1] as unknown;
  return {
    status: typeof statusCode === 'number' ? statusCode : 500,
    protocol: typeof protocol === 'string' ? protocol : undefined,
  };
}

const peerOf = (request: IncomingMessage, now: number): Peer => ({
  connection_id: `${randomBytes(11).toString('base64url')}=`,
  connected_at: now,
  source_ip: request.socket.remoteAddress ?? '127.0.0.1',
  user_agent: request.headers['user-agent'] ?? '',
  domain_name: request.headers.host ?? 'localhost',
});

function refuse(socket: Duplex, status: number): void {
  const body = JSON.stringify({ message: STATUS_CODES[status] ?? 'Refused' });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
      'connection: close',
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}
