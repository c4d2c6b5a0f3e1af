// A WebSocket API's events: what its authorizer and its routes' functions receive.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readQuery } from '../http-event.ts';
import { gatewayTime } from '../gateway-time.ts';
import { readSentHeaders } from '../headers.ts';
import { splitTarget } from '../router.ts';

export interface Peer {
  readonly connection_id: string;
  readonly connected_at: number;
  readonly source_ip: string;
  readonly user_agent: string;
  readonly domain_name: string;
}

type EventType = 'CONNECT' | 'MESSAGE' | 'DISCONNECT';

export const METHOD_ARN = 'arn:aws:execute-api:local:000000000000:local/$default/$connect';

const requestContext = (peer: Peer, routeKey: string, eventType: EventType, now: number) => ({
  routeKey,
  eventType,
  messageDirection: 'IN',
  connectionId: peer.connection_id,
  connectedAt: peer.connected_at,
  domainName: peer.domain_name,
  stage: '$default',
  apiId: 'local',
  requestId: randomUUID(),
  extendedRequestId: randomUUID(),
  requestTime: gatewayTime(now),
  requestTimeEpoch: now,
  identity: { sourceIp: peer.source_ip, userAgent: peer.user_agent },
});

/** What was sent with the handshake; null where there is nothing, as API Gateway has it. */
function handshake(request: IncomingMessage) {
  const { query } = splitTarget(request.url ?? '/');
  const all = [...new URLSearchParams(query)];
  return {
    ...readSentHeaders(request.rawHeaders),
    queryStringParameters: all.length > 0 ? Object.fromEntries(all) : null,
    multiValueQueryStringParameters:
      all.length > 0
        ? Object.fromEntries(Object.keys(readQuery(query)).map((name) => [name, valuesOf(all, name)]))
        : null,
  };
}

const valuesOf = (all: readonly (readonly [string, string])[], name: string): string[] =>
  all.filter(([key]) => key === name).map(([, value]) => value);

/** For the REQUEST authorizer of `$connect`. */
export const authorizerEvent = (request: IncomingMessage, peer: Peer, now: number) => ({
  type: 'REQUEST',
  methodArn: METHOD_ARN,
  ...handshake(request),
  stageVariables: null,
  requestContext: requestContext(peer, '$connect', 'CONNECT', now),
});

export const connectEvent = (request: IncomingMessage, peer: Peer, authorizer: object, now: number) => ({
  ...handshake(request),
  requestContext: { ...requestContext(peer, '$connect', 'CONNECT', now), authorizer },
  isBase64Encoded: false,
});

export const messageEvent = (
  peer: Peer,
  routeKey: string,
  body: string,
  authorizer: object,
  now: number,
) => ({
  requestContext: {
    ...requestContext(peer, routeKey, 'MESSAGE', now),
    messageId: randomUUID(),
    authorizer,
  },
  body,
  isBase64Encoded: false,
});

export const disconnectEvent = (
  peer: Peer,
  { code, reason }: { readonly code: number; readonly reason: string },
  authorizer: object,
  now: number,
) => ({
  requestContext: {
    ...requestContext(peer, '$disconnect', 'DISCONNECT', now),
    disconnectStatusCode: code,
    disconnectReason: reason,
    authorizer,
  },
  isBase64Encoded: false,
});
