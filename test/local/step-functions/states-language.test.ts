// Small documents in the Amazon States Language. What is expected is what the language's specification says.
import { describe, expect, it } from 'vitest';
import { readMachine } from '../../../local/step-functions/machine.ts';
import { ARN, bench, document, INVOKE, WITH_TOKEN } from './bench.ts';

const call = (more: Record<string, unknown> = {}) => ({
  Type: 'Task',
  Resource: INVOKE,
  Arguments: { FunctionName: 'work', Payload: { n: 1 } },
  End: true,
  ...more,
});
const held = (more: Record<string, unknown> = {}) => ({ ...call(), Resource: WITH_TOKEN, ...more });
const failing =
  (name: string, message = 'no') =>
  () => {
    throw Object.assign(new Error(message), { name });
  };
const to = (Next: string) => ({ Next, End: undefined });
const got = (what: string) => ({
  Type: 'Pass',
  Output: { got: what, error: '{% $states.input %}' },
  End: true,
});

describe('Pass, Succeed and Fail', () => {
  it('hand on their input, unless they name an output', async () => {
    const one = await bench(
      document('A', {
        A: { Type: 'Pass', Next: 'B' },
        B: {
          Type: 'Pass',
          Output: { twice: '{% $states.input.n * 2 %}', plain: 'as it is', list: [1, '{% 1+1 %}'] },
          Next: 'C',
        },
        C: { Type: 'Succeed' },
      }),
    );
    await one.start({ n: 21 });
    expect(await one.end()).toEqual({
      status: 'SUCCEEDED',
      output: { twice: 42, plain: 'as it is', list: [1, 2] },
    });
  });

  it('assign variables that later states see, and the same state does not', async () => {
    const one = await bench(
      document('A', {
        A: { Type: 'Pass', Assign: { x: 1 }, Next: 'B' },
        B: { Type: 'Pass', Assign: { x: '{% $x + 1 %}' }, Output: '{% $x %}', Next: 'C' },
        C: { Type: 'Succeed', Output: { before: '{% $states.input %}', after: '{% $x %}' } },
      }),
    );
    await one.start();
    expect(await one.end()).toEqual({ status: 'SUCCEEDED', output: { before: 1, after: 2 } });
  });

  it('Fail ends it with an error and a cause', async () => {
    const one = await bench(
      document('A', {
        A: { Type: 'Fail', Error: 'Mine', Cause: "{% 'because of ' & $states.input.what %}" },
      }),
    );
    await one.start({ what: 'that' });
    expect(await one.end()).toEqual({ status: 'FAILED', error: 'Mine', cause: 'because of that' });
  });
});

describe('Choice', () => {
  const choice = (Default?: string) =>
    document('A', {
      A: {
        Type: 'Choice',
        Choices: [
          { Condition: '{% $states.input.n > 10 %}', Next: 'Many', Output: { n: 'many' } },
          { Condition: '{% $states.input.n > 5 %}', Next: 'Some', Assign: { kept: '{% $states.input.n %}' } },
        ],
        ...(Default ? { Default } : {}),
      },
      Many: { Type: 'Succeed' },
      Some: { Type: 'Succeed', Output: '{% $kept %}' },
      Few: { Type: 'Succeed', Output: 'few' },
    });

  it.each([
    ['the first rule that holds', 11, { n: 'many' }],
    ['a later one', 6, 6],
    ['the default where none holds', 1, 'few'],
  ])('takes %s', async (_, n, output) => {
    const one = await bench(choice('Few'));
    await one.start({ n });
    expect(await one.end()).toEqual({ status: 'SUCCEEDED', output });
  });

  it('without a rule that holds and without a default has failed', async () => {
    const one = await bench(choice());
    await one.start({ n: 1 });
    expect(await one.end()).toMatchObject({ status: 'FAILED', error: 'States.NoChoiceMatched' });
  });
});

