// Steps that decide for themselves, and ends that are failures.
import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import { steps } from '../../support/definitions.ts';
import { agent, BOSS, OWNER, play } from '../../support/play.ts';

const deepthink = load({
  id: 'deepthink',
  params: { mode: { choices: ['full', 'quick'], default: 'full' } },
  steps: [
    { id: 'frame', agents: ['thinker'] },
    {
      id: 'route',
      handler: { decide: 'params.mode == "quick" ? "skip" : "ok"' },
      next: { ok: 'explore', skip: 'answer' },
    },
    {
      id: 'explore',
      agents: ['thinker'],
      required: false,
      handler: {
        decide: 'data.confidence == "high" || state.iteration >= 3 ? "ok" : "iterate"',
        state: { confidence: 'data.confidence' },
      },
      next: { ok: 'answer', iterate: 'explore' },
    },
    { id: 'answer', agents: ['thinker'] },
  ],
});

describe('a decision in CEL', () => {
  it.each([
    ['full', 'explore', 'completed'],
    ['quick', 'answer', 'completed'],
  ])('in mode %s routes to %s, in the same commit', (mode, step, status) => {
    const game = play(deepthink, { params: { mode } }).done();
    expect([game.state.current_step, game.record('route').status]).toEqual([step, status]);
    expect(game.told('workflow.state.changed')).toHaveLength(2);
  });

  it('iterates until it is satisfied, and keeps what it computed', () => {
    const game = play(deepthink)
      .done()
      .done({ data: { confidence: 'low' } });
    expect(game.record().state).toEqual({ iteration: 2, confidence: 'low' });
    game.done({ data: { confidence: 'high' } });
    expect([game.state.current_step, game.record('explore').state]).toEqual([
      'answer',
      { iteration: 2, confidence: 'high' },
    ]);
  });

  it('ends its iterations where it says so', () => {
    const game = play(deepthink).done();
    const visited = [1, 2, 3].map(() => game.done({ data: { confidence: 'low' } }).state.current_step);
    expect(visited).toEqual(['explore', 'explore', 'answer']);
  });

  it('that cannot be evaluated takes the default way, and is noted', () => {
    const workflow = steps(
      {
        id: 'a',
        agents: ['bot'],
        handler: { decide: 'data.missing.way' },
        next: { ok: null, _default: 'b' },
      },
      { id: 'b', required: false, next: 'a' },
    );
    const game = play(workflow).done();
    expect(game.state.current_step).toBe('b');
    expect(game.decision).toMatchObject({ notes: [{ level: 'warn' }] });
  });

  it('waits for an approval before it decides', () => {
    const workflow = steps({
      id: 'a',
      agents: ['bot'],
      approval: true,
      handler: { decide: 'data.again == true ? "iterate" : "ok"' },
      next: { ok: null, iterate: 'a' },
    });
    const game = play(workflow)
      .as(agent('x', 'bot'))
      .done({ data: { again: true } });
    expect(game.outcome).toBe('waiting');
    game.as(OWNER).send('approve', { approved: true });
    expect([game.outcome, game.record().visits, game.record().approval]).toEqual(['advanced', 2, null]);
  });
});

describe('an end that is a failure', () => {
  const workflow = steps(
    {
      id: 'a',
      transitions: [
        { on: 'GIVE_UP', to: 'lost', completes: false },
        { on: 'ok', to: 'won' },
      ],
    },
    { id: 'won', final: true },
    { id: 'lost', final: 'failure' },
  );

  it('fails the instance and says where it ended', () => {
    const game = play(workflow).signal({ action: 'GIVE_UP' });
    expect(game.state).toMatchObject({ status: 'failed', last_error: 'The workflow ended in "lost".' });
    expect(game.outcome).toBe('failed');
    expect(game.told('workflow.failed')).toMatchObject([
      { step: 'lost', error: 'The workflow ended in "lost".' },
    ]);
  });

  it('is not resumed from the end, but from a step that was done', () => {
    const game = play(workflow).signal({ action: 'GIVE_UP' });
    game.send('resume', { from_step: game.state.current_step });
    expect(game.outcome).toBe('phase_sequence_violation');
    game.send('resume', { from_step: 'a' });
    expect(game.state).toMatchObject({ status: 'in_progress', current_step: 'a' });
  });

  it('is not counted as progress', () => {
    expect(play(workflow).signal({ action: 'GIVE_UP' }).percent).toBe(0);
    expect(play(workflow).done().percent).toBe(100);
  });
});

describe('automatic steps behind input', () => {
  const workflow = steps(
    {
      id: 'a',
      agents: ['bot'],
      criteria: [{ type: 'widget_completed', widget_type: 'form', min_items: 1 }],
      transitions: [{ to: 'b', auto: true }],
    },
    { id: 'b', agents: ['bot'] },
  );

  it('go on once the widget they wait for is there', () => {
    const game = play(workflow).send('widget', { widget_type: 'form', items: [1] });
    expect([game.outcome, game.state.current_step]).toEqual(['advanced', 'b']);
  });

  it('go on once it was asked for and is there', () => {
    const game = play(workflow).signal({ action: 'need_input', widget_type: 'form' });
    game.send('widget', { widget_type: 'form', items: [1] });
    expect([game.outcome, game.state.current_step]).toEqual(['advanced', 'b']);
  });
});

describe('an override by action', () => {
  it('passes through implied transitions to where the action leads', () => {
    const workflow = steps(
      { id: 'a', transitions: [{ on: 'CLAIM', to: 'b', implied: true }] },
      { id: 'b', outputs: ['x'], transitions: [{ on: 'GO', to: 'c' }] },
      { id: 'c' },
    );
    const game = play(workflow).as(BOSS).send('override', { reason: 'Wrong.', action: 'GO' });
    expect(game.state.current_step).toBe('c');
  });
});
