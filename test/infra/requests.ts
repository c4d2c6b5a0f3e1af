// What AWS hands to functions, made by hand: requests of callers whose tokens were checked, messages over a
// WebSocket, and records of the stream.
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { COMMIT_PREFIX } from '../../shared/names.ts';
import { ROUTES, routeKey } from '../../shared/routes.ts';
import { clientConfig, endpointOf } from '../support/stores.ts';
import type { Deployed } from './deployed.ts';

/** As an HTTP API hands claims on: all of them text. */
export interface Claims {
  readonly sub: string;
  readonly kind: string;
  readonly roles: string;
}

export interface Request {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly key?: string;
}

export type Reply = Readonly<Record<string, unknown>> & { readonly status: number };

/** `route` as in the table: "GET /api/tasks". */
export async function call(
  deployed: Deployed,
  claims: Claims,
  route: string,
  request: Request = {},
): Promise<Reply> {
  const { path = {}, query = {}, body, key } = request;
  const found = ROUTES.find((one) => routeKey(one) === route);
  if (!found) throw new Error(`There is no route ${route}.`);
  const reply = await deployed.invoke(`http-${found.function}`, {
    version: '2.0',
    routeKey: route,
    pathParameters: path,
    queryStringParameters: query,
    headers: key === undefined ? {} : { 'idempotency-key': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    requestContext: { requestId: 'r', authorizer: { jwt: { claims } } },
  });
  const { statusCode, body: text } = reply as { statusCode: number; body: string }; // what API Gateway is answered
  return { ...(JSON.parse(text) as object), status: statusCode };
}

/** A tool of POST /mcp: what it gave, as structured content. */
export async function callTool(
  deployed: Deployed,
  claims: Claims,
  name: string,
  args: object,
): Promise<Readonly<Record<string, unknown>>> {
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const reply = await deployed.invoke('mcp-endpoint', {
    version: '2.0',
    routeKey: 'POST /mcp',
    rawPath: '/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(asked),
    requestContext: { requestId: 'r', http: { method: 'POST' }, authorizer: { jwt: { claims } } },
  });
  const { body } = reply as { body: string }; // what API Gateway is answered
  const [, message = body] = /^data: (.*)$/m.exec(body) ?? [];
  const { result } = JSON.parse(message) as { result: { structuredContent: Record<string, unknown> } }; // JSON-RPC
  return result.structuredContent;
}

/** Every commit there is, as the stream hands it over. */
export async function commitsOf(deployed: Deployed): Promise<{ readonly Records: readonly unknown[] }> {
  const client = new DynamoDBClient(clientConfig(endpointOf('dynoxide')));
  const Records: unknown[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: deployed.tables.table }))
    for (const { pk, sk, ...rest } of Items) {
      if (!pk?.S || !sk?.S?.startsWith(COMMIT_PREFIX)) continue;
      const NewImage = { pk, sk, ...rest };
      Records.push({
        eventName: 'INSERT',
        dynamodb: { Keys: { pk, sk }, NewImage, SequenceNumber: `${pk.S} ${sk.S}` },
      });
    }
  client.destroy();
  return { Records };
}
