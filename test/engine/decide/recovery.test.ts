// Resuming, starting over, cancelling, parking messages, deadlines.
import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import { SYSTEM } from '../../../shared/engine/model/actor.ts';
import { delivery, onboarding, steps } from '../../support/definitions.ts';
import { agent, BOSS, human, OWNER, play, STRANGER } from '../../support/play.ts';

const line = steps(
  { id: 'a', agents: ['bot'], outputs: ['x'] },
  { id: 'b', agents: ['bot'], outputs: ['y'] },
  { id: 'c', agents: ['bot'] },
);
const failed = () =>
  play(line)
    .done({ artifacts: { x: 1 } })
    .done({ artifacts: { y: 2 } })
    .done({ outcome: 'fail', feedback: 'Broken.' });

describe('resume', () => {
  it('goes on at the step that failed', () => {
    const game = failed().send('resume', {});
    expect(game.state).toMatchObject({ status: 'in_progress', current_step: 'c', last_error: null });
    expect(game.record('b').artifacts).toEqual({ y: 2 });
    expect(game.told('workflow.resumed')).toMatchObject([{ from_step: 'c', by: 'olga' }]);
  });

  it('from an earlier step resets that one and those after it, and keeps those before', () => {
    const game = failed().send('resume', { from_step: 'b' });
    expect(game.state.steps.map((record) => [record?.id, record?.status, record?.artifacts])).toEqual([
      ['a', 'completed', { x: 1 }],
      ['b', 'in_progress', {}],
      ['c', 'pending', {}],
    ]);
    expect(game.record('b').visits).toBe(2);
    expect(game.done().missing).toMatchObject([{ type: 'outputs', output: 'y' }]);
  });

  it.each([
    ['where it stopped', 'b', 'Too long.'],
    ['an earlier step', 'a', null],
  ])('from %s keeps the feedback only for the step it was for', (_, from_step, feedback) => {
    const review = steps(
      { id: 'a', agents: ['bot'] },
      { id: 'b', agents: ['bot'] },
      { id: 'c', agents: ['bot'], next: { ok: 'd', fail: 'b' } },
      { id: 'd', agents: ['bot'] },
    );
    const game = play(review).done().done().done({ outcome: 'fail', feedback: 'Too long.' });
    expect(game.state).toMatchObject({ current_step: 'b', feedback: 'Too long.' });
    expect(game.send('cancel', {}).send('resume', { from_step }).state).toMatchObject({ feedback });
  });

  it('takes back what undone steps delivered for the whole workflow, down to what kept ones did', () => {
    const global = steps(
      { id: 'a', agents: ['bot'], outputs: ['x'] },
      { id: 'b', agents: ['bot'], outputs: ['y'] },
      { id: 'c', agents: ['bot'] },
    );
    const workflow = load({ ...(global.source as object), artifacts: ['x', 'y'] });
    const game = play(workflow)
      .done({ artifacts: { x: 1 } })
      .done({ artifacts: { x: 2, y: 3 } })
      .send('cancel', {});
    expect(game.state.artifacts).toEqual({ x: 2, y: 3 });
    game.send('resume', { from_step: 'b' });
    expect(game.state.artifacts).toEqual({ x: 1 });
    expect(game.done().missing).toMatchObject([{ type: 'outputs', output: 'y' }]);
    game.send('cancel', {}).send('resume', { from_step: 'a' });
    expect(game.state.artifacts).toEqual({});
    expect(game.done().missing).toMatchObject([{ type: 'outputs', output: 'x' }]);
  });

  it('from an earlier step takes back what the cancelled one had in hand', () => {
    const game = play(line)
      .done({ artifacts: { x: 1 } })
      .send('signal', { action: 'stay', artifacts: { y: 'half' }, data: { page: 3 }, evidence: { seen: 1 } })
      .send('cancel', {})
      .send('resume', { from_step: 'a' });
    const { status, artifacts, data, evidence } = game.record('b');
    expect({ status, artifacts, data, evidence }).toEqual({
      status: 'pending',
      artifacts: {},
      data: {},
      evidence: {},
    });
  });

  it.each([
    ['by its number', { from_step: 1 }, 'advanced'],
    ['from a step that does not exist', { from_step: 'z' }, 'not_found'],
  ])('%s', (_, body, outcome) => {
    expect(failed().send('resume', body).outcome).toBe(outcome);
  });

  it('never skips ahead', () => {
    const game = play(line).done({ outcome: 'fail' }).send('resume', { from_step: 'c' });
    expect([game.outcome, game.recorded]).toEqual(['phase_sequence_violation', true]);
  });

  it.each([
    ['the owner', OWNER, 'advanced'],
    ['an admin', BOSS, 'advanced'],
    ['an agent of the step', agent('x', 'bot'), 'role_not_allowed'],
    ['a stranger', STRANGER, 'not_found'],
  ])('by %s: %s', (_, actor, outcome) => {
    expect(failed().as(actor).send('resume', {}).outcome).toBe(outcome);
  });

  it('is not from a step that failed and is being mended: what it judges is not done', () => {
    const game = play(
      steps(
        { id: 'plan', agents: ['bot'], outputs: ['x'] },
        { id: 'review', agents: ['bot'], next: { ok: 'end', fail: 'plan' } },
      ),
    )
      .done({ artifacts: { x: 1 } })
      .done({ outcome: 'fail', feedback: 'No.' })
      .send('cancel', {});
    expect(game.record('review').status).toBe('failed');
    game.send('resume', { from_step: 'review' });
    expect([game.outcome, game.recorded]).toEqual(['phase_sequence_violation', true]);
    expect(game.send('resume', {}).state.current_step).toBe('plan');
  });

  it('without a step, after a final one, goes on where that was reached from', () => {
    const game = play(
      steps(
        { id: 'a', agents: ['bot'], outputs: ['x'] },
        { id: 'b', agents: ['bot'], next: { ok: 'end', fail: 'given_up' } },
        { id: 'given_up', final: 'failure' },
      ),
    )
      .done({ artifacts: { x: 1 } })
      .done({ outcome: 'fail' });
    expect(game.state).toMatchObject({ status: 'failed', current_step: 'given_up' });
    expect(game.send('resume', { from_step: 'given_up' }).outcome).toBe('phase_sequence_violation');
    expect(game.send('resume', {}).state).toMatchObject({ status: 'in_progress', current_step: 'b' });
    expect(game.record('a').artifacts).toEqual({ x: 1 });
  });

  it('is for what has failed or was cancelled', () => {
    expect(play(line).send('resume', {}).outcome).toBe('not_resumable');
    expect(play(line).send('cancel', {}).send('resume', {}).state).toMatchObject({ current_step: 'a' });
  });
});

