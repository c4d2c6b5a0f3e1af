// A request as an HTTP API hands it to a function: payload format 2.0.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
import type { FlatClaims } from './flatten-claims.ts';
import { gatewayTime } from './gateway-time.ts';
import { readHeaders } from './headers.ts';

export type HttpEvent = Omit<APIGatewayProxyEventV2WithJWTAuthorizer, 'requestContext'> & {
  readonly requestContext: Omit<APIGatewayProxyEventV2WithJWTAuthorizer['requestContext'], 'authorizer'> & {
    readonly authorizer?: { readonly jwt: { readonly claims: FlatClaims; readonly scopes: null } };
  };
};

export interface Matched {
  readonly route_key: string;
  readonly path: string;
  readonly query: string;
  readonly params: Readonly<Record<string, string | undefined>>;
}

export function httpEvent(
  request: IncomingMessage,
  { route_key, path, query, params }: Matched,
  claims: FlatClaims | undefined,
  body: Buffer,
  now: number,
): HttpEvent {
  const { headers, cookies } = readHeaders(request.rawHeaders);
  const sourceIp = request.socket.remoteAddress ?? '127.0.0.1';
  headers['x-forwarded-for'] ??= sourceIp;
  headers['x-forwarded-proto'] ??= 'http';
  headers['x-forwarded-port'] ??= String(request.socket.localPort ?? '');
  const isText = isTextBody(headers);
  return {
    version: '2.0',
    routeKey: route_key,
    rawPath: path,
    rawQueryString: query,
    ...(cookies.length > 0 ? { cookies } : {}),
    headers,
    ...(query === '' ? {} : { queryStringParameters: readQuery(query) }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      ...(claims === undefined ? {} : { authorizer: { jwt: { claims, scopes: null } } }),
      domainName: headers['host'] ?? 'localhost',
      domainPrefix: 'local',
      http: {
        method: request.method ?? 'GET',
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: route_key,
      stage: '$default',
      time: gatewayTime(now),
      timeEpoch: now,
    },
    ...(Object.keys(params).length > 0 ? { pathParameters: { ...params } } : {}),
    ...(body.length > 0 ? { body: body.toString(isText ? 'utf8' : 'base64') } : {}),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Several values of one name are joined by commas. */
export function readQuery(query: string): Record<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = found.get(name);
    found.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(found);
}

const TEXT = /^(?:text\/|application\/(?:json|javascript|xml)\b|[^;]+\+(?:json|xml)\b)/i;

function isTextBody(headers: Readonly<Record<string, string>>): boolean {
  const encoding = headers['content-encoding'];
  return (
    (encoding === undefined || encoding === 'identity') && TEXT.test(headers['content-type'] ?? 'text/plain')
  );
}