describe('Wait', () => {
  it.each([
    ['seconds', { Seconds: 90 }, 90],
    ['computed seconds', { Seconds: '{% $states.input.s %}' }, 30],
    ['until an instant', { Timestamp: '2026-03-01T12:10:00Z' }, 600],
    ['until a computed instant', { Timestamp: '{% $states.input.at %}' }, 1],
  ])('%s', async (_, wait, seconds) => {
    const one = await bench(
      document('A', { A: { Type: 'Wait', ...wait, Next: 'B' }, B: { Type: 'Succeed' } }),
    );
    const input = { s: 30, at: '2026-03-01T12:00:01.000Z' };
    await one.start(input);
    await one.clock.pass(seconds);
    expect(await one.end()).toEqual({ status: 'SUCCEEDED', output: input });
  });
});

it.each(['2026-03-01', 'March 1, 2026', '2026-03-01T12:00:00'])(
  'waiting until "%s", which is no instant, fails',
  async (Timestamp) => {
    const one = await bench(
      document('A', {
        A: { Type: 'Wait', Timestamp: `{% '${Timestamp}' %}`, Next: 'B' },
        B: { Type: 'Succeed' },
      }),
    );
    await one.start();
    expect(await one.end()).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
  },
);

describe('Task', () => {
  it('calls the function with its arguments; its output is the result, with the payload in it', async () => {
    const one = await bench(
      document('A', {
        A: call({
          Arguments: {
            FunctionName: 'work',
            Payload: {
              id: '{% $states.context.Execution.Input.id %}',
              state: '{% $states.context.State.Name %}',
            },
          },
          Assign: { answer: '{% $states.result.Payload.ok %}' },
          ...to('B'),
        }),
        B: {
          Type: 'Succeed',
          Output: {
            all: '{% $states.input.Payload %}',
            status: '{% $states.input.StatusCode %}',
            answer: '{% $answer %}',
          },
        },
      }),
      { work: () => ({ ok: 'yes' }) },
    );
    await one.start({ id: 7 });
    expect(await one.end()).toEqual({
      status: 'SUCCEEDED',
      output: { all: { ok: 'yes' }, status: 200, answer: 'yes' },
    });
    expect(one.calls).toEqual([{ name: 'work', payload: { id: 7, state: 'A' } }]);
  });

  it('that throws has failed with the name of what was thrown', async () => {
    const one = await bench(document('A', { A: call() }), { work: failing('Broken', 'in two') });
    await one.start();
    const end = await one.end();
    expect(end).toMatchObject({ status: 'FAILED', error: 'Broken' });
    expect(JSON.parse(end.cause ?? '')).toMatchObject({ errorType: 'Broken', errorMessage: 'in two' });
  });

  it('with a token waits until it comes back, whatever its function answered', async () => {
    const one = await bench(
      document('A', {
        A: held({
          Arguments: { FunctionName: 'work', Payload: { token: '{% $states.context.Task.Token %}' } },
        }),
      }),
    );
    await one.start();
    const token = await one.token();
    await expect.poll(() => one.calls).toEqual([{ name: 'work', payload: { token } }]);
    expect(await one.runner.endTask('run', await one.taskId(), { output: { done: true } })).toBe(true);
    expect(await one.end()).toEqual({ status: 'SUCCEEDED', output: { done: true } });
  });

  it('whose token is given back as failed has failed', async () => {
    const one = await bench(document('A', { A: held() }));
    await one.start();
    await one.runner.endTask('run', await one.taskId(), { error: 'Theirs', cause: 'so they say' });
    expect(await one.end()).toEqual({ status: 'FAILED', error: 'Theirs', cause: 'so they say' });
  });

  it.each([
    ['States.ALL does not catch', 'States.ALL', { status: 'FAILED', error: 'States.DataLimitExceeded' }],
    ['can be caught by its name', 'States.DataLimitExceeded', { status: 'SUCCEEDED', output: 'too long' }],
  ])('whose result is longer than 256 KiB has failed, which %s', async (_, name, expected) => {
    const one = await bench(
      document('A', {
        A: call({ Retry: [], Catch: [{ ErrorEquals: [name], Next: 'B' }] }),
        B: { Type: 'Succeed', Output: 'too long' },
      }),
      { work: () => 'x'.repeat(256 * 1024) },
    );
    await one.start();
    expect(await one.end()).toMatchObject(expected);
  });

  it('with an expression that fails has failed, and can be caught', async () => {
    const one = await bench(
      document('A', {
        A: call({
          Output: '{% $nothing.there %}',
          Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'B' }],
          ...to('B'),
        }),
        B: { Type: 'Succeed', Output: '{% $states.input.Error %}' },
      }),
    );
    await one.start();
    expect(await one.end()).toEqual({ status: 'SUCCEEDED', output: 'States.QueryEvaluationError' });
  });
});

