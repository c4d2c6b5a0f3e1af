// The calls of the Step Functions API that we use, with AWS's answers and errors.
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Json } from '../../shared/engine/index.ts';
import { type Execution, executionArn, readToken } from './execution.ts';
import type { Journal } from './journal.ts';
import type { Machine } from './machine.ts';
import type { Runner, TaskEnd } from './runner.ts';

/** An error of the API, by the name that the SDK makes an exception of. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export interface ApiPorts {
  readonly machine: Machine;
  readonly journal: Journal;
  readonly runner: Runner;
}

type Operation = (input: unknown) => Promise<unknown>;

const MOST_DATA_BYTES = 256 * 1024;
const MOST_ERROR = 256;
const MOST_CAUSE = 32_768;
const MOST_LISTED = 1_000;
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;
const STATUSES = ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE'] as const;

const Data = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= MOST_DATA_BYTES, `is longer than ${MOST_DATA_BYTES} bytes`);
const Arn = z.string().min(1).max(256);
const Why = { error: z.string().max(MOST_ERROR).optional(), cause: z.string().max(MOST_CAUSE).optional() };

const StartInput = z.object({
  stateMachineArn: Arn,
  name: z.string().min(1).optional(),
  input: Data.default('{}'),
});
const OneInput = z.object({ executionArn: Arn });
const StopInput = OneInput.extend(Why);
const ListInput = z.object({
  stateMachineArn: Arn,
  statusFilter: z.enum(STATUSES).optional(),
  maxResults: z.int().min(0).max(MOST_LISTED).optional(),
  nextToken: z.string().optional(),
});
const TokenInput = z.object({ taskToken: z.string().min(1).max(2048) });
const SuccessInput = TokenInput.extend({ output: Data });
const FailureInput = TokenInput.extend(Why);

/** Where the page before ended, so that what has been started since moves nothing. */
const Cursor = z.tuple([z.number(), z.string()]);
type Cursor = z.infer<typeof Cursor>;
const cursorOf = ({ started_at, name }: Execution): Cursor => [started_at, name];
/** The newest first. */
const byAge = ([at, name]: Cursor, [other_at, other]: Cursor): number =>
  other_at - at || (name < other ? -1 : Number(name > other));

