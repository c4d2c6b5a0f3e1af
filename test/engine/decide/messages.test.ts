// What is said while a step is open: who may say it, who hears it, and what is parked for later (MS1, MS2).
import { describe, expect, it } from 'vitest';
import { SURE } from '../../../shared/engine/decide/messages.ts';
import { readSignal } from '../../../shared/engine/model/signal.ts';
import { load } from '../../../shared/engine/compile/compile.ts';
import { builtInWorkflows } from '../../../shared/reading/built-in.ts';
import { delivery, onboarding, steps } from '../../support/definitions.ts';
import { agent, BOSS, human, OWNER, play, STRANGER } from '../../support/play.ts';

const greeter = agent('bot', 'greeter');
const about = (step: string | null, confidence = 0.9) => ({ intent: { step, confidence } });
const talk = () => play(onboarding);

describe('a message of the owner', () => {
  it('goes to the current agent, in a new turn, with an assignment that carries it', () => {
    const game = talk().send('message', { text: 'My name is Alex' });
    expect(game.outcome).toBe('stayed');
    expect(game.verdict.routing).toEqual({
      routed_to: { step: 'greeting', agent: 'greeter' },
      confidence: 0,
    });
    expect(game.record().turn).toBe(game.before.turn + 1);
    const item = { from: 'user', text: 'My name is Alex', by: 'olga', turn: 2 };
    expect(game.record().messages).toMatchObject([item]);
    expect(game.told('workflow.message')).toMatchObject([
      { ...item, step: 'greeting', workflow_id: 'onboarding', task_id: 'i-1', assigned_to: ['greeter'] },
    ]);
    expect(game.told('workflow.task.assigned')).toMatchObject([
      { assigned_to_role: 'greeter', turn: 2, message: item },
    ]);
  });

  it('makes a report late that did not know of it (MS2)', () => {
    const game = talk().send('message', { text: 'Wait' }).as(greeter);
    expect(game.done({ turn: 1 }).outcome).toBe('stale_turn');
    expect(game.done({ turn: 2 }).outcome).toBe('advanced');
  });

  it.each<[string, string | null, number]>([
    ['of the current step', 'discovery', 0.9],
    ['of an earlier step', 'greeting', 0.9],
    ['of a later step, of which nobody is sure', 'brain_dump', SURE - 0.01],
    ['of the end', 'completed', 0.9],
    ['of no step at all', null, 0],
  ])('%s is handed on', (_, step, confidence) => {
    const game = talk().done().knowing(about(step, confidence)).send('message', { text: 'x' });
    expect(game.types).toContain('workflow.message');
    expect(game.state.shared).toEqual({});
    expect(game.verdict.routing?.deferred).toBeUndefined();
  });

  it('is handed on where the classifier failed, and an operator is told', () => {
    const game = talk()
      .knowing({ intent: { step: null, confidence: 0, failed: true } })
      .send('message', { text: 'x' });
    expect(game.types).toContain('workflow.message');
    expect(game.decision).toMatchObject({ notes: [{ level: 'error' }] });
  });

  it('of a later step is parked, answered with the reason, and handed to that step (MS1)', () => {
    const game = talk().done().knowing(about('brain_dump')).send('message', { text: 'Buy milk' });
    const reason =
      'Good point. I have noted it for "brain_dump" and it will not be forgotten. "discovery" comes first.';
    expect(game.verdict).toEqual({
      result: 'stayed',
      previous_step: 'discovery',
      reason,
      routing: {
        routed_to: { step: 'discovery', agent: 'interviewer' },
        deferred: { step: 'brain_dump', reason },
        confidence: 0.9,
      },
    });
    expect(game.types).toEqual(['workflow.deferred']);
    expect(game.state.turn).toBe(game.before.turn);
    game.knowing({ memory: { user_profile: 3 } }).done();
    expect(game.told('workflow.task.assigned')).toMatchObject([{ deferred: [{ text: 'Buy milk' }] }]);
    expect(game.state.shared).toEqual({ deferred: [] });
  });

  it('waits with the step while a person is asked', () => {
    const game = talk().as(greeter).signal({ action: 'need_input', widget_type: 'form' });
    game.as(OWNER).send('message', { text: 'Which form?' });
    expect([game.outcome, game.state.status, game.state.turn]).toEqual(['stayed', 'waiting_input', 1]);
    expect(game.types).toEqual(['workflow.message']);
    game.send('widget', { widget_type: 'form', items: [] });
    expect(game.told('workflow.task.assigned')).toMatchObject([{ message: { text: 'Which form?' } }]);
  });

  it('leaves the claim with its holder', () => {
    const game = play(delivery).as(agent('dan', 'developer')).send('claim', {});
    game.as(OWNER).send('message', { text: 'Mind the tests' });
    expect(game.state).toMatchObject({ claim: { by: 'dan' } });
  });

  it('to a finished instance is refused', () => {
    expect(talk().send('cancel', {}).send('message', { text: 'x' }).outcome).toBe('workflow_finished');
  });
});

describe('who may speak', () => {
  it.each([
    ['the owner, for the user', OWNER, {}, 'user'],
    ['an admin, for the user', BOSS, {}, 'user'],
    ['the agent, to the person', greeter, {}, 'agent'],
    ['the owner, for the agent whose work it does', OWNER, { from: 'agent' as const }, 'agent'],
  ])('%s', (_, actor, more, from) => {
    const game = talk()
      .as(actor)
      .send('message', { text: 'Hello', ...more });
    expect(game.record().messages).toMatchObject([{ from, by: actor.sub }]);
  });

  it.each([
    ['an agent does not speak for the user', greeter, 'user' as const, 'role_not_allowed'],
    [
      'an agent of another step does not speak',
      agent('c', 'collector'),
      'agent' as const,
      'role_not_allowed',
    ],
    ['a stranger learns nothing', STRANGER, 'user' as const, 'not_found'],
  ])('%s', (_, actor, from, code) => {
    const game = talk().as(actor).send('message', { text: 'Hello', from });
    expect(game.outcome).toBe(code);
    expect(game.recorded).toBe(code !== 'not_found');
  });
});

