// Time in the life of an instance: attempts driven by the state machine, on a clock moved by hand.
// Deadlines are in deadlines.test.ts.
import { afterEach, describe, expect, it } from 'vitest';
import { followClocks, forgetClocks } from '../../shared/app/clock-follow.ts';
import { readTold } from '../../shared/app/publish-told.ts';
import { tell } from '../../shared/app/tell.ts';
import { ClockWorld } from '../support/clock-world.ts';
import { agent, human, NOON } from '../support/play.ts';

const OLGA = human('olga');
const team = (...roles: string[]) => agent('team', ...roles);
const coordinator = team('generation-coordinator');
const writer = team('prose-writer');
const checker = team('blueprint-compliance-fast-checker');
const DRAFT = { draft: 'd.md', compliance_echo: 'e.md' };

let world: ClockWorld;
afterEach(() => world.down());

const attempts = async () => {
  const state = (await world.app.log.latest(world.id))?.commit.state;
  const record = state?.steps[3];
  if (!record?.attempts) throw new Error('generation is not at its attempts');
  return { ...record.attempts, turn: record.turn };
};
const wholeSecond = (at: string) => new Date(Math.ceil(Date.parse(at) / 1000) * 1000).toISOString();
const done = (artifacts: object = {}, more: object = {}) => ({ action: 'complete_step', artifacts, ...more });

/** At step 4, its first attempt open. */
async function writing(): Promise<void> {
  world = await ClockWorld.open();
  await begun();
  await world.until('writing', ({ current_step }) => current_step === 'generation');
}

async function begun(): Promise<void> {
  await world.start('generation', OLGA);
  await world.say(coordinator, 'signal', done({ blueprint_path: 'b.md', working_dir: '/w' }));
  await world.say(team('blueprint-validator'), 'signal', done({ constraints_list: 'c.md' }));
  await world.say(team('verification-planner'), 'signal', done({ verification_plan: 'p.md' }));
  await world.say(OLGA, 'approve', { approved: true });
}

/** Until the next attempt has opened. */
async function backedOff(current: number): Promise<void> {
  await world.until(`attempt ${current}`, ({ steps }) => steps[3]?.attempts?.current === current);
  const { opens_at } = await attempts();
  await world.reach(wholeSecond(opens_at));
  await world.until(`attempt ${current} is open`, ({ steps }) => steps[3]?.attempts?.opened_at !== null);
}

/** Signs of life every 100 seconds, so that 600 seconds run out and not the 120 between two of them. */
async function stayAlive(): Promise<void> {
  for (const type of ['heartbeat', 'signal', 'heartbeat', 'heartbeat', 'signal'] as const) {
    await world.timer(world.in(120));
    world.clock.advance(100);
    await world.say(writer, type, {});
  }
}

