// Questions to a person and widgets: what may be asked, who answers, what comes back.
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../shared/faults.ts';
import { readSignal } from '../../../shared/engine/model/signal.ts';
import { onboarding, steps } from '../../support/definitions.ts';
import { agent, BOSS, human, OWNER, play, unmarked } from '../../support/play.ts';

const question = (options: number, id?: string) => ({
  question: 'Which?',
  options: Array.from({ length: options }, (_, i) => `o${i}`),
  ...(id ? { id } : {}),
});
const bot = agent('bot', 'greeter');
const asked = () =>
  play(onboarding)
    .as(bot)
    .signal({ action: 'need_input', questions: [question(2), question(3)], data: { saved: 1 } });

describe('what may be asked', () => {
  it.each<[string, unknown[], string]>([
    ['no questions', [], 'questions'],
    ['four questions', Array.from({ length: 4 }, () => question(2)), 'questions'],
    ['a question with one option', [question(1)], 'questions.0.options'],
    ['a question with four options', [question(4)], 'questions.0.options'],
  ])('%s cannot be read', (_, questions, path) => {
    const read = () => readSignal('signal', { action: 'need_input', questions });
    expect(read).toThrow(Fault);
    expect(read).toThrow(path);
  });

  it.each([1, 2, 3])('%i questions wait for a person', (count) => {
    const questions = Array.from({ length: count }, () => question(2));
    const game = play(onboarding).as(bot).signal({ action: 'need_input', questions });
    expect([game.outcome, game.state.status, game.record().status]).toEqual([
      'waiting',
      'waiting_input',
      'waiting_input',
    ]);
  });

  it('need_input without questions or a widget is refused', () => {
    expect(play(onboarding).signal({ action: 'need_input' }).outcome).toBe('invalid_request');
  });

  it('a step that supports no questions asks none, but may show a widget', () => {
    const game = play(steps({ id: 'a', supports_questions: false }));
    expect(game.signal({ action: 'need_input', questions: [question(2)] }).outcome).toBe(
      'invalid_transition',
    );
    expect(game.signal({ action: 'need_input', widget_type: 'form' }).outcome).toBe('waiting');
  });

  it('two questions with one id are refused', () => {
    const game = play(onboarding).signal({
      action: 'need_input',
      questions: [question(2, 'x'), question(2, 'x')],
    });
    expect(game.outcome).toBe('invalid_request');
  });
});

describe('while it waits', () => {
  it('the step cannot be completed', () => {
    const game = asked().done();
    expect(game.missing).toMatchObject([{ type: 'input' }]);
    expect(unmarked(game.state)).toEqual(unmarked(game.before));
  });

  it.each([
    ['an agent', bot, 'human_required'],
    ['a person with no part in it', human('pat', 'collector'), 'role_not_allowed'],
    ['the owner', OWNER, 'stayed'],
    ['an admin', BOSS, 'stayed'],
  ])('%s answers: %s', (_, actor, outcome) => {
    expect(
      asked()
        .as(actor)
        .send('answer', { answers: ['o0', 'o1'] }).outcome,
    ).toBe(outcome);
  });

  it.each<[string, string[] | Record<string, string>]>([
    ['too few', ['o0']],
    ['too many', ['o0', 'o1', 'o2']],
    ['an empty one', ['o0', '  ']],
    ['one to a question nobody asked', { q1: 'o0', q2: 'o1', q3: 'o2' }],
  ])('%s answers are refused', (_, answers) => {
    expect(asked().as(OWNER).send('answer', { answers }).outcome).toBe('invalid_request');
  });

  it('an answer to an earlier turn is stale', () => {
    expect(
      asked()
        .as(OWNER)
        .send('answer', { answers: ['a', 'b'], turn: 0 }).outcome,
    ).toBe('stale_turn');
  });
});

describe('what comes back', () => {
  it('assigns the step afresh with what it had saved', () => {
    const game = asked()
      .as(OWNER)
      .send('answer', { answers: { q2: 'o2', q1: 'o1' } });
    expect(game.record()).toMatchObject({
      status: 'in_progress',
      turn: 2,
      visits: 1,
      data: { saved: 1 },
      answers: [
        { question: 'Which?', answer: 'o1' },
        { question: 'Which?', answer: 'o2' },
      ],
    });
    expect(game.types).toEqual(['workflow.input.answered', 'workflow.task.assigned']);
    expect(game.told('workflow.task.assigned')[0]).toMatchObject({ turn: 2, assigned_to_role: 'greeter' });
  });

  it('a widget that was asked for goes on with its items', () => {
    const game = play(onboarding).as(bot).signal({ action: 'need_input', widget_type: 'form' });
    game.as(OWNER).send('widget', { widget_type: 'form', items: ['a'] });
    expect([game.state.status, game.record().turn]).toEqual(['in_progress', 2]);
    expect(game.record().widgets).toMatchObject({ form: { items: ['a'] } });
  });

  it('a widget nobody uses is refused and recorded', () => {
    const game = play(onboarding).send('widget', { widget_type: 'form' });
    expect([game.outcome, game.recorded]).toEqual(['invalid_transition', true]);
  });

  it('a widget that is a criterion may come unasked, and blocks until it holds enough', () => {
    const game = play(onboarding)
      .done()
      .knowing({ memory: { user_profile: 3 } })
      .done();
    expect(game.done().missing).toMatchObject([{ type: 'widget_completed', required: 2, found: 0 }]);
    game.send('widget', { widget_type: 'list_input', items: ['milk'] }).done();
    expect(game.missing).toMatchObject([{ type: 'widget_completed', required: 2, found: 1 }]);
    game.send('widget', { widget_type: 'list_input', items: ['milk', 'eggs'] }).done();
    expect(game.outcome).toBe('completed');
  });
});
