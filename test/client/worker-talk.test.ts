// Workers on the real server, in conversation: what people say, ask and answer.
import { describe, expect, it } from 'vitest';
import { DONE, Staff, STAY, until } from './staff.ts';

describe('a worker that talks', () => {
  const staff = new Staff();

  it('hears what a person says, afresh, and replies', async () => {
    const { writer, start, owner, stepOf, actionsOf } = await staff.workflow();
    const id = await start();
    const heard: string[] = [];
    const { worker } = await staff.hire(writer, ({ messages, turn }) => {
      const last = messages.at(-1);
      heard.push(`${turn} ${last?.text ?? '-'}`);
      if (last?.text === 'Done?') return { ...DONE, reply: 'Done.' };
      return { ...STAY, reply: last ? 'Tell me more.' : 'Hello!' };
    });
    await until(async () => expect((await actionsOf(id)).at(-1)).toBe('stay stayed'));
    await owner.message(id, { text: 'Hi' });
    await until(async () => expect((await owner.context(id)).messages).toHaveLength(3));
    await owner.message(id, { text: 'Done?' });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(heard).toEqual(['1 -', '2 Hi', '3 Done?']);
    await until(() => expect(worker.working).toEqual([]));
  });

  it('does not answer again where the agent had the last word', async () => {
    const { writer, start, owner, stepOf, actionsOf } = await staff.workflow();
    const id = await start();
    const first = await staff.hire(writer, () => ({ ...STAY, reply: 'Hello!' }), {
      sub: 'one',
      lease_seconds: 0.3,
    });
    await until(async () => expect((await owner.context(id)).messages).toHaveLength(1));
    await first.worker.stop();
    let called = false;
    await staff.hire(writer, () => ((called = true), DONE), { sub: 'two' });
    await until(async () => expect((await owner.details(id)).version).toBeGreaterThan(3)); // it was claimed again
    await owner.message(id, { text: 'Hi' });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(called).toBe(true);
    expect((await actionsOf(id)).filter((action) => action.startsWith('complete_step'))).toHaveLength(1);
  });

  it('answers where the agent had spoken while it worked, and died', async () => {
    const { writer, start, stepOf } = await staff.workflow();
    const id = await start();
    const dead = await staff.as('dead', [writer]);
    await dead.claim(id, { agent: writer, lease_seconds: 0.3 });
    await dead.message(id, { text: 'I am looking into it.', from: 'agent' });
    await dead.signal(id, { action: 'stay', agent: writer, data: { half: true } });
    await staff.hire(writer, () => DONE);
    await until(async () => expect(await stepOf(id)).toBe('check'));
  });

  it('drops work that a message has overtaken, and begins again with it', async () => {
    const { writer, start, owner, stepOf } = await staff.workflow();
    const id = await start();
    const turns: number[] = [];
    let aborted = false;
    await staff.hire(writer, async ({ turn, signal }) => {
      turns.push(turn);
      if (turns.length > 1) return DONE;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted = true;
      return { workflow_signal: { action: 'complete_step', data: { late: true } } };
    });
    await until(() => expect(turns).toEqual([1]));
    await owner.message(id, { text: 'Wait' });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect([aborted, turns]).toEqual([true, [1, 2]]);
    expect(JSON.stringify(await owner.details(id))).not.toContain('late');
  });

  it('asks a person and is called afresh with the answers and what it saved', async () => {
    const { writer, start, owner, stepOf } = await staff.workflow();
    const id = await start();
    const calls: object[] = [];
    await staff.hire(writer, async ({ answers, step_context, save }) => {
      calls.push({ answers, step_context });
      if (answers.length > 0) return DONE;
      await save({ pages: 3 });
      const questions = [{ question: 'Which ink?', options: ['blue', 'red'] }];
      return { workflow_signal: { action: 'need_input', questions } };
    });
    await until(async () => expect((await owner.details(id)).status).toBe('waiting_input'));
    await owner.answer(id, { answers: ['blue'] });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(calls).toEqual([
      { answers: [], step_context: {} },
      { answers: [{ question: 'Which ink?', answer: 'blue' }], step_context: { pages: 3 } },
    ]);
  });
});
