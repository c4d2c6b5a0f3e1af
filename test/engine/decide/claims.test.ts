// Claims: a task taken for the length of a lease, judged by the clock that is handed in.
import { describe, expect, it } from 'vitest';
import { delivery, steps } from '../../support/definitions.ts';
import { agent, BOSS, human, OWNER, play, STRANGER, unmarked } from '../../support/play.ts';

const ann = agent('ann', 'dev');
const ben = agent('ben', 'dev');
const task = steps({ id: 'a', roles: ['dev'], lease_seconds: 60 }, { id: 'b', roles: ['dev'] });
const claimed = () => play(task).as(ann).send('claim', {});

describe('a claim', () => {
  it('sets the lease of the step', () => {
    const game = claimed();
    expect(game.state).toMatchObject({
      claim: { by: 'ann', role: 'dev', at: '2026-03-01T12:00:00.000Z', until: '2026-03-01T12:01:00.000Z' },
    });
    expect(game.told('workflow.task.claimed')).toEqual([
      { task_id: 'i-1', step: 'a', by: 'ann', role: 'dev', lease_until: '2026-03-01T12:01:00.000Z' },
    ]);
  });

  it('may ask for a lease of its own', () => {
    const game = play(task).as(ann).send('claim', { lease_seconds: 5 });
    expect(game.state).toMatchObject({ claim: { until: '2026-03-01T12:00:05.000Z' } });
  });

  it.each([
    ['a second claimer', ben, 'claim', '2026-03-01T12:00:59.999Z', 'already_claimed'],
    ['a second claimer at the end of the lease', ben, 'claim', '2026-03-01T12:01:00.000Z', 'stayed'],
    ['the holder again', ann, 'claim', '2026-03-01T12:00:30.000Z', 'stayed'],
    ['a signal of another', ben, 'signal', '2026-03-01T12:00:59.999Z', 'not_holder'],
    ['a signal of another, once it has run out', ben, 'signal', '2026-03-01T12:01:00.000Z', 'stayed'],
    ['a signal of the holder', ann, 'signal', '2026-03-01T12:00:30.000Z', 'stayed'],
    ['a signal of the holder, once it has run out', ann, 'signal', '2026-03-01T12:05:00.000Z', 'stayed'],
    ['a heartbeat of another', ben, 'heartbeat', '2026-03-01T12:00:30.000Z', 'not_holder'],
    ['a heartbeat too late', ann, 'heartbeat', '2026-03-01T12:01:00.000Z', 'not_holder'],
    ['a release by another', ben, 'release', '2026-03-01T12:00:30.000Z', 'not_holder'],
    ['a release by the holder', ann, 'release', '2026-03-01T12:00:30.000Z', 'stayed'],
    ['a release too late', ann, 'release', '2026-03-01T12:02:00.000Z', 'not_holder'],
  ] as const)('%s', (_, actor, type, at, outcome) => {
    const game = claimed().as(actor).at(at).send(type, {});
    expect(game.outcome).toBe(outcome);
    expect(game.recorded).toBe(false);
  });

  it('is prolonged by a heartbeat', () => {
    const game = claimed().at('2026-03-01T12:00:50.000Z').send('heartbeat', {});
    expect(game.state).toMatchObject({ claim: { by: 'ann', until: '2026-03-01T12:01:50.000Z' } });
    expect(game.as(ben).at('2026-03-01T12:01:20.000Z').send('claim', {}).outcome).toBe('already_claimed');
  });

  it('ends with a release, which assigns the step on a new turn', () => {
    const game = claimed().send('release', { reason: 'Lunch.' });
    expect(game.state).toMatchObject({ claim: null, turn: 2 });
    expect(game.types).toEqual(['workflow.task.released', 'workflow.task.assigned']);
    expect(game.told('workflow.task.released')[0]).toMatchObject({ by: 'ann', reason: 'Lunch.' });
  });

  it('ends with the step', () => {
    const game = claimed().done();
    expect(game.state).toMatchObject({ current_step: 'b', claim: null });
  });

  it.each([
    ['a role that has no part in the step', agent('q', 'architect'), 'role_not_allowed'],
    ['a stranger', STRANGER, 'not_found'],
  ])('is not for %s', (_, actor, outcome) => {
    const game = play(delivery).as(actor).send('claim', {});
    expect(game.outcome).toBe(outcome);
    expect(unmarked(game.state)).toEqual(unmarked(game.before));
  });
});

