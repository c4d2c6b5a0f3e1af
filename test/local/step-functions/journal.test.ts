// A runner that is killed between any two of its steps is followed by another that goes on where it was.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../../local/step-functions/journal.ts';
import { wakesAt } from '../../../local/step-functions/execution.ts';
import { readMachine } from '../../../local/step-functions/machine.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { ARN, type Bench, bench, document, INVOKE, newJournal, WITH_TOKEN } from './bench.ts';

const work = (name: string, more: object) => ({
  Type: 'Task',
  Resource: INVOKE,
  Arguments: { FunctionName: name, Payload: { of: name } },
  ...more,
});

/** A function that fails once, a token, a timer, a timeout: everything that can be under way. */
const MACHINE = document('First', {
  First: work('first', {
    Retry: [{ ErrorEquals: ['E'], IntervalSeconds: 3 }],
    Assign: { first: '{% $states.result.Payload %}' },
    Next: 'Hold',
  }),
  Hold: {
    ...work('hold', { Next: 'Pause', TimeoutSeconds: 500 }),
    Resource: WITH_TOKEN,
    Assign: { held: '{% $states.result %}' },
  },
  Pause: { Type: 'Wait', Seconds: 60, Next: 'Late' },
  Late: {
    ...work('late', {
      TimeoutSeconds: 20,
      Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'Last' }],
      Next: 'Last',
    }),
    Resource: WITH_TOKEN,
  },
  Last: work('last', {
    Output: { first: '{% $first %}', held: '{% $held %}', last: '{% $states.result.Payload %}' },
    End: true,
  }),
});

/** Dies at its nth write: before it, or after it has landed. From then on nothing it asks for comes back. */
function mortal(journal: Journal, nth: number, landed: boolean): { journal: Journal; died: () => boolean } {
  let writes = 0;
  let dead = false;
  const never = new Promise<never>(() => {});
  const write = async (how: () => Promise<boolean>): Promise<boolean> => {
    writes++;
    if (dead) return never;
    if (writes !== nth) return how();
    dead = true;
    if (landed) await how();
    return never;
  };
  const dying: Journal = {
    ...journal,
    create: (execution) => write(() => journal.create(execution)),
    write: (execution) => write(() => journal.write(execution)),
  };
  return { journal: dying, died: () => dead };
}

/** Create, retry, first, hold, pause, late, last and the end; that a function has answered may come between. */
const FEWEST_WRITES = 8;
const STEPS = Array.from({ length: 10 }, (_, i) => i + 1);

const once = (): (() => string) => {
  let failed = false;
  return () => {
    if (failed) return 'one';
    failed = true;
    throw Object.assign(new Error('once'), { name: 'E' });
  };
};

describe.each([
  ['before', false],
  ['after', true],
])('killed %s a write of the journal', (_, landed) => {
  it.each(STEPS)('number %i, it goes on and nothing is lost or doubled', async (nth) => {
    const table = `executions-${randomUUID()}`;
    const kept = await newJournal(table);
    const clock = new FakeClock();
    const functions = { first: once(), hold: () => null, late: () => null, last: () => 'two' };
    const { journal, died } = mortal(await newJournal(table), nth, landed);
    const victim = await bench(MACHINE, functions, { journal, clock });
    let heir: Bench | undefined;
    void victim.start();
    const find = () => kept.find(ARN, 'run');

    for (let found = await find(); found === null || found.status === 'RUNNING'; found = await find()) {
      if (died() && !heir) {
        heir = await bench(MACHINE, functions, { journal: kept, clock });
        if (found) await heir.runner.takeUp();
        else await heir.start();
      }
      if (found === null) continue;
      const { phase, state } = found.at;
      const due = phase.kind === 'task' ? state === 'Late' && phase.times_out_at : wakesAt(found);
      if (due && due > clock.now()) clock.advance((due - clock.now()) / 1000);
      if (phase.kind === 'task' && state === 'Hold')
        void (heir ?? victim).runner.endTask('run', phase.id, { output: 'kept' });
    }

    expect(await find()).toMatchObject({
      status: 'SUCCEEDED',
      output: { first: 'one', held: 'kept', last: 'two' },
    });
    // 60 s of pause, 20 s until the timeout, and 3 s before the second try, unless the first was lost with its runner.
    expect([80_000, 83_000]).toContain(clock.now() - Date.parse('2026-03-01T12:00:00.000Z'));
    const times = (name: string) =>
      [...victim.calls, ...(heir?.calls ?? [])].filter((call) => call.name === name).length;
    expect([2, 3]).toContain(times('first'));
    for (const name of ['hold', 'last']) expect([1, 2]).toContain(times(name));
    // Its time may have run out between the death of one runner and the next, before anybody called.
    expect([0, 1, 2]).toContain(times('late'));
    expect(died() || nth > FEWEST_WRITES).toBe(true);
  });
});

it('ends on the definition it began with, whatever was deployed since', async () => {
  const journal = await newJournal();
  const clock = new FakeClock();
  const pause = (Output: string) =>
    document('A', { A: { Type: 'Wait', Seconds: 5, Next: Output }, [Output]: { Type: 'Succeed', Output } });
  const old = readMachine(ARN, pause('old'));
  await journal.keepDefinition(old.version, old.text);
  const before = await bench(old.text, {}, { journal, clock });
  await before.start();
  await before.runner.close();
  const after = await bench(pause('new'), {}, { journal, clock });
  expect(await after.runner.takeUp()).toBe(1);
  await clock.pass(5);
  expect(await after.end()).toEqual({ status: 'SUCCEEDED', output: 'old' });
});

it('a runner whose place another has taken ends nothing and calls nothing', async () => {
  const table = `executions-${randomUUID()}`;
  const clock = new FakeClock();
  const text = document('Hold', {
    Hold: { ...work('hold', { Next: 'Last' }), Resource: WITH_TOKEN },
    Last: work('last', { End: true }),
  });
  const old = await bench(text, {}, { journal: await newJournal(table), clock });
  await old.start();
  const id = await old.taskId();
  const heir = await bench(text, {}, { journal: await newJournal(table), clock });
  await heir.runner.takeUp();
  expect(await heir.runner.endTask('run', id, { output: 'in time' })).toBe(true);
  await heir.end();
  expect(await old.runner.endTask('run', id, { output: 'late' })).toBe(false);
  expect(old.calls.map(({ name }) => name)).toEqual(['hold']);
});

it('a timer that ran out while nobody looked goes off at once', async () => {
  const journal = await newJournal();
  const clock = new FakeClock();
  const text = document('A', { A: { Type: 'Wait', Seconds: 5, Next: 'B' }, B: { Type: 'Succeed' } });
  const before = await bench(text, {}, { journal, clock });
  await before.start();
  await before.runner.close();
  clock.advance(3600);
  const after = await bench(text, {}, { journal, clock });
  await after.runner.takeUp();
  expect(await after.end()).toMatchObject({ status: 'SUCCEEDED' });
});

it('a write that landed although its answer was lost counts as written', async () => {
  const journal = await newJournal();
  const text = document('A', { A: { Type: 'Wait', Seconds: 5, Next: 'B' }, B: { Type: 'Succeed' } });
  const one = await bench(text, {}, { journal });
  await one.start();
  const there = await journal.find(ARN, 'run');
  if (!there) throw new Error('it was started');
  expect(await journal.create(there)).toBe(true);
  expect(await journal.write({ ...there, revision: 2 })).toBe(true);
  expect(await journal.write({ ...there, revision: 2 })).toBe(true);
  expect(await journal.write({ ...there, revision: 4 })).toBe(false);
});
