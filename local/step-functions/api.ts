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

const MOST_INPUT_BYTES = 256 * 1024;
const MOST_LISTED = 1_000;
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;
const STATUSES = ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE'] as const;

const StartInput = z.object({
  stateMachineArn: z.string(),
  name: z.string().optional(),
  input: z.string().default('{}'),
});
const OneInput = z.object({ executionArn: z.string() });
const StopInput = OneInput.extend({ error: z.string().optional(), cause: z.string().optional() });
const ListInput = z.object({
  stateMachineArn: z.string(),
  statusFilter: z.enum(STATUSES).optional(),
  maxResults: z.int().min(0).max(MOST_LISTED).optional(),
  nextToken: z.string().optional(),
});
const TokenInput = z.object({ taskToken: z.string().min(1).max(2048) });
const SuccessInput = TokenInput.extend({ output: z.string() });
const FailureInput = TokenInput.extend({ error: z.string().default(''), cause: z.string().default('') });

/** By the last part of `x-amz-target`. */
export function createApi({ machine, journal, runner }: ApiPorts): ReadonlyMap<string, Operation> {
  const known = (arn: string): void => {
    if (!arn.startsWith('arn:')) throw new ApiError('InvalidArn', `Invalid Arn: '${arn}'`);
    if (arn !== machine.arn)
      throw new ApiError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
  };
  const nameIn = (arn: string): string => {
    if (!arn.startsWith('arn:')) throw new ApiError('InvalidArn', `Invalid Arn: '${arn}'`);
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
      if (Buffer.byteLength(input) > MOST_INPUT_BYTES || jsonIn(input) === undefined)
        throw new ApiError('InvalidExecutionInput', 'Invalid State Machine Execution Input: it is not JSON');
      const started = await runner.start(name, input);
      const execution = started ?? (await journal.find(machine.arn, name));
      const same = execution?.status === 'RUNNING' && execution.input === input;
      if (!execution || (started === null && !same))
        throw new ApiError('ExecutionAlreadyExists', `Execution Already Exists: '${name}'`);
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
      const all = await journal.all(machine.arn);
      const asked = all
        .filter(({ status }) => statusFilter === undefined || status === statusFilter)
        .toSorted((a, b) => b.started_at - a.started_at || (a.name < b.name ? -1 : 1));
      const from = Number(nextToken ?? 0);
      if (!Number.isInteger(from) || from < 0)
        throw new ApiError('InvalidToken', `Invalid Token: '${nextToken}'`);
      const to = from + (maxResults || 100);
      return {
        executions: asked.slice(from, to).map(summary),
        ...(to < asked.length ? { nextToken: String(to) } : {}),
      };
    },
    async SendTaskSuccess(given) {
      const { taskToken, output } = read(SuccessInput, given);
      const value = jsonIn(output);
      if (value === undefined) throw new ApiError('InvalidOutput', 'Invalid Output: it is not JSON');
      return endTask(taskToken, { output: value });
    },
    async SendTaskFailure(given) {
      const { taskToken, error, cause } = read(FailureInput, given);
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