describe('a full retry', () => {
  const dev = agent('dev-1', 'developer');
  const rejected = () =>
    play(delivery)
      .as(dev)
      .signal({ action: 'CLAIM_TASK' })
      .signal({ action: 'COMMIT_CODE', artifacts: { commit_sha: 'abc' } })
      .as(agent('arch', 'architect'))
      .signal({ action: 'REJECT_DESIGN', feedback: 'No.' });

  it('goes back to the entry, clears the feedback and counts', () => {
    const game = rejected().as(OWNER).send('retry', { error: 'The build broke.' });
    expect(game.state).toMatchObject({
      current_step: 'todo',
      status: 'in_progress',
      feedback: null,
      retry_count: 1,
      last_error: 'The build broke.',
    });
    expect(game.told('workflow.state.changed')).toEqual([
      {
        task_id: 'i-1',
        from_state: 'arch_rejected',
        to_state: 'todo',
        triggered_by_action: 'RETRY',
        actor_role: 'system',
        timestamp: '2026-03-01T12:00:00.000Z',
        feedback: 'Retry due to: The build broke.',
      },
    ]);
    expect(game.told('workflow.retried')).toMatchObject([{ retry_count: 1, error: 'The build broke.' }]);
    expect(game.told('workflow.task.assigned')).toMatchObject([
      { assigned_to_role: 'developer', retry_count: 1 },
    ]);
  });

  it('is what a failure means where recovery is restart', () => {
    const game = rejected().as(dev).done({ outcome: 'fail', feedback: 'Lost.' });
    expect(game.state).toMatchObject({ current_step: 'todo', retry_count: 1, last_error: 'Lost.' });
  });

  it('keeps nothing that could satisfy a gate', () => {
    const game = rejected().as(OWNER).send('retry', { error: 'x' }).as(dev);
    game.signal({ action: 'CLAIM_TASK' }).signal({ action: 'COMMIT_CODE' });
    expect(game.missing).toMatchObject([{ type: 'guard' }]);
  });

  it('keeps no shared context either, but what a person parked waits again', () => {
    const game = play(delivery)
      .as(dev)
      .signal({ data: { shared: { note: 1 } } })
      .as(OWNER)
      .send('defer', { text: 'Mind the cat', step: 'in_progress' })
      .as(dev)
      .signal({ action: 'CLAIM_TASK' });
    expect(game.record('in_progress').deferred).toMatchObject([{ text: 'Mind the cat' }]);
    game.as(OWNER).send('retry', { error: 'x' });
    expect(game.state.shared).toMatchObject({ deferred: [{ text: 'Mind the cat' }] });
    expect(game.state.shared).not.toHaveProperty('note');
    game.as(dev).signal({ action: 'CLAIM_TASK' });
    expect(game.record('in_progress').deferred).toMatchObject([{ text: 'Mind the cat' }]);
  });

  it('counts on, on ever new turns', () => {
    const game = rejected().as(OWNER).send('retry', { error: 'x' }).send('retry', { error: 'y' });
    expect(game.state).toMatchObject({ retry_count: 2, last_error: 'y' });
    expect(game.state.turn).toBeGreaterThan(game.before.turn);
  });

  it('is not for a workflow that resumes', () => {
    expect(failed().send('retry', { error: 'x' }).outcome).toBe('not_resumable');
  });
});

