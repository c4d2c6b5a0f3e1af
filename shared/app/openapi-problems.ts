// Refusals in the OpenAPI document: one response for each status, with the codes it can carry.
import { FAULT_CODES, type FaultCode } from '../faults.ts';
import { STATUS } from '../problem-status.ts';
import type { JsonSchema } from './openapi-schemas.ts';

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: object }>>;
}
export interface Reference {
  readonly $ref: string;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is not valid; every issue is listed with its path.',
  401: 'There is no valid token.',
  403: 'You may not do this; if it was said to an instance, it is on record.',
  404: 'It does not exist, or is not for you to see.',
  409: 'It does not fit what is there now.',
  413: 'It is too large; nothing was written.',
  422: 'It is not possible here; the answer says what is.',
  429: 'Too many requests; try again later.',
  500: 'Something went wrong on our side.',
  503: 'Not available right now; nothing is lost, try again.',
};

/** Answered before any code of ours runs, so the gateway's own body is possible too. */
const BY_THE_GATEWAY: readonly number[] = [401, 413, 429, 503];
const RETRIED_LATER: readonly number[] = [429, 503];

const problem = (status: number, codes: readonly string[]): Response => ({
  description: TITLES[status] ?? 'It is refused.',
  ...(RETRIED_LATER.includes(status)
    ? { headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } } }
    : {}),
  content: {
    'application/problem+json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Problem' },
          {
            type: 'object',
            properties: { status: { const: status }, code: { type: 'string', enum: [...codes] } },
          },
        ],
      },
    },
    ...(BY_THE_GATEWAY.includes(status)
      ? {
          'application/json': {
            schema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
          },
        }
      : {}),
  },
});

/** Those that any call may meet. */
const ANYWHERE: readonly FaultCode[] = ['too_many_requests', 'unavailable'];
const SHARED: Readonly<Record<number, string>> = {
  401: 'Unauthenticated',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
};

/** components.responses */
export function sharedProblems(): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(SHARED).map(([key, name]) => {
      const status = Number(key);
      const codes = FAULT_CODES.filter((code) => STATUS[code] === status);
      return [name, problem(status, codes.length > 0 ? codes : ['internal_error'])];
    }),
  );
}

/** The refusals of one operation, by status. */
export function problemsOf(
  codes: readonly FaultCode[],
  access: 'caller' | 'public',
): Record<string, Response | Reference> {
  const all = [...codes, ...ANYWHERE, ...(access === 'caller' ? (['unauthenticated'] as const) : [])];
  const statuses = [...new Set([...all.map((code) => STATUS[code]), 500])].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const name = SHARED[status];
      if (name !== undefined) return [status, { $ref: `#/components/responses/${name}` }];
      return [
        status,
        problem(
          status,
          all.filter((code) => STATUS[code] === status),
        ),
      ];
    }),
  );
}