describe('a heartbeat where silence ends an attempt', () => {
  const working = () =>
    play(steps({ id: 'a', roles: ['dev'], attempts: { max: 2, heartbeat_seconds: 30 } })).as(ann);

  it('needs no claim, and changes nothing', () => {
    const game = working().send('heartbeat', {});
    expect(game.outcome).toBe('stayed');
    expect(unmarked(game.state)).toEqual(unmarked(game.before));
  });

  it('is still the holder’s alone while a lease runs, and no stranger’s ever', () => {
    expect(working().send('claim', {}).as(ben).send('heartbeat', {}).outcome).toBe('not_holder');
    expect(working().as(agent('x', 'qa')).send('heartbeat', {}).outcome).not.toBe('stayed');
  });
});

describe('a claim that ran out and was taken over', () => {
  const takenOver = () => claimed().as(ben).at('2026-03-01T12:01:00.000Z').send('claim', {});

  it("is the new holder's, from the instant it was taken", () => {
    expect(takenOver().state).toMatchObject({
      claim: { by: 'ben', at: '2026-03-01T12:01:00.000Z', until: '2026-03-01T12:02:00.000Z' },
    });
  });

  it.each([
    ['a late signal', 'signal', { action: 'complete_step' }],
    ['a late heartbeat', 'heartbeat', {}],
    ['a late release', 'release', {}],
  ] as const)('refuses %s of the old holder, and the task stays where it is', (_, type, body) => {
    const game = takenOver().as(ann).at('2026-03-01T12:01:59.999Z').send(type, body);
    expect(game.outcome).toBe('not_holder');
    expect(game.state).toBe(game.before);
  });

  it('refuses the old holder a new claim, until the new lease runs out too', () => {
    expect(takenOver().as(ann).at('2026-03-01T12:01:59.999Z').send('claim', {}).outcome).toBe(
      'already_claimed',
    );
    const game = takenOver().as(ann).at('2026-03-01T12:02:00.000Z').send('claim', {});
    expect(game.state).toMatchObject({ claim: { by: 'ann', until: '2026-03-01T12:03:00.000Z' } });
  });

  it('refuses what the old holder says of the turn before, once the new one has given it back', () => {
    const game = takenOver().send('release', {}).as(ann).done({ turn: 1 });
    expect(game.outcome).toBe('stale_turn');
  });
});

describe('while a lease runs, others on the step', () => {
  it('cannot start the work over', () => {
    const held = play(delivery).as(agent('d1', 'developer')).signal({ action: 'CLAIM_TASK' });
    expect(held.as(agent('d2', 'developer')).send('retry', { error: 'Mine!' }).outcome).toBe('not_holder');
    expect(held.as(OWNER).send('retry', { error: 'Start over.' }).outcome).toBe('advanced');
  });

  it("cannot hand in a widget, while the owner's own always counts", () => {
    const step = { id: 'a', roles: ['dev'], criteria: [{ type: 'widget_completed', widget_type: 'list' }] };
    const held = () => play(steps(step)).as(ann).send('claim', {});
    const widget = { widget_type: 'list', items: ['x'] };
    expect(held().as(ben).send('widget', widget).outcome).toBe('not_holder');
    expect(held().send('widget', widget).outcome).toBe('stayed');
    expect(held().as(OWNER).send('widget', widget).outcome).toBe('stayed');
  });
});

