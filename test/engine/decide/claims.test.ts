// Claims: a task taken for the length of a lease, judged by the clock that is handed in.
import { describe, expect, it } from 'vitest';
import { delivery, steps } from '../../support/definitions.ts';
import { agent, play, STRANGER, unmarked } from '../../support/play.ts';

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
