// Callers of a running server, with nothing of ours between them and the wire: fetch and a bare WebSocket.
import { WebSocket } from 'ws';
import type { SharedServer } from '../support/shared-server.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // The wire's own JSON: tests say what they expect of it.
  readonly body: Record<string, unknown>;
}

export interface Caller {
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown, key?: string): Promise<Reply>;
  put(path: string, body: unknown, key?: string): Promise<Reply>;
  /** Everything the socket was sent; `until` waits for the first message that fits. */
  listen(): Promise<Listener>;
}

export interface Listener {
  readonly messages: Message[];
  until(fits: (message: Message) => boolean): Promise<Message>;
  send(message: unknown): void;
  close(): Promise<void>;
}

export type Message = Record<string, unknown> & { readonly type: string };

export async function callerOn(
  server: SharedServer,
  sub: string,
  roles: readonly string[] = [],
  kind: 'human' | 'agent' = 'human',
): Promise<Caller> {
  return callerWith(server, await server.token(sub, roles, kind));
}

export function callerWith(server: SharedServer, token: string): Caller {
  const send = async (method: string, path: string, body?: unknown, key?: string): Promise<Reply> => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const parsed = (await response.json()) as Reply['body']; // every answer of ours is a JSON object
    return { status: response.status, headers: response.headers, body: parsed };
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body = {}, key) => send('POST', path, body, key),
    put: (path, body, key) => send('PUT', path, body, key),
    listen: () => listen(server.ws_url, token),
  };
}

async function listen(url: string, token: string): Promise<Listener> {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  const messages: Message[] = [];
  let look = () => {};
  socket.on('message', (data: Buffer) => {
    messages.push(JSON.parse(data.toString('utf8')) as Message); // the server speaks JSON objects with a type
    look();
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    messages,
    until: (fits) =>
      new Promise((resolve) => {
        look = () => {
          const found = messages.find(fits);
          if (found) resolve(found);
        };
        look();
      }),
    send: (message) => socket.send(JSON.stringify(message)),
    async close() {
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.close();
      await closed;
    },
  };
}

/** Asks again until the answer fits: for what follows the log a moment later. */
export async function eventually<T>(
  ask: () => Promise<T>,
  fits: (answer: T) => boolean,
  patience_ms = 20_000,
): Promise<T> {
  const deadline = Date.now() + patience_ms;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`it never came to that: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Starts an instance and gives its id. */
export async function started(by: Caller, workflow_id: string, more: object = {}): Promise<string> {
  const { status, body } = await by.post('/api/workflows', { workflow_id, ...more });
  if (status !== 201) throw new Error(`not started: ${JSON.stringify(body)}`);
  return String(body.instance_id);
}

export const signal = (by: Caller, id: string, body: object, key?: string): Promise<Reply> =>
  by.post(`/api/workflows/${id}/signal`, body, key);

export interface HistoryItem {
  readonly seq: number;
  readonly action: string;
  readonly signal: { readonly body: { readonly data?: { readonly n?: number; readonly key?: string } } };
  readonly events: readonly { readonly id: string; readonly type: string; readonly data: object }[];
}

/** The whole trail, page by page. */
export async function historyOf(by: Caller, id: string): Promise<HistoryItem[]> {
  const items: HistoryItem[] = [];
  for (let after: string | null = '0'; after !== null; ) {
    const { body } = await by.get(`/api/workflows/${id}/history?after=${after}&limit=100`);
    items.push(...(body.items as HistoryItem[])); // as the wire gives it
    after = body.next as string | null; // likewise
  }
  return items;
}
