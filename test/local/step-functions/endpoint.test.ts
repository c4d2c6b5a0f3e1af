// The unmodified SFN client against the laptop's Step Functions.
import { randomUUID } from 'node:crypto';
import {
  DescribeExecutionCommand,
  ListExecutionsCommand,
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { afterEach, describe, expect, it } from 'vitest';
import { createApi } from '../../../local/step-functions/api.ts';
import { tokenOf } from '../../../local/step-functions/execution.ts';
import { readMachine } from '../../../local/step-functions/machine.ts';
import { type Endpoint, serveStepFunctions } from '../../../local/step-functions/serve.ts';
import { clientConfig } from '../../support/stores.ts';
import { ARN, type Bench, bench, document, WITH_TOKEN } from './bench.ts';

const MACHINE = document('Hold', {
  Hold: {
    Type: 'Task',
    Resource: WITH_TOKEN,
    Arguments: { FunctionName: 'hold', Payload: { token: '{% $states.context.Task.Token %}' } },
    TimeoutSeconds: 100,
    HeartbeatSeconds: 50,
    End: true,
  },
});

const EXECUTION = 'arn:aws:states:local:000000000000:execution:sample:none';

let endpoint: Endpoint | undefined;
let client: SFNClient | undefined;
afterEach(async () => {
  client?.destroy();
  await endpoint?.close();
});

async function open(): Promise<{
  sfn: SFNClient;
  one: Bench;
  start: (name?: string, input?: string) => Promise<string>;
}> {
  const one = await bench(MACHINE);
  const ports = { machine: readMachine(ARN, MACHINE), journal: one.journal, runner: one.runner };
  endpoint = await serveStepFunctions(createApi(ports));
  const sfn = new SFNClient({ ...clientConfig(endpoint.url), maxAttempts: 1 });
  client = sfn;
  const start = async (name = 'run', input = '{}') =>
    (await sfn.send(new StartExecutionCommand({ stateMachineArn: ARN, name, input }))).executionArn ?? '';
  return { sfn, one, start };
}

describe('StartExecution', () => {
  it('answers with the ARN and the date', async () => {
    const { sfn } = await open();
    const answer = await sfn.send(new StartExecutionCommand({ stateMachineArn: ARN, name: 'run' }));
    expect(answer).toMatchObject({
      executionArn: 'arn:aws:states:local:000000000000:execution:sample:run',
      startDate: new Date('2026-03-01T12:00:00.000Z'),
    });
  });

  it('with the same name and input is the same execution while it runs, and no other ever', async () => {
    const { sfn, one, start } = await open();
    const arn = await start('run', '{"a":1}');
    expect(await start('run', '{"a":1}')).toBe(arn);
    await expect(start('run', '{"a":2}')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
    await sfn.send(new StopExecutionCommand({ executionArn: arn }));
    await expect(start('run', '{"a":1}')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
    expect(one.calls).toHaveLength(1);
  });

  it('at once from many callers starts one', async () => {
    const { one, start } = await open();
    const arns = await Promise.all(Array.from({ length: 8 }, () => start()));
    expect(new Set(arns).size).toBe(1);
    await expect.poll(() => one.calls.length).toBe(1);
  });

  it.each([
    ['a name with a space', { name: 'a b' }, 'InvalidName'],
    ['a name of 81 characters', { name: 'x'.repeat(81) }, 'InvalidName'],
    ['input that is not JSON', { input: '{' }, 'InvalidExecutionInput'],
    ['a machine that is not there', { stateMachineArn: `${ARN}s` }, 'StateMachineDoesNotExist'],
    ['an ARN that is none', { stateMachineArn: 'sample' }, 'InvalidArn'],
    ['the ARN of an execution', { stateMachineArn: EXECUTION }, 'InvalidArn'],
    ['a name of no characters', { name: '' }, 'ValidationException'],
    ['input of more than 256 KiB', { input: `"${'ж'.repeat(128 * 1024)}"` }, 'ValidationException'],
  ])('refuses %s', async (_, input, name) => {
    const { sfn } = await open();
    const command = new StartExecutionCommand({ stateMachineArn: ARN, ...input });
    await expect(sfn.send(command)).rejects.toMatchObject({ name, $fault: 'client' });
  });
});

describe('a task token', () => {
  it('ends its task with an output', async () => {
    const { sfn, one, start } = await open();
    const executionArn = await start();
    await sfn.send(new SendTaskSuccessCommand({ taskToken: await one.token(), output: '{"done":1}' }));
    expect(await sfn.send(new DescribeExecutionCommand({ executionArn }))).toMatchObject({
      status: 'SUCCEEDED',
      output: '{"done":1}',
      name: 'run',
      input: '{}',
      stateMachineArn: ARN,
      stopDate: new Date('2026-03-01T12:00:00.000Z'),
    });
  });

  it('or with a failure', async () => {
    const { sfn, one, start } = await open();
    const executionArn = await start();
    await sfn.send(new SendTaskFailureCommand({ taskToken: await one.token(), error: 'E', cause: 'why' }));
    expect(await sfn.send(new DescribeExecutionCommand({ executionArn }))).toMatchObject({
      status: 'FAILED',
      error: 'E',
      cause: 'why',
    });
  });

  it('keeps it alive', async () => {
    const { sfn, one, start } = await open();
    await start();
    const taskToken = await one.token();
    one.clock.advance(49);
    await sfn.send(new SendTaskHeartbeatCommand({ taskToken }));
    one.clock.advance(49);
    await sfn.send(new SendTaskHeartbeatCommand({ taskToken }));
    one.clock.advance(2);
    expect(await one.end()).toMatchObject({ status: 'FAILED', error: 'States.Timeout' });
    await expect(sfn.send(new SendTaskHeartbeatCommand({ taskToken }))).rejects.toMatchObject({
      name: 'TaskTimedOut',
    });
  });

  it.each([
    ['that is over', (token: string) => token, 'TaskTimedOut'],
    [
      'of an execution that is not there',
      () => tokenOf({ machine: ARN, name: 'other' }, randomUUID()),
      'TaskDoesNotExist',
    ],
    ['that is none', () => 'abc', 'InvalidToken'],
  ])('%s is refused', async (_, make, name) => {
    const { sfn, one, start } = await open();
    await start();
    const token = await one.token();
    await sfn.send(new SendTaskSuccessCommand({ taskToken: token, output: '{}' }));
    const late = new SendTaskSuccessCommand({ taskToken: make(token), output: '{}' });
    await expect(sfn.send(late)).rejects.toMatchObject({ name });
  });

  it('is not ended by more than the API takes', async () => {
    const { sfn, one, start } = await open();
    await start();
    const taskToken = await one.token();
    const refused = { name: 'ValidationException' };
    const output = `"${'x'.repeat(256 * 1024)}"`;
    await expect(sfn.send(new SendTaskSuccessCommand({ taskToken, output }))).rejects.toMatchObject(refused);
    const error = 'x'.repeat(257);
    await expect(sfn.send(new SendTaskFailureCommand({ taskToken, error }))).rejects.toMatchObject(refused);
  });

  it('with an output that is not JSON is refused, and still good', async () => {
    const { sfn, one, start } = await open();
    await start();
    const taskToken = await one.token();
    await expect(sfn.send(new SendTaskSuccessCommand({ taskToken, output: '{' }))).rejects.toMatchObject({
      name: 'InvalidOutput',
    });
    await sfn.send(new SendTaskSuccessCommand({ taskToken, output: '{}' }));
    expect(await one.end()).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('executions', () => {
  it('can be stopped, also twice', async () => {
    const { sfn, start } = await open();
    const executionArn = await start();
    await sfn.send(new StopExecutionCommand({ executionArn, error: 'Cancelled', cause: 'enough' }));
    const { stopDate } = await sfn.send(new StopExecutionCommand({ executionArn }));
    expect(stopDate).toEqual(new Date('2026-03-01T12:00:00.000Z'));
    expect(await sfn.send(new DescribeExecutionCommand({ executionArn }))).toMatchObject({
      status: 'ABORTED',
      error: 'Cancelled',
      cause: 'enough',
    });
  });

  it('are listed, the newest first, by status and in pages', async () => {
    const { sfn, one, start } = await open();
    for (const name of ['a', 'b', 'c']) {
      await start(name);
      one.clock.advance(1);
    }
    const list = (more: object) => sfn.send(new ListExecutionsCommand({ stateMachineArn: ARN, ...more }));
    const names = ({ executions = [] }: Awaited<ReturnType<typeof list>>) =>
      executions.map(({ name }) => name);
    await sfn.send(new StopExecutionCommand({ executionArn: await start('b') }));
    expect(names(await list({}))).toEqual(['c', 'b', 'a']);
    expect(names(await list({ statusFilter: 'ABORTED' }))).toEqual(['b']);
    const first = await list({ maxResults: 2 });
    expect(names(first)).toEqual(['c', 'b']);
    await start('d'); // what comes in between moves no page
    const last = await list({ maxResults: 2, nextToken: first.nextToken });
    expect([names(last), last.nextToken]).toEqual([['a'], undefined]);
    expect((await list({ maxResults: 4 })).nextToken).toBeUndefined();
  });

  it.each([
    ['a token that was not given out', { nextToken: 'abc' }, 'InvalidToken'],
    ['a machine that is not there', { stateMachineArn: `${ARN}s` }, 'StateMachineDoesNotExist'],
    ['more than a thousand at once', { maxResults: 1_001 }, 'ValidationException'],
  ])('are not listed for %s', async (_, more, name) => {
    const { sfn } = await open();
    const command = new ListExecutionsCommand({ stateMachineArn: ARN, ...more });
    await expect(sfn.send(command)).rejects.toMatchObject({ name });
  });

  it('that are not there are said to be so', async () => {
    const { sfn } = await open();
    for (const [executionArn, name] of [
      [EXECUTION, 'ExecutionDoesNotExist'],
      [ARN, 'InvalidArn'],
    ])
      for (const command of [
        new DescribeExecutionCommand({ executionArn }),
        new StopExecutionCommand({ executionArn }),
      ])
        await expect(sfn.send(command as DescribeExecutionCommand)).rejects.toMatchObject({ name });
  });
});

it('a call that is not supported is refused by its name', async () => {
  await open();
  const response = await fetch(endpoint?.url ?? '', {
    method: 'POST',
    headers: { 'x-amz-target': 'AWSStepFunctions.CreateActivity' },
    body: '{}',
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    {
      __type: 'UnknownOperationException',
      message: '"AWSStepFunctions.CreateActivity" is not supported here.',
    },
  ]);
});
