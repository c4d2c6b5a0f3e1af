// A server that does what a test tells it: HTTP answers from a script, a history of one instance, and a socket that
// can drop, double, reorder and hold back. Real ports, real frames.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { WireEvent } from '../../client/messages.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Undefined: the connection is cut without an answer. */
export type Answering = (asked: Asked) => Reply | undefined | Promise<Reply | undefined>;

export interface Frame {
  readonly action: string;
  readonly topic?: string;
  readonly after?: number;
  readonly request_id?: string;
  readonly [more: string]: unknown;
}

export const INSTANCE = 'delivery-7:x.y';

export class ScriptedServer {
  readonly asked: Asked[] = [];
  readonly frames: Frame[] = [];
  /** The tokens sockets were opened with. */
  readonly tokens: (string | null)[] = [];
  readonly log: { seq: number; events: WireEvent[] }[] = [];
  readonly sockets = new Set<WebSocket>();
  /** What HTTP answers besides the history. */
  answer: Answering = () => ({ status: 404, body: { code: 'not_found', detail: 'nothing here' } });
  /** What a frame is answered with; by default subscriptions are taken in and replayed. */
  onFrame: (frame: Frame, socket: WebSocket) => void = (frame, socket) => this.takeIn(frame, socket);
  /** Refuses the handshake with this status. */
  refuse: number | null = null;
  readonly #http = createServer((request, response) => void this.#serve(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true });

  static async start(): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    server.#http.listen(0, '127.0.0.1');
    await once(server.#http, 'listening');
    return server;
  }

  constructor() {
    this.#http.on('upgrade', (request, socket, head) => {
      if (this.refuse !== null) return socket.end(`HTTP/1.1 ${this.refuse} No\r\nconnection: close\r\n\r\n`);
      this.#sockets.handleUpgrade(request, socket, head, (opened) => {
        this.tokens.push(tokenIn(request));
        this.sockets.add(opened);
        opened.on('close', () => this.sockets.delete(opened));
        opened.on('message', (data: Buffer) => {
          const frame = JSON.parse(data.toString('utf8')) as Frame; // what the client under test sent
          this.frames.push(frame);
          this.onFrame(frame, opened);
        });
      });
    });
  }

  get url(): string {
    const { port } = this.#http.address() as AddressInfo; // it listens on TCP
    return `http://127.0.0.1:${port}`;
  }

  /** Writes a commit with so many events; nobody is told. */
  commit(size = 1, data: Record<string, string> = {}): WireEvent[] {
    const seq = this.log.length + 1;
    const events = Array.from({ length: size }, (_, index) => eventOf(seq, index, size, data));
    this.log.push({ seq, events });
    return events;
  }

  push(...messages: readonly unknown[]): void {
    for (const socket of this.sockets) for (const message of messages) socket.send(JSON.stringify(message));
  }

  takeIn(frame: Frame, socket: WebSocket): void {
    const say = (message: unknown) => socket.send(JSON.stringify(message));
    if (frame.action === 'ping') say({ type: 'pong' });
    if (frame.action !== 'subscribe') return;
    say({ type: 'subscribed', topic: frame.topic, seq: this.log.length });
    if (frame.after === undefined) return;
    for (const { events } of this.log.slice(frame.after)) events.forEach(say);
  }

  drop(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  get subscribes(): readonly Frame[] {
    return this.frames.filter(({ action }) => action === 'subscribe');
  }

  get historyReads(): number {
    return this.asked.filter(({ path }) => path.endsWith('/history')).length;
  }

  async stop(): Promise<void> {
    this.drop();
    this.#sockets.close();
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://x');
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const asked: Asked = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    this.asked.push(asked);
    const reply = (this.log.length > 0 && this.#history(asked)) || (await this.answer(asked));
    if (!reply) return void request.socket.destroy();
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? null));
  }

  #history({ path, query }: Asked): Reply | null {
    if (path !== `/api/workflows/${encodeURIComponent(INSTANCE)}/history`) return null;
    const after = Number(query['after']);
    const items = this.log.slice(after, after + Number(query['limit']));
    return { status: 200, body: { items, next: null } };
  }
}

export function eventOf(
  seq: number,
  index: number,
  of: number,
  data: Record<string, string> = {},
): WireEvent {
  return {
    id: `${INSTANCE}:${seq}.${index}`,
    type: 'workflow.state.changed',
    instance_id: INSTANCE,
    workflow_id: 'delivery',
    seq,
    of,
    at: '2026-03-01T12:00:00.000Z',
    data,
  };
}

function tokenIn({ url = '', headers }: IncomingMessage): string | null {
  const [, token] = /\bstepgate\.token\.([\w.-]+)/.exec(headers['sec-websocket-protocol'] ?? '') ?? [];
  return token ?? new URL(url, 'http://x').searchParams.get('token');
}
