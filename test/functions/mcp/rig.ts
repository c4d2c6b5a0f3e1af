// The MCP function on a real store, reached by the official client: each HTTP request becomes the event that API
// Gateway would make of it.
import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
import { createMcpFunction } from '../../../functions/mcp/serve.ts';
import { project } from '../../../shared/app/project.ts';
import type { Actor } from '../../../shared/engine/index.ts';
import { appOn, type TestApp } from '../../support/app.ts';
import { type FreshTables, freshTables, STORE_KINDS } from '../../support/stores.ts';

export type Era = 'legacy' | 'auto';

export interface Caller {
  readonly client: Client;
  /** What a tool gave, as structured content. */
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** What a tool refused with. */
  refusal(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  tools(): Promise<readonly string[]>;
}

export interface Rig {
  readonly app: TestApp;
  readonly tables: FreshTables;
  as(
    actor: Actor,
    options?: { to?: string; era?: Era; fill?: (message: string) => ElicitResult },
  ): Promise<Caller>;
  /** A bare HTTP request, for what no client would send. */
  raw(actor: Actor, body: string | null, path?: string, more?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Rigs on the same tables are processes of their own. */
export async function startRig(
  more: Readonly<Record<string, unknown>> = {},
  shared?: FreshTables,
): Promise<Rig> {
  const [kind] = STORE_KINDS;
  if (kind === undefined) throw new Error('No store runs here.');
  const tables = shared ?? (await freshTables(kind));
  const app = appOn(tables, more);
  const run = createMcpFunction(app, () => {});
  const clients: Client[] = [];
  const fetchAs =
    (actor: Actor) =>
    async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
      const result = await run(eventOf(actor, new Request(url, init), await textOf(init.body)));
      const empty = result.statusCode === 202 || result.statusCode === 204;
      return new Response(empty ? null : (result.body ?? ''), {
        status: result.statusCode ?? 200,
        headers: result.headers as Record<string, string>, // ours are texts
      });
    };
  return {
    app,
    tables,
    as: async (actor, { to, era = 'auto', fill } = {}) => {
      const client = new Client(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: era }, capabilities: fill ? { elicitation: { form: {} } } : {} },
      );
      if (fill) client.setRequestHandler('elicitation/create', ({ params }) => fill(params.message));
      const url = new URL(to === undefined ? 'http://mcp.test/mcp' : `http://mcp.test/mcp/${to}`);
      await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetchAs(actor) }));
      clients.push(client);
      return callerOf(client);
    },
    raw: (actor, body, path = '/mcp', { headers = {}, ...more } = {}) =>
      fetchAs(actor)(`http://mcp.test${path}`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(headers as Record<string, string>), // tests give plain ones
        },
        ...more,
      }),
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
      app.client.destroy();
    },
  };
}

/** What the stream does a moment later: the lists know of it. */
export async function listed({ app }: Rig, instance_id: string): Promise<void> {
  const latest = await app.log.latest(instance_id);
  if (latest) await project(app, latest.commit.state);
}

export function callerOf(client: Client): Caller {
  const result = async (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args });
  return {
    client,
    call: async (name, args = {}) => {
      const { isError, structuredContent } = await result(name, args);
      if (isError) throw new Error(`${name} was refused: ${JSON.stringify(structuredContent)}`);
      return structuredContent as Record<string, unknown>; // ours are objects
    },
    refusal: async (name, args = {}) => {
      const { isError, structuredContent } = await result(name, args);
      if (!isError) throw new Error(`${name} was not refused: ${JSON.stringify(structuredContent)}`);
      return structuredContent as Record<string, unknown>; // likewise
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

const textOf = async (body: RequestInit['body']): Promise<string | undefined> =>
  body === undefined || body === null ? undefined : new Response(body).text();

function eventOf(
  actor: Actor,
  { method, url, headers }: Request,
  body: string | undefined,
): APIGatewayProxyEventV2WithJWTAuthorizer {
  const { pathname } = new URL(url);
  const [, , instance_id] = pathname.split('/');
  const routeKey = `${method} ${instance_id === undefined ? '/mcp' : '/mcp/{instance_id}'}`;
  const claims = { sub: actor.sub, kind: actor.kind, roles: `[${actor.roles.join(' ')}]` };
  return {
    version: '2.0',
    routeKey,
    rawPath: pathname,
    rawQueryString: '',
    headers: Object.fromEntries(headers),
    ...(instance_id === undefined
      ? {}
      : { pathParameters: { instance_id: decodeURIComponent(instance_id) } }),
    requestContext: {
      accountId: '0',
      apiId: 'test',
      authorizer: { principalId: '', integrationLatency: 0, jwt: { claims, scopes: [] } },
      domainName: 'mcp.test',
      domainPrefix: 'mcp',
      http: { method, path: pathname, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: 'r',
      routeKey,
      stage: '$default',
      time: '',
      timeEpoch: 0,
    },
    ...(body === undefined ? {} : { body }),
    isBase64Encoded: false,
  };
}
