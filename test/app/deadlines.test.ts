// Deadlines of steps that wait for a person, driven by the state machine on a clock moved by hand.
import { afterEach, describe, expect, it } from 'vitest';
import { ClockWorld } from '../support/clock-world.ts';
import { agent, human } from '../support/play.ts';

const OLGA = human('olga');
const team = (...roles: string[]) => agent('team', ...roles);
const done = () => ({ action: 'complete_step' });

let world: ClockWorld;
afterEach(() => world.down());

describe('a deadline', () => {
  const REVIEW = {
    id: 'review',
    steps: [
      {
        id: 'plan',
        agents: ['planner'],
        required: false,
        approval: { allow_self: true },
        deadline: { seconds: 3600, remind_after_seconds: 600, outcome: 'skip' },
        next: { ok: 'publish', skip: 'publish' },
      },
      { id: 'publish', agents: ['planner'] },
    ],
  };

  it('reminds whoever is waited for, once, and then takes its outcome', async () => {
    world = await ClockWorld.open({ review: REVIEW });
    await world.start('review', OLGA);
    await world.follow();
    await world.timer(world.in(600));
    world.clock.advance(300);
    await world.say(team('planner'), 'signal', done());
    await world.pass(600);
    await world.until('reminded', ({ steps }) => steps[0]?.reminded === true);
    expect(await world.told('workflow.reminder')).toEqual([
      { workflow_id: 'review', step: 'plan', status: 'waiting_approval', deadline_seconds: 3600 },
    ]);
    await world.pass(3000);
    const state = await world.until('published', ({ current_step }) => current_step === 'publish');
    expect([state.steps[0]?.status, await world.told('workflow.reminder')]).toMatchObject(['skipped', [{}]]);
    await expect.poll(() => world.executions()).toEqual(['SUCCEEDED']);
  });

  it('reminds of questions that nobody answers, and then takes its outcome', async () => {
    world = await ClockWorld.open({ review: REVIEW });
    await world.start('review', OLGA);
    const questions = [{ question: 'Past or present?', options: ['past', 'present'] }];
    await world.say(team('planner'), 'signal', { action: 'need_input', questions });
    await world.pass(600);
    await world.until('reminded', ({ steps }) => steps[0]?.reminded === true);
    expect(await world.told('workflow.reminder')).toMatchObject([{ step: 'plan', status: 'waiting_input' }]);
    await world.pass(3000);
    const { status, steps } = await world.until(
      'published',
      ({ current_step }) => current_step === 'publish',
    );
    expect([status, steps[0]?.status]).toEqual(['in_progress', 'skipped']);
    await expect(world.say(OLGA, 'answer', { answers: ['past'] })).rejects.toMatchObject({
      code: 'invalid_transition',
    });
  });

  it('is over as soon as the step is left', async () => {
    world = await ClockWorld.open({ review: REVIEW });
    await world.start('review', OLGA);
    await world.follow();
    await world.timer(world.in(600));
    await world.say(team('planner'), 'signal', done());
    await world.say(OLGA, 'approve', { approved: true });
    await expect.poll(() => world.executions()).toEqual(['SUCCEEDED']);
    expect(world.clock.timers).toEqual([]);
  });
});
