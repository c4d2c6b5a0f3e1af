// What goes wrong in a state, with the names that the Amazon States Language gives it, and which names stand for which.

export class StateError extends Error {
  override readonly name = 'StateError';
  readonly error: string;
  readonly cause_text: string;

  constructor(error: string, cause: string) {
    super(`${error}: ${cause}`);
    this.error = error;
    this.cause_text = cause;
  }
}

export const TIMEOUT = 'States.Timeout';
export const HEARTBEAT_TIMEOUT = 'States.HeartbeatTimeout';
export const QUERY_EVALUATION = 'States.QueryEvaluationError';
export const NO_CHOICE = 'States.NoChoiceMatched';
/** Taken only where it is named. */
const DATA_LIMIT = 'States.DataLimitExceeded';
/** Nothing catches it: the execution has failed. */
export const RUNTIME = 'States.Runtime';

export const ALL = 'States.ALL';
const TASK_FAILED = 'States.TaskFailed';

/** Does a retrier or catcher with these names take this error? A lost heartbeat is a kind of timeout. */
export function isMeant(names: readonly string[], error: string): boolean {
  if (error === RUNTIME) return false;
  if (error === DATA_LIMIT) return names.includes(error);
  const timeout = error === TIMEOUT || error === HEARTBEAT_TIMEOUT;
  return names.some(
    (name) =>
      name === ALL ||
      name === error ||
      (name === TASK_FAILED && !timeout) ||
      (name === TIMEOUT && error === HEARTBEAT_TIMEOUT),
  );
}

const MOST_BYTES = 256 * 1024;

/** What goes from state to state, and to functions, has a limit. Throws a StateError. */
export function inBounds<T>(data: T, what: string): T {
  if (Buffer.byteLength(JSON.stringify(data)) <= MOST_BYTES) return data;
  throw new StateError(DATA_LIMIT, `${what} is longer than ${MOST_BYTES} bytes.`);
}

/** What a function threw, as Lambda tells it: the error's name, and the rest as JSON in the cause. */
export function thrown(error: unknown): StateError {
  if (error instanceof StateError) return error;
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const trace = stack.split('\n').slice(1, 6);
  return new StateError(name, JSON.stringify({ errorType: name, errorMessage: message, trace }));
}
