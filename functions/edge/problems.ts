// Faults as RFC 9457 problem documents.
import { Fault, type FaultCode } from '../../shared/faults.ts';
import { STATUS } from '../../shared/problem-status.ts';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: FaultCode | 'internal_error';
  readonly detail: string;
  readonly retryable: boolean;
  readonly [member: string]: unknown;
}

/** Members of the fault's details stand beside ours, never over them. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof Fault))
    return {
      type: 'urn:stepgate:problem:internal_error',
      title: 'internal error',
      status: 500,
      code: 'internal_error',
      detail: 'Something went wrong on our side. Nothing was acknowledged; the request may be sent again.',
      retryable: true,
    };
  const { code, message, retryable, details } = error;
  return {
    ...details,
    type: `urn:stepgate:problem:${code}`,
    title: code.replaceAll('_', ' '),
    status: STATUS[code],
    code,
    detail: message,
    retryable,
  };
}