describe('the agent a claim is for', () => {
  const pair = steps({ id: 'a', agents: ['scout', 'scribe'] });

  it.each([
    ['an agent whose name the caller holds', agent('s', 'scout'), 'scout', 'scout'],
    ["an agent of the owner's choice", OWNER, 'scribe', 'scribe'],
  ])('is %s', (_, actor, named, kept) => {
    const game = play(pair).as(actor).send('claim', { agent: named });
    expect(game.state).toMatchObject({ claim: { by: actor.sub, agent: kept } });
  });

  it.each([
    ['another agent of the step', agent('s', 'scout'), 'scribe'],
    ['an agent the step does not have', agent('s', 'scout'), 'sleuth'],
    ['an agent the owner made up', OWNER, 'sleuth'],
  ])('is not %s', (_, actor, named) => {
    const game = play(pair).as(actor).send('claim', { agent: named });
    expect([game.outcome, game.recorded]).toEqual(['role_not_allowed', true]);
    expect(unmarked(game.state)).toEqual(unmarked(game.before));
  });

  it('is nobody on a step that names no agents', () => {
    const game = play(task).as(ann).send('claim', { agent: 'anyone' });
    expect(game.state).toMatchObject({ claim: { by: 'ann', agent: null } });
  });
});

describe('role is judged before the turn', () => {
  const lead = agent('lena', 'lead');
  const roles = steps(
    { id: 'a', roles: ['dev'], criteria: [{ type: 'widget_completed', widget_type: 'list' }] },
    { id: 'b', roles: ['lead'] },
  );

  it.each([
    ['a claim', lead, 'claim', { turn: 9 }],
    ['a release', lead, 'release', { turn: 9 }],
    ['a heartbeat', lead, 'heartbeat', { turn: 9 }],
    ['a widget', lead, 'widget', { widget_type: 'list', turn: 9 }],
    ['an answer', human('lars', 'lead'), 'answer', { answers: ['x'], turn: 9 }],
    ['an override', human('lars', 'lead'), 'override', { reason: 'Please.', turn: 9 }],
    ['an approval', human('lars', 'lead'), 'approve', { approved: true, turn: 9 }],
    ['a signal', lead, 'signal', { turn: 9 }],
  ] as const)('of %s', (_, actor, type, body) => {
    const game = play(roles)
      .as(actor)
      .send(type, body as never); // each body fits its type
    expect([game.outcome, game.recorded]).toEqual(['role_not_allowed', true]);
  });

  it.each([
    ['a claim', ann, 'claim', { turn: 9 }],
    ['a release', ann, 'release', { turn: 9 }],
    ['a heartbeat', ben, 'heartbeat', { turn: 9 }],
    ['a widget', OWNER, 'widget', { widget_type: 'list', turn: 9 }],
    ['an answer', OWNER, 'answer', { answers: ['x'], turn: 9 }],
    ['an override', BOSS, 'override', { reason: 'Go on.', turn: 9 }],
  ] as const)('and the turn of %s after it', (_, actor, type, body) => {
    const game = play(roles)
      .as(actor)
      .send(type, body as never); // each body fits its type
    expect([game.outcome, game.recorded]).toEqual(['stale_turn', false]);
  });
});

describe('the claiming transition and a claim are one thing', () => {
  const dev = agent('dev-1', 'developer');

  it('so both come to the same', () => {
    const byClaim = play(delivery).as(dev).send('claim', {});
    const byAction = play(delivery).as(dev).signal({ action: 'CLAIM_TASK' });
    expect(byAction.state).toEqual(byClaim.state);
    expect(byClaim.state).toMatchObject({
      current_step: 'in_progress',
      claim: { by: 'dev-1', until: '2026-03-01T12:10:00.000Z' },
    });
    expect(byClaim.hops).toEqual(['todo → in_progress by CLAIM_TASK as developer']);
  });
});
