// Executions through the Step Functions client: what counts as done, what is our fault, and how they are named.
import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createExecutions } from '../../shared/store/executions.ts';

const MACHINE = 'arn:aws:states:eu-central-1:111122223333:stateMachine:clocks';
const CLOCK = { instance_id: 'generation-0204-1', key: 'attempts#4#generation' };
const sfn = mockClient(SFNClient);
afterAll(() => sfn.restore());
const executions = createExecutions(new SFNClient({ region: 'local' }), MACHINE);
const fault = { message: 'no', $metadata: {} };

beforeEach(() => void sfn.reset());

const nameFor = async (clock: typeof CLOCK): Promise<string> => {
  sfn.on(StartExecutionCommand).resolves({});
  await executions.start(clock);
  return sfn.commandCalls(StartExecutionCommand).at(-1)?.args[0].input.name ?? '';
};

describe('an execution is named', () => {
  it('the same for the same clock, and within what AWS takes', async () => {
    const name = await nameFor(CLOCK);
    expect(name).toMatch(/^generation-0204-1-[0-9a-f]{40}$/);
    expect(await nameFor({ ...CLOCK })).toBe(name);
  });

  it('otherwise for another instance or another clock, however they are spelt', async () => {
    const ids = ['a', 'a#b', 'ä', 'x'.repeat(200), `${'x'.repeat(199)}y`];
    const names = new Set<string>();
    for (const instance_id of ids)
      for (const key of ['attempts#1#a', 'b#attempts#1#a']) names.add(await nameFor({ instance_id, key }));
    expect(names.size).toBe(10);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,80}$/);
  });

  it('and is stopped by that name', async () => {
    const name = await nameFor(CLOCK);
    sfn.on(StopExecutionCommand).resolves({});
    await executions.stop(CLOCK, 'enough');
    expect(sfn.commandCalls(StopExecutionCommand)[0]?.args[0].input).toMatchObject({
      executionArn: `arn:aws:states:eu-central-1:111122223333:execution:clocks:${name}`,
      cause: 'enough',
    });
  });
});

describe('what is over is as good as done', () => {
  it.each([
    ['a start', StartExecutionCommand, new ExecutionAlreadyExists(fault), () => executions.start(CLOCK)],
    ['a stop', StopExecutionCommand, new ExecutionDoesNotExist(fault), () => executions.stop(CLOCK, '')],
    ['a release', SendTaskSuccessCommand, new TaskTimedOut(fault), () => executions.release('t')],
    [
      'a release of nobody',
      SendTaskSuccessCommand,
      new TaskDoesNotExist(fault),
      () => executions.release('t'),
    ],
    ['a heartbeat', SendTaskHeartbeatCommand, new TaskTimedOut(fault), () => executions.beat('t')],
    ['a heartbeat of none', SendTaskHeartbeatCommand, new InvalidToken(fault), () => executions.beat('t')],
  ] as const)('%s', async (_, command, error, act) => {
    sfn.on(command as typeof StartExecutionCommand).rejects(error);
    await expect(act()).resolves.toBeUndefined();
  });
});

it('anything else may be tried again', async () => {
  const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException', $metadata: {} });
  sfn.on(StartExecutionCommand).rejects(throttled);
  await expect(executions.start(CLOCK)).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});