describe('generation', () => {
  it('attempt 1 fails the check, attempt 2 runs out of time, attempt 3 passes', async () => {
    await writing();
    await world.say(writer, 'signal', done(DRAFT));
    await world.say(checker, 'signal', done({}, { outcome: 'fail', feedback: 'Wrong tense.' }));
    await backedOff(2);
    const { turn: second } = await attempts();
    await stayAlive();
    await world.pass(100);
    await world.until('attempt 2 is over', ({ steps }) => steps[3]?.attempts?.current === 3);
    const late = world.say(writer, 'signal', done(DRAFT, { turn: second }));
    await expect(late).rejects.toMatchObject({ code: 'stale_turn' });
    await backedOff(3);
    await world.say(writer, 'signal', done(DRAFT));
    await world.say(checker, 'signal', done({ fast_compliance_result: 'r.md' }));

    const started = await world.told('workflow.attempt.started');
    expect(started.map(({ attempt, failures }) => [attempt, failures])).toEqual([
      [1, []],
      [2, [{ attempt: 1, result: 'failed', reason: 'Wrong tense.' }]],
      [
        3,
        [
          { attempt: 1, result: 'failed', reason: 'Wrong tense.' },
          { attempt: 2, result: 'timed_out', reason: 'It ran out of time.' },
        ],
      ],
    ]);
    expect(started.map(({ emphasis }) => JSON.stringify(emphasis).slice(1, 9))).toEqual([
      'Follow t',
      'STRICT. ',
      'CRITICAL',
    ]);
    const state = await world.until('validation', ({ current_step }) => current_step === 'full_validation');
    expect(state.steps[3]?.attempts?.history.map(({ result }) => result)).toEqual([
      'failed',
      'timed_out',
      'passed',
    ]);
    // One for all attempts, and one for each time the check was under its deadline.
    await expect.poll(() => world.executions()).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
    expect(await world.app.tokens.of(world.id)).toEqual([]);
    expect(world.clock.timers).toEqual([]);
  });

  it('three silences fail the step, and say what to do', async () => {
    await writing();
    for (const next of [2, 3]) {
      await world.pass(120);
      await backedOff(next);
    }
    await world.pass(120);
    const state = await world.until('the end', ({ status }) => status === 'failed');
    expect(state.last_error).toBe(
      'Step "generation" failed on attempt 3 of 3: Its agent went silent. Mend the cause, then resume from "generation".',
    );
    await expect.poll(() => world.executions()).toEqual(['SUCCEEDED']);
    await world.say(OLGA, 'resume', {});
    await expect.poll(() => world.executions()).toEqual(['RUNNING', 'SUCCEEDED']);
  });

  it('a check that outlasts its deadline ends the attempt', async () => {
    await writing();
    await world.say(writer, 'signal', done(DRAFT));
    await world.pass(30);
    const state = await world.until('attempt 2', ({ steps }) => steps[3]?.attempts?.current === 2);
    expect(state.steps[3]?.attempts?.history).toMatchObject([
      { result: 'timed_out', reason: 'The deadline of 30 s for "fast_compliance_check" has passed.' },
    ]);
  });

  it('time stands still while a person is asked', async () => {
    await writing();
    const questions = [{ question: 'Past or present?', options: ['past', 'present'] }];
    await world.timer(world.in(120));
    world.clock.advance(60);
    await world.say(writer, 'signal', { action: 'need_input', questions });
    await world.timer(world.in(30 * 24 * 3600));
    world.clock.advance(24 * 3600);
    await world.say(OLGA, 'answer', { answers: ['past'] });
    await world.timer(world.in(120));
    expect(await attempts()).toMatchObject({ current: 1, waited_ms: 24 * 3600 * 1000 });
  });
});

describe('cancelling', () => {
  it('stops the execution while an attempt is worked on', async () => {
    await writing();
    await world.timer(world.in(120));
    await world.handedOver();
    await world.say(OLGA, 'cancel', {});
    await expect.poll(() => world.executions()).toEqual(['ABORTED']);
    expect([await world.app.tokens.of(world.id), world.clock.timers]).toEqual([[], []]);
  });

  it('and while the next one is waited for', async () => {
    await writing();
    await world.pass(120);
    await world.until('attempt 2', ({ steps }) => steps[3]?.attempts?.current === 2);
    await world.timer(wholeSecond((await attempts()).opens_at));
    await world.say(OLGA, 'cancel', {});
    await expect.poll(() => world.executions()).toEqual(['ABORTED']);
    expect(world.clock.timers).toEqual([]);
  });
});

describe('the stream', () => {
  it('delivered again, in whole, starts nothing twice and ends nothing', async () => {
    await writing();
    await world.timer(world.in(120));
    for (const _ of [1, 2, 3]) await world.follow(true);
    expect(await world.executions()).toEqual(['RUNNING']);
    await world.pass(120);
    await backedOff(2);
    await world.follow(true);
    await world.pass(120);
    await world.until('attempt 3', ({ steps }) => steps[3]?.attempts?.current === 3);
    expect(await world.executions()).toEqual(['RUNNING']);
    expect(await world.told('workflow.attempt.failed')).toHaveLength(2);
  });

  it('an old commit delivered late leaves a token alone that is kept on a newer one', async () => {
    await writing();
    await world.say(writer, 'signal', done(DRAFT));
    const heartbeats = async () =>
      (await world.app.tokens.of(world.id)).map(({ awaited }) => awaited.heartbeat_seconds);
    await expect.poll(heartbeats).toEqual([null, null]);
    const before = await world.app.tokens.of(world.id);
    const [first] = (await world.log()).filter(({ state }) => state.current_step === 'generation');
    if (!first) throw new Error('there was no attempt');
    const old = { told: readTold(first), commit: first };
    expect(await followClocks(world.app, [old], world.clock.iso)).toEqual([]);
    expect(await world.app.tokens.of(world.id)).toEqual(before);
  });

  it('costs no request for workflows without clocks', async () => {
    world = await ClockWorld.open();
    await world.start('delivery', OLGA);
    const [first] = await world.log();
    if (!first) throw new Error('it was started');
    world.app.sent();
    expect(await followClocks(world.app, [{ told: readTold(first), commit: first }], NOON)).toEqual([]);
    expect(world.app.sent()).toEqual([]);
  });

  it('a record whose instance cannot be followed is named, and the others are followed', async () => {
    await writing();
    const [first] = await world.log();
    if (!first) throw new Error('it was started');
    const told = readTold(first);
    const broken = { told: { ...told, instance_id: 'other', definition: 'unknown' }, commit: first };
    const failed = await followClocks(world.app, [broken, { told, commit: first }], NOON);
    expect(failed.map(({ of }) => of)).toEqual([broken]);
  });
});