describe('cancel', () => {
  it.each([
    ['the owner', OWNER, 'cancelled'],
    ['an admin', BOSS, 'cancelled'],
    ['an agent of the step', agent('x', 'bot'), 'in_progress'],
  ])('by %s leaves it %s', (_, actor, status) => {
    expect(play(line).as(actor).send('cancel', { reason: 'Enough.' }).state.status).toBe(status);
  });

  it('is told with its reason', () => {
    const game = play(line).send('cancel', { reason: 'Enough.' });
    expect(game.told('workflow.cancelled')).toMatchObject([{ step: 'a', reason: 'Enough.', by: 'olga' }]);
    expect(game.done().outcome).toBe('workflow_finished');
  });
});

describe('a message that belongs to a later step', () => {
  const parked = () =>
    play(onboarding).send('defer', {
      text: 'Buy milk',
      step: 'brain_dump',
      reason: 'Discovery comes first.',
    });
  const item = {
    text: 'Buy milk',
    step: 'brain_dump',
    from_step: 'greeting',
    by: 'olga',
    at: '2026-03-01T12:00:00.000Z',
  };

  it('is parked in the shared context', () => {
    const game = parked();
    expect(game.state.shared).toEqual({ deferred: [item] });
    expect(game.told('workflow.deferred')).toEqual([
      { workflow_id: 'onboarding', ...item, reason: 'Discovery comes first.' },
    ]);
  });

  it('is handed over when its step starts, and only then', () => {
    const game = parked().done();
    expect(game.state.shared).toEqual({ deferred: [item] });
    game.knowing({ memory: { user_profile: 3 } }).done();
    expect(game.state.shared).toEqual({ deferred: [] });
    expect(game.record('brain_dump').deferred).toEqual([item]);
    expect(game.told('workflow.task.assigned')).toMatchObject([{ deferred: [item] }]);
  });

  it('is handed over again when its step is entered again', () => {
    const game = parked()
      .done()
      .knowing({ memory: { user_profile: 3 } })
      .done()
      .send('cancel', {})
      .send('resume', { from_step: 'greeting' })
      .done()
      .done();
    expect(game.record('brain_dump').deferred).toEqual([item]);
  });

  it.each([
    ['the current step', 'greeting', 'invalid_request'],
    ['no step at all', 'nowhere', 'invalid_request'],
  ])('is not parked for %s', (_, step, outcome) => {
    expect(play(onboarding).send('defer', { text: 'x', step }).outcome).toBe(outcome);
  });

  it('is not parked for a step that is done', () => {
    expect(play(onboarding).done().send('defer', { text: 'x', step: 'greeting' }).outcome).toBe(
      'invalid_request',
    );
  });

  it('is not parked by someone with no part in the step', () => {
    const game = play(onboarding).as(human('pat', 'collector'));
    expect(game.send('defer', { text: 'x', step: 'brain_dump' }).outcome).toBe('role_not_allowed');
  });
});

