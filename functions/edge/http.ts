// An API Gateway HTTP event in, a reply out. Handlers behind this see neither Lambda nor API Gateway.
import type {
  APIGatewayProxyEventV2WithJWTAuthorizer,
  APIGatewayProxyStructuredResultV2,
  Context,
} from 'aws-lambda';
import type { Actor } from '../../shared/engine/index.ts';
import { Fault } from '../../shared/faults.ts';
import { routeKey, type HttpFunction, ROUTES } from '../../shared/routes.ts';
import { actorFrom } from './claims.ts';
import { problemOf } from './problems.ts';
import { logger, observeRequest } from './telemetry.ts';

export interface HttpRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  readonly caller: Actor;
  /** The caller's Idempotency-Key, if there is one. */
  readonly key: string | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Operation = (request: HttpRequest) => Promise<HttpReply>;

export const ok = async (body: Promise<unknown>): Promise<HttpReply> => ({ status: 200, body: await body });
export const text = (type: string, body: string): HttpReply => ({
  status: 200,
  body,
  headers: { 'content-type': `${type}; charset=utf-8` },
});

type HttpEvent = APIGatewayProxyEventV2WithJWTAuthorizer;

/** The handler of one function: its operations, by the names in the table of routes. */
export function http(name: HttpFunction, operations: Readonly<Record<string, Operation>>) {
  const routes = new Map(
    ROUTES.filter((route) => route.function === name).map((route) => {
      const run = operations[route.operation];
      if (!run) throw new Error(`functions/http/${name}.ts has no operation "${route.operation}"`);
      return [routeKey(route), { run, open: route.access === 'public' }];
    }),
  );
  return async (event: HttpEvent, context?: Context): Promise<APIGatewayProxyStructuredResultV2> => {
    const started = performance.now();
    let reply: HttpReply;
    try {
      const route = routes.get(event.routeKey);
      if (!route) throw new Fault('not_found', `There is no ${event.routeKey}.`);
      reply = await route.run(requestOf(event, route.open));
    } catch (error) {
      reply = refusal(error);
    }
    observeRequest({
      route: event.routeKey,
      status: reply.status,
      latency_ms: performance.now() - started,
      request_id: event.requestContext.requestId,
      lambda_request_id: context?.awsRequestId,
    });
    return respond(reply);
  };
}

function requestOf(event: HttpEvent, open: boolean): HttpRequest {
  return {
    path: (event.pathParameters ?? {}) as Record<string, string>, // API Gateway gives every parameter of the route
    query: (event.queryStringParameters ?? {}) as Record<string, string>, // present ones only
    headers: event.headers,
    body: bodyOf(event),
    caller: open ? NOBODY : actorFrom(event.requestContext.authorizer.jwt.claims),
    key: event.headers['idempotency-key'],
  };
}

const NOBODY: Actor = { sub: 'nobody', kind: 'agent', roles: [] };

function bodyOf({ body, isBase64Encoded }: HttpEvent): unknown {
  if (body === undefined || body === '') return {};
  try {
    return JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body) as unknown;
  } catch {
    const issues = [{ path: '(body)', message: 'is not JSON' }];
    throw new Fault('invalid_request', 'The body is not JSON.', { issues });
  }
}

export function refusal(error: unknown): HttpReply {
  const problem = problemOf(error);
  if (problem.status >= 500)
    logger.error('failed', { error: error instanceof Fault ? (error.cause as Error) : (error as Error) }); // for us only
  return {
    status: problem.status,
    body: problem,
    headers: {
      'content-type': 'application/problem+json',
      ...(problem.retryable && problem.status !== 409 ? { 'retry-after': '1' } : {}),
    },
  };
}

export function respond({ status, body, headers = {} }: HttpReply): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}