/** By the last part of `x-amz-target`. */
export function createApi({ machine, journal, runner }: ApiPorts): ReadonlyMap<string, Operation> {
  const known = (arn: string): void => {
    expectArn(arn, 'stateMachine');
    if (arn !== machine.arn)
      throw new ApiError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
  };
  const nameIn = (arn: string): string => {
    expectArn(arn, 'execution');
    const name = arn.slice(arn.lastIndexOf(':') + 1);
    if (arn !== executionArn({ machine: machine.arn, name })) throw missing(arn);
    return name;
  };
  const find = async (arn: string): Promise<Execution> => {
    const found = await journal.find(machine.arn, nameIn(arn));
    if (!found) throw missing(arn);
    return found;
  };
  const taskOf = (token: string): { name: string; id: string } => {
    const parts = readToken(token);
    if (!parts) throw new ApiError('InvalidToken', 'Invalid Token: it was not given out here');
    if (parts.machine !== machine.arn)
      throw new ApiError('TaskDoesNotExist', 'Task Does Not Exist: no such state machine');
    return parts;
  };
  /** A token of an execution that nobody knows never existed; any other that does not count is over. */
  const settled = async (done: boolean, name: string): Promise<object> => {
    if (done) return {};
    if ((await journal.find(machine.arn, name)) === null)
      throw new ApiError('TaskDoesNotExist', 'Task Does Not Exist: no such execution');
    throw new ApiError('TaskTimedOut', "Task Timed Out: 'Provided task does not exist anymore'");
  };
  const endTask = async (token: string, end: TaskEnd): Promise<object> => {
    const { name, id } = taskOf(token);
    return settled(await runner.endTask(name, id, end), name);
  };

  const operations: Readonly<Record<string, Operation>> = {
    async StartExecution(given) {
      const { stateMachineArn, name = randomUUID(), input } = read(StartInput, given);
      known(stateMachineArn);
      if (!NAME.test(name)) throw new ApiError('InvalidName', `Invalid Name: '${name}'`);
      if (jsonIn(input) === undefined)
        throw new ApiError('InvalidExecutionInput', 'Invalid State Machine Execution Input: it is not JSON');
      const started = await runner.start(name, input);
      const execution = started ?? (await journal.find(machine.arn, name));
      const same = execution?.status === 'RUNNING' && execution.input === input;
      if (!execution || (started === null && !same))
        throw new ApiError(
          'ExecutionAlreadyExists',
          `Execution Already Exists: '${executionArn({ machine: machine.arn, name })}'`,
        );
      return { executionArn: executionArn(execution), startDate: seconds(execution.started_at) };
    },
    async DescribeExecution(given) {
      return described(await find(read(OneInput, given).executionArn));
    },
    async StopExecution(given) {
      const { executionArn: arn, error = null, cause = null } = read(StopInput, given);
      const stopped = (await runner.stop(nameIn(arn), error, cause)) ?? (await find(arn));
      return { stopDate: seconds(stopped.status === 'RUNNING' ? stopped.started_at : stopped.stopped_at) };
    },
    async ListExecutions(given) {
      const { stateMachineArn, statusFilter, maxResults, nextToken } = read(ListInput, given);
      known(stateMachineArn);
      const after = nextToken === undefined ? null : cursorIn(nextToken);
      const asked = (await journal.all(machine.arn))
        .filter(({ status }) => statusFilter === undefined || status === statusFilter)
        .filter((one) => after === null || byAge(after, cursorOf(one)) < 0)
        .toSorted((a, b) => byAge(cursorOf(a), cursorOf(b)));
      const page = asked.slice(0, maxResults || 100);
      const last = page.at(-1);
      return {
        executions: page.map(summary),
        ...(last && page.length < asked.length ? { nextToken: encode(cursorOf(last)) } : {}),
      };
    },
    async SendTaskSuccess(given) {
      const { taskToken, output } = read(SuccessInput, given);
      const value = jsonIn(output);
      if (value === undefined) throw new ApiError('InvalidOutput', 'Invalid Output: it is not JSON');
      return endTask(taskToken, { output: value });
    },
    async SendTaskFailure(given) {
      const { taskToken, error = '', cause = '' } = read(FailureInput, given);
      return endTask(taskToken, { error, cause });
    },
    async SendTaskHeartbeat(given) {
      const { name, id } = taskOf(read(TokenInput, given).taskToken);
      return settled(await runner.beat(name, id), name);
    },
  };
  return new Map(Object.entries(operations));
}

const missing = (arn: string) => new ApiError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`);

function expectArn(arn: string, kind: 'stateMachine' | 'execution'): void {
  const [prefix, , service, , , given] = arn.split(':');
  if (prefix !== 'arn' || service !== 'states') throw new ApiError('InvalidArn', `Invalid Arn: '${arn}'`);
  if (given !== kind)
    throw new ApiError('InvalidArn', `Invalid Arn: 'Resource type not valid in this context: ${given}'`);
}

const encode = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url');

function cursorIn(token: string): Cursor {
  const { data } = Cursor.safeParse(jsonIn(Buffer.from(token, 'base64url').toString()));
  if (!data) throw new ApiError('InvalidToken', `Invalid Token: '${token}'`);
  return data;
}

/** The API counts time in seconds. */
const seconds = (at: number): number => at / 1000;

function summary(execution: Execution) {
  return {
    executionArn: executionArn(execution),
    stateMachineArn: execution.machine,
    name: execution.name,
    status: execution.status,
    startDate: seconds(execution.started_at),
    ...(execution.status === 'RUNNING' ? {} : { stopDate: seconds(execution.stopped_at) }),
  };
}

const described = (execution: Execution) => ({
  ...summary(execution),
  input: execution.input,
  inputDetails: { included: true },
  ...(execution.status === 'SUCCEEDED'
    ? { output: JSON.stringify(execution.output), outputDetails: { included: true } }
    : {}),
  ...('error' in execution && execution.error !== null ? { error: execution.error } : {}),
  ...('cause' in execution && execution.cause !== null ? { cause: execution.cause } : {}),
});

function read<T>(schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new ApiError(
    'ValidationException',
    `${issues.length} validation error detected: ${issues.join('; ')}`,
  );
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // whatever it is, it is JSON
  } catch {
    return undefined;
  }
}
