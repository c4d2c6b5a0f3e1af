// One HTTP request: matched, authorized, turned into an event, handed to its function, answered.
//   H1  A route that needs a caller is not reached without a verified token.
//   H2  Every answer that is not a function's own is a problem document, and an accident tells nothing of itself.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Claims } from '../../functions/edge/claims.ts';
import type { Verify } from '../../functions/edge/verify-token.ts';
import { Fault } from '../../shared/faults.ts';
import { fileOf, type ServedRoute } from '../../shared/routes.ts';
import { corsHeaders, isPreflight, PREFLIGHT } from './cors.ts';
import { flattenClaims } from './flatten-claims.ts';
import { contextOf, type Resolve } from './handler.ts';
import { httpEvent } from './http-event.ts';
import { refuseForeignPages } from './origin.ts';
import { discardRest, readBody } from './read-body.ts';
import { createRouter } from './router.ts';
import { writeProblem, writeResult } from './write-reply.ts';

const DISCARD_LIMIT = 16 * 1024 * 1024;

export interface HttpOptions {
  readonly routes: readonly ServedRoute[];
  readonly resolve: Resolve;
  readonly verify: Verify;
  readonly body_limit: number;
  readonly now: () => number;
  /** An accident in a function. */
  readonly failed: (what: string, error: unknown) => void;
}

export type ServeHttp = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function createServeHttp(options: HttpOptions): ServeHttp {
  const { routes, resolve, verify, body_limit, now, failed } = options;
  const router = createRouter(routes);
  return async (request, response) => {
    const cors = corsHeaders(request);
    if (isPreflight(request)) return void response.writeHead(204, PREFLIGHT).end();
    const { method = 'GET', url = '/' } = request;
    let name = 'gateway';
    try {
      const found = router(method, url);
      if (found === undefined) throw new Fault('not_found', `There is no ${method} ${pathOf(url)} here.`);
      if (found.route.function === 'mcp') refuseForeignPages(request);
      const claims = found.route.access === 'public' ? undefined : await verify(bearer(request));
      const body = await readBody(request, body_limit);
      name = fileOf(found.route.function);
      const event = httpEvent(request, found, flat(claims), body, now());
      writeResult(response, await resolve(name)(event, contextOf(name)), cors);
    } catch (error) {
      if (!(error instanceof Fault)) failed(name, error);
      await refuse(request, response, error);
    }
  };
}

/** Whoever is still sending would not hear an answer: what is left of the body is read first, within reason. */
async function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
  if (response.headersSent) return void response.destroy();
  const complete = await discardRest(request, DISCARD_LIMIT);
  const cors = corsHeaders(request);
  writeProblem(response, error, complete ? cors : { ...cors, connection: 'close' });
}

const flat = (claims: Claims | undefined) => (claims === undefined ? undefined : flattenClaims(claims));
const pathOf = (url: string): string => url.split('?')[0] ?? '/';

function bearer({ headers: { authorization } }: IncomingMessage): string {
  const [, token] = /^Bearer +(\S+)\s*$/i.exec(authorization ?? '') ?? [];
  if (token === undefined)
    throw new Fault('unauthenticated', 'A token is needed: send the header "Authorization: Bearer <token>".');
  return token;
}
