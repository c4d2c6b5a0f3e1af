// One HTTP event of API Gateway, served as MCP. Stateless: nothing is remembered between requests.
import { createMcpHandler } from '@modelcontextprotocol/server';
import type {
  APIGatewayProxyEventV2WithJWTAuthorizer,
  APIGatewayProxyStructuredResultV2,
  Context,
} from 'aws-lambda';
import type { App } from '../../shared/app/app.ts';
import { actorFrom } from '../edge/claims.ts';
import { refusal, respond } from '../edge/http.ts';
import { logger, observeRequest } from '../edge/telemetry.ts';
import { boundSurface } from './bound/surface.ts';
import { generalSurface } from './general-surface.ts';
import { createServer, type Serving } from './server.ts';

/** As large as what the HTTP routes take. */
const BODY_BYTES = 1024 * 1024;

const ANSWERS = 'application/json, text/event-stream';

type HttpEvent = APIGatewayProxyEventV2WithJWTAuthorizer;
type HttpResult = APIGatewayProxyStructuredResultV2;
export type McpFunction = (event: HttpEvent, context?: Context) => Promise<HttpResult>;

export function createMcpFunction(app: App, observe = observeRequest): McpFunction {
  const { fetch } = createMcpHandler(
    ({ era, authInfo }) => {
      const who = authInfo?.extra as Pick<Serving, 'caller' | 'key' | 'surface'>; // put there below, for every request
      return createServer({ app, ...who, modern: era === 'modern' });
    },
    // A function answers once: a subscription would keep it waiting for ever.
    {
      maxSubscriptions: 0,
      maxRequestBodySize: BODY_BYTES,
      onerror: ({ message }) => logger.warn('mcp', { reason: message.slice(0, 200) }),
    },
  );
  const serve = async (event: HttpEvent): Promise<HttpResult> => {
    const { instance_id } = event.pathParameters ?? {};
    const extra = {
      caller: actorFrom(event.requestContext.authorizer.jwt.claims),
      key: event.headers['idempotency-key'],
      surface: instance_id === undefined ? generalSurface : boundSurface(instance_id),
    };
    const authInfo = { token: '', clientId: extra.caller.sub, scopes: [], extra };
    return resultOf(await fetch(requestOf(event), { authInfo }));
  };
  return async (event, context) => {
    const started = performance.now();
    const result = await serve(event).catch((error: unknown) => respond(refusal(error)));
    observe({
      route: event.routeKey,
      status: result.statusCode ?? 200,
      latency_ms: performance.now() - started,
      request_id: event.requestContext.requestId,
      lambda_request_id: context?.awsRequestId,
    });
    return result;
  };
}

function requestOf({ rawPath, headers, body, isBase64Encoded, requestContext }: HttpEvent): Request {
  const { method } = requestContext.http;
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) given.set(name, value);
  // "Anything" is both of the kinds that older clients have to name.
  if (given.get('accept')?.includes('*/*')) given.set('accept', ANSWERS);
  return new Request(new URL(rawPath, 'https://stepgate.local'), {
    method,
    headers: given,
    ...(method === 'POST' ? { body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8') } : {}),
  });
}

async function resultOf(response: Response): Promise<HttpResult> {
  return {
    statusCode: response.status,
    headers: { ...Object.fromEntries(response.headers), 'cache-control': 'no-store' },
    body: await response.text(),
  };
}