describe('a message of the agent', () => {
  it('is told to the person, opens no turn and is judged by nobody', () => {
    const game = talk().knowing(about('brain_dump')).as(greeter).send('message', { text: 'Hello!' });
    expect(game.told('workflow.message')).toMatchObject([{ from: 'agent', text: 'Hello!', assigned_to: [] }]);
    expect(game.types).toEqual(['workflow.message']);
    expect(game.state.turn).toBe(1);
  });

  it('can park what the person said for a step that it names', () => {
    const game = talk().as(greeter).send('message', { text: 'Buy milk', step: 'brain_dump' });
    expect(game.state.shared).toMatchObject({ deferred: [{ text: 'Buy milk', by: 'bot' }] });
    expect(game.verdict.routing?.confidence).toBe(1);
  });

  it.each([
    ['is unknown', 'nowhere'],
    ['is an end', 'completed'],
  ])('is refused for a step that %s', (_, step) => {
    expect(talk().send('message', { text: 'x', step }).outcome).toBe('invalid_request');
  });
});

describe('a reply that comes with a signal', () => {
  it.each([
    ['stay', 'greeting', 'stayed'],
    ['complete_step', 'discovery', 'advanced'],
  ])('is told to the person with %s, in the same commit', (action, step, outcome) => {
    const game = talk().as(greeter).signal({ action, reply: 'Nice to meet you.' });
    expect([game.outcome, game.state.current_step]).toEqual([outcome, step]);
    expect(game.told('workflow.message')).toMatchObject([
      { from: 'agent', text: 'Nice to meet you.', step: 'greeting', turn: 1 },
    ]);
    expect(game.record('greeting').messages).toMatchObject([{ text: 'Nice to meet you.' }]);
  });

  it('is not told where the signal is blocked', () => {
    const game = talk().done().done({ reply: 'On we go.' });
    expect([game.outcome, game.told('workflow.message')]).toEqual(['blocked', []]);
    expect(game.record().messages).toBeUndefined();
  });
});

describe('the conversation in the state', () => {
  it('keeps the latest twenty messages', () => {
    const game = talk();
    for (let i = 1; i <= 25; i++) game.send('message', { text: `m${i}` });
    const kept = game.record().messages?.map(({ text }) => text) ?? [];
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([20, 'm6', 'm25']);
  });

  it('keeps no more than sixteen thousand characters, and the last message whole', () => {
    const game = talk();
    for (const letter of 'abc') game.send('message', { text: letter.repeat(8_000) });
    expect(game.record().messages?.map(({ text }) => text[0])).toEqual(['b', 'c']);
  });

  it('begins anew with the next step', () => {
    expect(talk().send('message', { text: 'x' }).done().record().messages).toBeUndefined();
  });

  it.each(['', '   ', 'x'.repeat(8_001)])('takes no message of a wrong length', (text) => {
    expect(() => readSignal('message', { text })).toThrow('text');
  });
});

describe('the reason', () => {
  const why = (workflow: Parameters<typeof play>[0], text: string, later: string) =>
    play(workflow).knowing(about(later)).send('message', { text }).verdict.reason;
  const first = (more: object) =>
    steps({ id: 'one', agents: ['a'], ...more }, { id: 'two', title: 'Second', agents: ['b'] });

  it.each([
    ["the definition's own words", { comes_first: 'First things first.' }, 'x', 'First things first.'],
    ['in the language of the message', { comes_first: { en: 'First.', ru: 'Сначала.' } }, 'да', 'Сначала.'],
    ['in English if there is no other', { comes_first: { en: 'First.' } }, 'да', 'First.'],
    ['in whatever language there is', { comes_first: { de: 'Zuerst.' } }, 'x', 'Zuerst.'],
    [
      'ours, with the title and description of the current step',
      { title: 'First', description: 'It matters.' },
      'x',
      'Good point. I have noted it for "Second" and it will not be forgotten. "First" comes first. It matters.',
    ],
    [
      'ours, in Russian',
      { title: 'Начало' },
      'потом',
      'Хорошая мысль. Записано на потом, до шага «Second», не потеряется. Сначала закончим «Начало».',
    ],
  ])('is %s', (_, more, text, expected) => {
    expect(why(first(more), text, 'two')).toBe(expected);
  });

  it('says nothing of a later step whose title is hidden', () => {
    const strict = load({
      id: 's',
      visibility: 'strict',
      steps: [
        { id: 'one', agents: ['a'] },
        { id: 'two', title: 'SECRET', agents: ['b'] },
      ],
    });
    for (const text of ['x', 'да']) expect(why(strict, text, 'two')).not.toContain('SECRET');
  });

  it("is the seed's for the seed's milk, in Russian", () => {
    const workflow = builtInWorkflows().get('onboarding');
    if (!workflow) throw new Error('onboarding is built in');
    const game = play(workflow, { by: human('alex') }).done();
    game.knowing(about('brain_dump')).send('message', { text: 'Запиши в inbox: купить молоко' });
    expect(game.verdict.reason).toBe(
      'Отличная мысль! Запишем это чуть позже. Сейчас давай закончим с приоритетами: это поможет мне лучше организовать твои задачи.',
    );
  });
});
