// A gateway on a free port with functions of the test's own, and tokens its verifier accepts.
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import type { Claims } from '../../../functions/edge/claims.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../../../local/gateway/gateway.ts';
import type { Handler } from '../../../local/gateway/handler.ts';
import { Fault } from '../../../shared/faults.ts';

export const NOW = Date.parse('2026-03-01T12:00:00.000Z');

/** `Bearer <JSON of the claims>` stands for a token: verifying real ones has tests of its own. */
const verify = async (token: string): Promise<Claims> => {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString()) as Claims; // whatever the test put there
  } catch {
    throw new Fault('unauthenticated', 'The token is not valid.');
  }
};
export const tokenOf = (claims: Claims): string => Buffer.from(JSON.stringify(claims)).toString('base64url');
export const bearer = (claims: Claims = { sub: 'ann' }) => ({ authorization: `Bearer ${tokenOf(claims)}` });

export type Handlers = Readonly<Record<string, Handler>>;

export async function withGateway(
  handlers: Handlers,
  options: Partial<GatewayOptions> = {},
): Promise<Gateway & { readonly failures: unknown[] }> {
  const failures: unknown[] = [];
  const gateway = await startGateway({
    port: 0,
    now: () => NOW,
    verify: () => verify,
    failed: (_what, error) => failures.push(error),
    resolve: (name) => {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`no ${name}`);
      return handler;
    },
    ...options,
  });
  afterAll(() => gateway.stop());
  return { ...gateway, failures };
}

export interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request in which headers and target are sent exactly as given. */
export async function raw(
  origin: string,
  method: string,
  target: string,
  headers: Readonly<Record<string, string | string[]>> = {},
  body?: string | Buffer,
): Promise<Raw> {
  const { hostname, port } = new URL(origin);
  const sent = request({ hostname, port, method, path: target, headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]; // what the event carries
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer); // no encoding is set
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(chunks).toString(),
  };
}

/** An open socket, closed when the test ends. */
export async function connect(
  origin: string,
  target = '/ws',
  { protocols = [], headers = {} }: { protocols?: string[]; headers?: Record<string, string> } = {},
): Promise<WebSocket> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}${target}`, protocols, { headers });
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

/** The status a handshake is refused with. */
export async function refusal(origin: string, target = '/ws'): Promise<number | undefined> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}${target}`);
  socket.on('error', () => {});
  const [, response] = (await once(socket, 'unexpected-response')) as [
    unknown,
    import('node:http').IncomingMessage,
  ]; // what the event carries
  response.resume();
  return response.statusCode;
}