describe('Retry', () => {
  const retried = (...Retry: unknown[]) => document('A', { A: call({ Retry }) });

  it('waits IntervalSeconds, each time BackoffRate times as long, MaxAttempts times', async () => {
    const one = await bench(
      retried({ ErrorEquals: ['E'], IntervalSeconds: 2, BackoffRate: 3, MaxAttempts: 2 }),
      { work: failing('E') },
    );
    await one.start();
    await one.clock.pass(2);
    await one.clock.pass(6);
    expect(await one.end()).toMatchObject({ status: 'FAILED', error: 'E' });
    expect(one.calls).toHaveLength(3);
  });

  it('defaults to 1 second, rate 2, 3 times', async () => {
    const one = await bench(retried({ ErrorEquals: ['States.ALL'] }), { work: failing('E') });
    await one.start();
    for (const seconds of [1, 2, 4]) await one.clock.pass(seconds);
    expect(await one.end()).toMatchObject({ status: 'FAILED' });
    expect(one.calls).toHaveLength(4);
  });

  it('never waits longer than MaxDelaySeconds', async () => {
    const rule = {
      ErrorEquals: ['E'],
      IntervalSeconds: 3,
      BackoffRate: 10,
      MaxAttempts: 3,
      MaxDelaySeconds: 5,
    };
    const one = await bench(retried(rule), { work: failing('E') });
    await one.start();
    for (const seconds of [3, 5, 5]) await one.clock.pass(seconds);
    expect(await one.end()).toMatchObject({ status: 'FAILED' });
  });

  it('with full jitter waits a random part of that', async () => {
    const rule = { ErrorEquals: ['E'], IntervalSeconds: 8, MaxAttempts: 1, JitterStrategy: 'FULL' };
    const one = await bench(retried(rule), { work: failing('E') }, { random: () => 0.25 });
    await one.start();
    await one.clock.pass(2);
    expect(await one.end()).toMatchObject({ status: 'FAILED' });
  });

  it('counts each retrier apart; the first that names the error decides', async () => {
    const errors = ['A', 'B', 'A', 'B'];
    const one = await bench(
      retried(
        { ErrorEquals: ['A'], IntervalSeconds: 1, MaxAttempts: 1 },
        { ErrorEquals: ['States.ALL'], IntervalSeconds: 7, MaxAttempts: 5 },
      ),
      { work: () => failing(errors.shift() ?? 'Z')() },
    );
    await one.start();
    await one.clock.pass(1);
    await one.clock.pass(7);
    expect(await one.end()).toMatchObject({ status: 'FAILED', error: 'A' });
  });

  it('with MaxAttempts 0 does not try again', async () => {
    const one = await bench(
      retried({ ErrorEquals: ['E'], MaxAttempts: 0 }, { ErrorEquals: ['States.ALL'] }),
      { work: failing('E') },
    );
    await one.start();
    expect(await one.end()).toMatchObject({ status: 'FAILED', error: 'E' });
    expect(one.calls).toHaveLength(1);
  });

  it('begins anew when the state is entered again', async () => {
    let calls = 0;
    const one = await bench(
      document('A', {
        A: call({
          Retry: [{ ErrorEquals: ['E'], IntervalSeconds: 1, MaxAttempts: 1 }],
          Catch: [{ ErrorEquals: ['E'], Next: 'B' }],
          ...to('C'),
        }),
        B: { Type: 'Pass', Next: 'A' },
        C: { Type: 'Succeed', Output: '{% $states.input.Payload %}' },
      }),
      { work: () => (++calls < 4 ? failing('E')() : calls) },
    );
    await one.start();
    await one.clock.pass(1);
    await one.clock.pass(1);
    expect(await one.end()).toEqual({ status: 'SUCCEEDED', output: 4 });
  });
});

