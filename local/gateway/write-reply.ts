// What a function returned, written as an HTTP API writes it.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { problemOf } from '../../functions/edge/problems.ts';

interface Structured {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

export function writeResult(response: ServerResponse, result: unknown, extra: OutgoingHttpHeaders): void {
  if (!isStructured(result)) {
    const body = typeof result === 'string' ? result : JSON.stringify(result ?? null);
    return send(response, 200, { ...extra, 'content-type': 'application/json' }, Buffer.from(body));
  }
  const headers: OutgoingHttpHeaders = { ...extra };
  for (const [name, value] of Object.entries(result.headers ?? {}))
    headers[name.toLowerCase()] = String(value);
  headers['content-type'] ??= 'text/plain; charset=utf-8';
  if (result.cookies !== undefined && result.cookies.length > 0) headers['set-cookie'] = [...result.cookies];
  send(
    response,
    result.statusCode,
    headers,
    Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8'),
  );
}

/** A refusal of the gateway itself, in the form the functions use; an accident tells nothing about itself. */
export function writeProblem(response: ServerResponse, error: unknown, extra: OutgoingHttpHeaders): void {
  const problem = problemOf(error);
  const headers = {
    ...extra,
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...(problem.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(problem.status === 503 ? { 'retry-after': '1' } : {}),
  };
  send(response, problem.status, headers, Buffer.from(JSON.stringify(problem)));
}

export function writeJson(response: ServerResponse, body: unknown, extra: OutgoingHttpHeaders): void {
  send(response, 200, { ...extra, 'content-type': 'application/json' }, Buffer.from(JSON.stringify(body)));
}

function send(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body: Buffer): void {
  if (response.destroyed) return; // the caller has left
  const empty = status === 204 || status === 304;
  response.writeHead(status, empty ? headers : { ...headers, 'content-length': body.length });
  response.end(empty ? undefined : body);
}

const isStructured = (result: unknown): result is Structured =>
  typeof result === 'object' &&
  result !== null &&
  'statusCode' in result &&
  Number.isInteger(result.statusCode);