describe('no wake-up is lost', () => {
  it('when the state changes after it was asked for and before the token is kept', async () => {
    world = await ClockWorld.open();
    let meddled = false;
    world.before = async ({ op, clock }) => {
      if (op !== 'await' || meddled || !clock.key.startsWith('attempts')) return;
      meddled = true;
      const by = { caller: writer, instance_id: world.id };
      await tell(world.app, { ...by, type: 'signal', body: done(DRAFT) });
    };
    await begun();
    // Nobody follows the log: the execution finds out by itself.
    await expect
      .poll(async () => (await world.app.tokens.of(world.id))[0]?.awaited.heartbeat_seconds)
      .toBe(null);
    expect(meddled).toBe(true);
  });

  it('when a sign of life is in the log but the stream, being late, has not passed it on', async () => {
    await writing();
    await world.timer(world.in(120));
    world.clock.advance(100);
    await tell(world.app, { instance_id: world.id, caller: writer, type: 'heartbeat', body: {} });
    await tell(world.app, { instance_id: world.id, caller: OLGA, type: 'message', body: { text: 'Hurry!' } });
    world.clock.advance(20);
    await expect.poll(() => world.clock.timers).toEqual([world.in(120)]);
    expect(await attempts()).toMatchObject({ current: 1, history: [] });
    world.clock.advance(120);
    await world.until('attempt 2', ({ steps }) => steps[3]?.attempts?.current === 2);
  });

  it('when the time is up in the moment in which the work is handed in, the work counts', async () => {
    await writing();
    world.before = async ({ op, clock }) => {
      if (op !== 'tell' || !clock.key.startsWith('attempts')) return;
      world.before = async () => {};
      await tell(world.app, { instance_id: world.id, caller: writer, type: 'signal', body: done(DRAFT) });
    };
    await world.pass(120);
    const state = await world.until(
      'judging',
      ({ current_step }) => current_step === 'fast_compliance_check',
    );
    await world.timer(world.in(30));
    expect(state.steps[3]?.attempts).toMatchObject({ current: 1, history: [] });
  });
});

describe('Step Functions comes back', () => {
  it('while an attempt waits, and while a back-off runs: both go on, nothing is lost or doubled', async () => {
    await writing();
    await world.timer(world.in(120));
    await world.down();
    world.clock.advance(60);
    expect(await world.up()).toBe(1);
    await world.pass(60);
    await world.until('attempt 2', ({ steps }) => steps[3]?.attempts?.current === 2);
    await world.timer(wholeSecond((await attempts()).opens_at));
    await world.down();
    world.clock.advance(3600);
    expect(await world.up()).toBe(1);
    await world.until('attempt 2 is open', ({ steps }) => steps[3]?.attempts?.opened_at !== null);
    await world.timer(world.in(120));
    expect((await world.told('workflow.attempt.started')).map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(await world.told('workflow.attempt.failed')).toHaveLength(1);
  });
});

it('a deleted instance leaves no token behind, and its execution ends', async () => {
  await writing();
  await world.timer(world.in(120));
  await world.app.log.erase(world.id, Math.ceil(world.clock.now() / 1000) + 3600);
  await forgetClocks(world.app, world.id);
  await expect.poll(() => world.executions()).toEqual(['SUCCEEDED']);
  expect(await world.app.tokens.of(world.id)).toEqual([]);
});