describe('Catch', () => {
  const caught = (...Catch: unknown[]) =>
    document('A', { A: call({ Catch, ...to('Fine') }), Fine: got('fine'), One: got('one'), Two: got('two') });

  it('goes where the first catcher that names the error says, with the error as input', async () => {
    const one = await bench(
      caught(
        { ErrorEquals: ['X'], Next: 'One' },
        { ErrorEquals: ['Y', 'E'], Next: 'Two' },
        { ErrorEquals: ['States.ALL'], Next: 'One' },
      ),
      { work: failing('E') },
    );
    await one.start();
    expect(await one.end()).toMatchObject({ output: { got: 'two', error: { Error: 'E' } } });
  });

  it('may compute its own output and assign from the error', async () => {
    const one = await bench(
      document('A', {
        A: call({
          Catch: [
            {
              ErrorEquals: ['States.TaskFailed'],
              Next: 'B',
              Output: '{% $states.errorOutput.Error %}',
              Assign: { name: '{% $states.errorOutput.Error %}' },
            },
          ],
        }),
        B: { Type: 'Succeed', Output: ['{% $states.input %}', '{% $name %}'] },
      }),
      { work: failing('E') },
    );
    await one.start();
    expect(await one.end()).toEqual({ status: 'SUCCEEDED', output: ['E', 'E'] });
  });

  it('comes after the retries are used up', async () => {
    const one = await bench(
      document('A', {
        A: call({
          Retry: [{ ErrorEquals: ['E'], MaxAttempts: 1 }],
          Catch: [{ ErrorEquals: ['E'], Next: 'B' }],
        }),
        B: { Type: 'Succeed', Output: 'caught' },
      }),
      { work: failing('E') },
    );
    await one.start();
    await one.clock.pass(1);
    expect(await one.end()).toEqual({ status: 'SUCCEEDED', output: 'caught' });
    expect(one.calls).toHaveLength(2);
  });
});

describe('TimeoutSeconds and HeartbeatSeconds', () => {
  const timed = (more: Record<string, unknown>, ...names: string[]) =>
    document('A', {
      A: held({ ...more, Catch: names.map((name) => ({ ErrorEquals: [name], Next: name })), ...to('Fine') }),
      Fine: got('fine'),
      ...Object.fromEntries(names.map((name) => [name, got(name)])),
    });

  it('a task that runs longer has States.Timeout', async () => {
    const one = await bench(
      timed({ TimeoutSeconds: '{% $states.input.s %}' }, 'States.TaskFailed', 'States.Timeout'),
    );
    await one.start({ s: 60 });
    await one.clock.pass(60);
    expect(await one.end()).toMatchObject({
      output: { got: 'States.Timeout', error: { Error: 'States.Timeout' } },
    });
  });

  it('so has a function that does not answer; its late answer changes nothing', async () => {
    let answer: (value: string) => void = () => {};
    const one = await bench(
      document('A', {
        A: call({ TimeoutSeconds: 5, Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }] }),
        B: { Type: 'Wait', Seconds: 10, Next: 'C' },
        C: { Type: 'Succeed', Output: 'on its way' },
      }),
      { work: () => new Promise((resolve) => (answer = resolve)) },
    );
    await one.start();
    await one.clock.pass(5);
    answer('late');
    await one.clock.pass(10);
    expect(await one.end()).toEqual({ status: 'SUCCEEDED', output: 'on its way' });
  });

  it('a task that is silent for too long has States.HeartbeatTimeout', async () => {
    const one = await bench(
      timed({ TimeoutSeconds: 60, HeartbeatSeconds: 10 }, 'States.HeartbeatTimeout', 'States.Timeout'),
    );
    await one.start();
    await one.clock.pass(10);
    expect(await one.end()).toMatchObject({ output: { got: 'States.HeartbeatTimeout' } });
  });

  it('which is a kind of timeout', async () => {
    const one = await bench(timed({ TimeoutSeconds: 60, HeartbeatSeconds: 10 }, 'States.Timeout'));
    await one.start();
    await one.clock.pass(10);
    expect(await one.end()).toMatchObject({ output: { got: 'States.Timeout' } });
  });

  it('each heartbeat gives it as long again, but never past the timeout', async () => {
    const one = await bench(
      timed({ TimeoutSeconds: 25, HeartbeatSeconds: 10 }, 'States.HeartbeatTimeout', 'States.Timeout'),
    );
    await one.start();
    for (const _ of [1, 2]) {
      await one.clock.timerIn(10);
      one.clock.advance(9);
      expect(await one.runner.beat('run', await one.taskId())).toBe(true);
    }
    await one.clock.pass(7);
    expect(await one.end()).toMatchObject({ output: { got: 'States.Timeout' } });
  });

  it('a token that comes back too late is refused', async () => {
    const one = await bench(timed({ TimeoutSeconds: 60 }, 'States.Timeout'));
    await one.start();
    const id = await one.taskId();
    await one.clock.pass(60);
    await one.end();
    expect(await one.runner.endTask('run', id, { output: {} })).toBe(false);
    expect(await one.runner.beat('run', id)).toBe(false);
  });
});

