// What the AWS SDK throws, turned into our own words at once.
import { Fault } from '../faults.ts';

const THROTTLED: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionInProgressException',
]);

/** Nothing was promised to the caller, so nothing is lost: the same request may be sent again. */
export function asFault(error: unknown): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error;
  if (error.name === 'ValidationException' && /size/i.test(error.message))
    return new Fault('state_too_large', 'The instance has outgrown what one commit can hold.');
  const service = '$metadata' in error || '$fault' in error || THROTTLED.has(error.name);
  const network = 'code' in error || error.name === 'TimeoutError';
  if (!service && !network) return error;
  const fault = new Fault('unavailable', 'The store did not answer in time. Send the same request again.');
  fault.cause = error;
  return fault;
}

export async function orFault<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw asFault(error);
  }
}
