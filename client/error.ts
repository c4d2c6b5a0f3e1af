// The one error this client throws on purpose: a refusal by the server, or a server that could not be reached.
import type { FaultCode } from '../shared/faults.ts';

/** The server's codes, and the client's own: it was not reached, did not answer in time, or answered nonsense. */
export type ErrorCode =
  | FaultCode
  | 'internal_error'
  | 'unreachable'
  | 'timeout'
  | 'unexpected_answer'
  | 'closed';

export class StepgateError extends Error {
  override readonly name = 'StepgateError';
  /** 0 if there was no answer. */
  readonly status: number;
  readonly code: ErrorCode;
  /** The problem document's other members: issues, allowed_actions, current_step … */
  readonly details: Readonly<Record<string, unknown>>;
  /** Would the same request, sent again, have a chance? */
  readonly retryable: boolean;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    { details = {}, retryable = false, cause }: ErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryable = retryable;
  }
}

interface ErrorOptions {
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** What a status means where no code comes with it, and which status a code has where no status does. */
const CODES: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ['invalid_request'],
  401: ['unauthenticated'],
  403: ['role_not_allowed', 'human_required', 'self_approval'],
  404: ['not_found'],
  413: ['state_too_large'],
  422: ['invalid_transition', 'invalid_definition'],
  429: ['too_many_requests'],
  500: ['internal_error'],
  502: ['unavailable'],
  503: ['unavailable'],
  504: ['unavailable'],
};

/** The codes that are not listed are all conflicts. */
export function statusOf(code: unknown): number {
  const [status] = Object.entries(CODES).find(([, codes]) => codes.some((known) => known === code)) ?? [409];
  return code === 'unavailable' ? 503 : Number(status);
}

/** From a problem document, or whatever a gateway in between answered instead. */
export function errorOf(status: number, body: unknown): StepgateError {
  const {
    type: _type,
    title,
    status: _status,
    detail,
    code,
    message,
    retryable,
    ...details
  } = recordOf(body);
  const known = typeof code === 'string' ? (code as ErrorCode) : CODES[status]?.[0]; // the server's list is closed
  const said = [detail, message, title].find((text) => typeof text === 'string' && text !== '');
  return new StepgateError(
    status,
    known ?? 'unexpected_answer',
    typeof said === 'string' ? said : `The server answered ${status}.`,
    {
      details,
      retryable:
        typeof retryable === 'boolean'
          ? retryable
          : status === 429 || status >= 500 || code === 'version_conflict',
    },
  );
}

export const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
