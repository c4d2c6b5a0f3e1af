// Executions of the state machine, through the Step Functions client.
//   SF1  An execution's name follows from its clock: starting it again, within 90 days, starts nothing.
//   SF2  A token or an execution that is over is an answer, not an error.
import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import { createHash } from 'node:crypto';
import type { ClockId, Executions } from '../ports.ts';
import { asFault } from './sdk-faults.ts';

export function createExecutions(client: SFNClient, stateMachineArn: string): Executions {
  return {
    ...createTaskTokens(client),
    start: (clock) => {
      const request = { stateMachineArn, name: nameOf(clock), input: inputOf(clock) };
      return unless(client.send(new StartExecutionCommand(request)), ExecutionAlreadyExists);
    },
    stop: (clock, cause) => {
      const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${nameOf(clock)}`;
      const request = { executionArn, error: 'Stopped', cause };
      return unless(client.send(new StopExecutionCommand(request)), ExecutionDoesNotExist);
    },
  };
}

/** For whoever has to do with tokens alone: they name their execution themselves. */
export function createTaskTokens(client: SFNClient): Pick<Executions, 'release' | 'beat'> {
  const over = [TaskTimedOut, TaskDoesNotExist, InvalidToken];
  return {
    release: (taskToken) =>
      unless(client.send(new SendTaskSuccessCommand({ taskToken, output: '{}' })), ...over),
    beat: (taskToken) => unless(client.send(new SendTaskHeartbeatCommand({ taskToken })), ...over),
  };
}

/** SF1. At most 80 characters of A–Z a–z 0–9 - _, beginning with something a person recognises. */
function nameOf({ instance_id, key }: ClockId): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([instance_id, key]))
    .digest('hex');
  return `${instance_id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 39)}-${hash.slice(0, 40)}`;
}

/** The same text each time, since a repeated start counts as the same only with the same input. */
const inputOf = ({ instance_id, key }: ClockId): string => JSON.stringify({ instance_id, key });

type Expected = abstract new (...given: never[]) => Error;

/** SF2. */
async function unless(request: Promise<unknown>, ...over: readonly Expected[]): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!over.some((kind) => error instanceof kind)) throw asFault(error);
  }
}