describe('a deadline', () => {
  const timed = (outcome?: string) =>
    steps(
      {
        id: 'a',
        deadline: { seconds: 60, ...(outcome ? { outcome } : {}) },
        outputs: ['x'],
        required: false,
      },
      { id: 'b' },
    );

  it.each([
    ['fails the step', timed(), 'failed', 'a'],
    ['skips an optional one, if that is its outcome', timed('skip'), 'in_progress', 'b'],
    ['does not complete what is not done', timed('ok'), 'failed', 'a'],
  ])('%s', (_, workflow, status, step) => {
    const game = play(workflow).as(SYSTEM).send('deadline', { event: 'expired', turn: 1 });
    expect([game.state.status, game.state.current_step]).toEqual([status, step]);
  });

  it('reminds once, and changes nothing else', () => {
    const game = play(timed()).as(SYSTEM).send('deadline', { event: 'remind', turn: 1 });
    expect(game.types).toEqual(['workflow.reminder']);
    expect(game.state.steps).toEqual([{ ...game.before.steps[0], reminded: true }]);
    expect(game.send('deadline', { event: 'remind', turn: 1 }).outcome).toBe('stale_turn');
  });

  it('counts anew, with a reminder of its own, when the step begins or ceases to wait for a person', () => {
    const game = play(timed()).as(SYSTEM).send('deadline', { event: 'remind', turn: 1 }).as(OWNER);
    const asked = '2026-03-01T12:00:50.000Z';
    const questions = [{ question: 'Which?', options: ['this', 'that'] }];
    game.at(asked).signal({ action: 'need_input', questions });
    expect(game.record()).toMatchObject({ since: asked, reminded: false });
    game.at('2026-03-01T12:00:55.000Z').signal({ action: 'stay' });
    expect(game.record()).toMatchObject({ since: asked });
    game.at('2026-03-01T12:01:40.000Z').send('answer', { answers: ['this'] });
    expect(game.record()).toMatchObject({ since: '2026-03-01T12:01:40.000Z' });
  });

  it('is the clock’s alone, and for its own turn', () => {
    expect(play(timed()).send('deadline', { event: 'expired', turn: 1 }).outcome).toBe('role_not_allowed');
    expect(play(timed()).as(SYSTEM).send('deadline', { event: 'expired', turn: 7 }).outcome).toBe(
      'stale_turn',
    );
  });
});

describe('a refused read', () => {
  it('is put on record', () => {
    const game = play(line).send('violation', {
      code: 'phase_sequence_violation',
      step: 'c',
      message: 'Locked.',
    });
    expect(game.state).toEqual({ ...game.before, seq: 2 });
    expect(game.told('workflow.violation')).toMatchObject([{ message: 'Locked.', step: 'c' }]);
  });
});
