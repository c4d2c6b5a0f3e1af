// One HTTP call: token, timeout, and tries until it is answered.
//   T1  A write is only ever sent again under the same Idempotency-Key, so that it happens once.
//   T2  A refusal is final unless it says that trying again can help; an expired token is fetched anew once.
import { type Backoff, delayOf, pause } from './backoff.ts';
import { errorOf, recordOf, StepgateError } from './error.ts';

export type Token = string | (() => string | Promise<string>);

export interface Transport {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: Token;
  readonly fetch: typeof fetch;
  readonly timeout_ms: number;
  readonly tries: number;
  readonly backoff: Backoff;
  readonly random: () => number;
  readonly newId: () => string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** For one try, in milliseconds. */
  readonly timeout_ms?: number | undefined;
  /** How often it is sent at most. */
  readonly tries?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Made anew for each call unless given: give your own to make a call safe to repeat across restarts. */
  readonly idempotency_key?: string | undefined;
}

export interface Call extends WriteOptions {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly body?: unknown;
  readonly as?: 'json' | 'text';
}

export const tokenOf = async (token: Token): Promise<string> =>
  typeof token === 'string' ? token : await token();

/** May the same request fare better? Not if it insists on a version that is gone. */
export const isPassing = ({ retryable, code }: StepgateError, body: unknown): boolean =>
  retryable && !(code === 'version_conflict' && recordOf(body)['expected_version'] !== undefined);

/** The type is the caller's word for what the route answers. */
export async function request<T>(transport: Transport, call: Call): Promise<T> {
  const { tries = transport.tries } = call;
  const key = call.method === 'GET' ? undefined : (call.idempotency_key ?? transport.newId());
  let renewed = false;
  for (let tried = 0; ; tried++) {
    try {
      return (await sendOnce(transport, call, key)) as T;
    } catch (error) {
      if (!(error instanceof StepgateError)) throw error;
      const expired = error.status === 401 && !renewed && typeof transport.token === 'function';
      if (expired) {
        renewed = true;
        continue;
      }
      if (!isPassing(error, call.body) || tried + 1 >= tries) throw error;
      const asked = Number(error.details['retry_after']) * 1_000 || 0;
      const own = delayOf(transport.backoff, tried, transport.random());
      await pause(Math.max(own, Math.min(asked, transport.backoff.most_ms)), call.signal);
    }
  }
}

async function sendOnce(transport: Transport, call: Call, key: string | undefined): Promise<unknown> {
  const { method, path, query = {}, body, as = 'json' } = call;
  const url = new URL(`${transport.url}${path}`);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const headers: Record<string, string> = { authorization: `Bearer ${await tokenOf(transport.token)}` };
  if (as === 'text') headers['accept'] = 'text/plain, application/problem+json';
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (key !== undefined) headers['idempotency-key'] = key;
  const written = body === undefined ? {} : { body: JSON.stringify(body) }; // what cannot be written is the caller's error
  const late = AbortSignal.timeout(call.timeout_ms ?? transport.timeout_ms);
  const signal = call.signal ? AbortSignal.any([call.signal, late]) : late;
  try {
    const response = await transport.fetch(url, {
      method,
      headers,
      signal,
      ...written,
    });
    const text = await response.text();
    if (response.ok && as === 'text') return text;
    const parsed = parse(text);
    if (response.ok && parsed !== undefined) return parsed;
    throw refusalOf(response, parsed);
  } catch (error) {
    if (error instanceof StepgateError) throw error;
    call.signal?.throwIfAborted();
    throw unansweredBy(`${method} ${path}`, error, late.aborted);
  }
}

function refusalOf(response: Response, body: unknown): StepgateError {
  if (response.ok)
    return new StepgateError(response.status, 'unexpected_answer', 'The server did not answer in JSON.');
  const retry_after = response.headers.get('retry-after');
  return errorOf(response.status, { ...recordOf(body), ...(retry_after ? { retry_after } : {}) });
}

function unansweredBy(what: string, cause: unknown, late: boolean): StepgateError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return late
    ? new StepgateError(0, 'timeout', `${what} was not answered in time.`, { retryable: true, cause })
    : new StepgateError(0, 'unreachable', `${what} did not reach the server: ${reason}`, {
        retryable: true,
        cause,
      });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
