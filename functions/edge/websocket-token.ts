// Who connects: the token of a WebSocket handshake, and the caller as API Gateway hands it on to every later event.
//   WT1  A token may come as a header, as a subprotocol or in the query; the first of these that is there counts.
//   WT2  The context of an authorizer is text only; it is read back by the same file that writes it.
import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import * as z from 'zod';
import type { Actor } from '../../shared/engine/index.ts';
import type { Connection } from '../../shared/ports.ts';

type Headers = Readonly<Record<string, string | undefined>>;

export interface Handshake {
  readonly headers?: Headers | null | undefined;
  readonly queryStringParameters?: Headers | null | undefined;
}

const TOKEN_PROTOCOL = 'stepgate.token.';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export function tokenIn({ headers, queryStringParameters }: Handshake): string | undefined {
  const bearer = /^Bearer\s+(\S+)$/i.exec(header(headers, 'authorization') ?? '')?.[1];
  const offered = protocolsIn(headers).find(carriesToken);
  return (
    bearer ??
    (offered?.startsWith(TOKEN_PROTOCOL) ? offered.slice(TOKEN_PROTOCOL.length) : offered) ??
    queryStringParameters?.token
  );
}

/** A browser that offers subprotocols hangs up unless one of them is chosen: the one that is no token, if there is. */
export function protocolFor({ headers }: Handshake): string | undefined {
  const offered = protocolsIn(headers);
  return offered.find((name) => !carriesToken(name)) ?? offered[0];
}

const carriesToken = (name: string): boolean => name.startsWith(TOKEN_PROTOCOL) || JWT.test(name);

const protocolsIn = (headers: Handshake['headers']): readonly string[] =>
  (header(headers, 'sec-websocket-protocol') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

function header(headers: Handshake['headers'], wanted: string): string | undefined {
  return Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

export const contextOf = (actor: Actor, expires_at: number): Record<string, string> => ({
  sub: actor.sub,
  kind: actor.kind,
  roles: JSON.stringify(actor.roles),
  expires_at: String(expires_at),
});

const Context = z.object({
  sub: z.string().min(1),
  kind: z.enum(['human', 'agent']),
  roles: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.array(z.string())),
  expires_at: z.string().regex(/^\d+$/).transform(Number),
});

/** The caller of a WebSocket event (WT2). */
export function connectionOf(connection_id: string, authorizer: unknown): Connection {
  const { expires_at, ...actor } = Context.parse(authorizer);
  return { connection_id, actor, expires_at };
}

export const policyFor = (
  principalId: string,
  effect: 'Allow' | 'Deny',
  Resource: string,
  context: Record<string, string> = {},
): APIGatewayAuthorizerResult => ({
  principalId,
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: effect, Resource }],
  },
  context,
});
