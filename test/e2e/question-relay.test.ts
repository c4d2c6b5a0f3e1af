// A dispatched agent asks two questions, a person answers, and the agent is called afresh with what it had saved.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createClient,
  createWorker,
  type Worker,
  type WorkerContext,
} from '../../client/node.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { ONE_STORE } from '../support/stores.ts';
import { eventually } from './callers.ts';

const QUESTIONS = [
  { question: 'For whom is the answer?', options: ['engineers', 'everybody'] },
  { question: 'How long may it be?', options: ['a page', 'ten pages', { label: 'as long as it takes' }] },
];

describe.each(ONE_STORE)('a question relay, on %s', (kind) => {
  let server: TestServer;
  let ida: Client;
  let bot: Client;
  let worker: Worker;
  let id: string;
  const calls: WorkerContext[] = [];
  beforeAll(async () => {
    server = await startServer({ store: kind });
    ida = createClient({ url: server.url, token: await server.token('ida') });
    bot = createClient({ url: server.url, token: await server.token('bot', ['deepthink-worker'], 'agent') });
    worker = createWorker({
      client: bot,
      agent: 'deepthink-worker',
      poll_ms: 200,
      handle: (context) => {
        calls.push(context);
        const { answers, step_context, shared } = context;
        if (answers.length === 0)
          return {
            workflow_signal: { action: 'need_input', questions: QUESTIONS, data: { plan: ['ask', 'think'] } },
          };
        const { plan = null } = step_context;
        const { tasks = null } = shared;
        const found = { plan, tasks, for: answers[0]?.answer ?? null };
        return { workflow_signal: { action: 'complete_step', data: { shared: { answers: [found] } } } };
      },
    });
    id = (await ida.start({ workflow_id: 'deepthink' })).instance_id;
    const data = { shared: { tasks: ['What is a step?'] } };
    await eventually(
      () => ida.signal(id, { action: 'complete_step', data }),
      ({ current_step }) => current_step === 'dispatch',
    );
  });
  afterAll(async () => {
    await worker?.stop();
    for (const client of [ida, bot]) client?.close();
    await server?.stop();
  });

  it('is told what to run, and asks', async () => {
    const { status } = await eventually(
      () => ida.details(id),
      (details) => details.status === 'waiting_input',
    );
    expect(status).toBe('waiting_input');
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      current_step: 'dispatch',
      dispatch: { agent: 'deepthink-worker', script: 'deepthink/work' },
      answers: [],
      step_context: {},
    });
  });

  it('waits for a person: an agent cannot answer, and nothing else moves it', async () => {
    const answers = ['engineers', 'a page'];
    await expect(bot.answer(id, { answers })).rejects.toMatchObject({ code: 'human_required' });
    const early = await bot.signal(id, { action: 'complete_step' });
    expect(early).toMatchObject({ result: 'blocked', missing_criteria: [{ type: 'input' }] });
  });

  it('is called afresh with the answers and what it had saved, and finishes', async () => {
    await ida.answer(id, { answers: ['engineers', 'a page'] });
    const { context } = await eventually(
      () => ida.details(id),
      ({ current_step }) => current_step === 'quality_gate',
    );
    expect(calls).toHaveLength(2);
    expect(calls[1]).toMatchObject({
      answers: [
        { question: 'For whom is the answer?', answer: 'engineers' },
        { question: 'How long may it be?', answer: 'a page' },
      ],
      step_context: { plan: ['ask', 'think'] },
    });
    expect(calls[1]?.turn).toBeGreaterThan(calls[0]?.turn ?? 0);
    expect(context.shared['answers']).toEqual([
      { plan: ['ask', 'think'], tasks: ['What is a step?'], for: 'engineers' },
    ]);
  });
});