describe('what is not supported', () => {
  const refused =
    (states: Record<string, unknown>, outline: Record<string, unknown> = {}) =>
    () =>
      readMachine(
        ARN,
        JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'A', States: states, ...outline }),
      );

  it.each([
    ['a type', { A: { Type: 'Map', End: true } }, {}, 'State "A": the type "Map" is not supported.'],
    [
      'a field',
      { A: call({ ResultPath: '$.x' }) },
      {},
      'State "A": the field "ResultPath" is not supported.',
    ],
    [
      'a field of a retrier',
      { A: call({ Retry: [{ ErrorEquals: ['E'], Max: 1 }] }) },
      {},
      'State "A", Retry.0: the field "Max" is not supported.',
    ],
    [
      'an integration',
      { A: call({ Resource: 'arn:aws:states:::sqs:sendMessage' }) },
      {},
      '"arn:aws:states:::sqs:sendMessage" is not supported',
    ],
    ['another query language', { A: call() }, { QueryLanguage: 'JSONPath' }, 'only JSONata is supported'],
    [
      'a time limit for the whole',
      { A: call() },
      { TimeoutSeconds: 5 },
      'the field "TimeoutSeconds" is not supported.',
    ],
    [
      'a function that JSONata does not have',
      { A: { Type: 'Pass', Output: '{% $uuid() %}', End: true } },
      {},
      'State "A", Output: the function $uuid is not supported.',
    ],
    [
      'an expression that is none',
      { A: { Type: 'Pass', Output: '{% 1 + %}', End: true } },
      {},
      'is not JSONata',
    ],
    [
      'an expression that is only begun',
      { A: { Type: 'Pass', Output: '{% 1 + 1 ', End: true } },
      {},
      'State "A", Output: an expression begins with "{%" and ends with "%}".',
    ],
    [
      'States.ALL before another rule',
      { A: call({ Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['E'] }] }) },
      {},
      'State "A": "States.ALL" must stand alone, in the last rule.',
    ],
    [
      'States.ALL beside another name',
      { A: call({ Catch: [{ ErrorEquals: ['E', 'States.ALL'], Next: 'A' }] }) },
      {},
      'State "A": "States.ALL" must stand alone, in the last rule.',
    ],
    [
      'a heartbeat that outlasts its task',
      { A: held({ TimeoutSeconds: 5, HeartbeatSeconds: 5 }) },
      {},
      'State "A": "HeartbeatSeconds" must be less than "TimeoutSeconds".',
    ],
    [
      'a variable of a reserved name',
      { A: { Type: 'Pass', Assign: { states: 1 }, End: true } },
      {},
      'State "A", Assign: the variable "states" cannot be assigned.',
    ],
    ['a way to nowhere', { A: { Type: 'Pass', Next: 'B' } }, {}, 'State "A": there is no state "B".'],
    ['a state without a way on', { A: { Type: 'Pass' } }, {}, 'State "A": it needs either "Next" or "End".'],
  ])('%s is refused by its name', (_, states, outline, message) => {
    expect(refused(states, outline)).toThrow(message);
  });
});

it('a loop without an end is ended after 25,000 events', async () => {
  const one = await bench(document('A', { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', Next: 'A' } }));
  await one.start();
  expect(await one.end()).toMatchObject({ status: 'FAILED', error: 'States.Runtime' });
});
