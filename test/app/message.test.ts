// A user's message on its way through the application: classified, decided, committed, repeated.
import { beforeAll, describe, expect, it } from 'vitest';
import { routeMessage } from '../../shared/app/route-message.ts';
import { parseBody, MessageRequest } from '../../shared/app/schemas.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import { readTold } from '../../shared/app/publish-told.ts';
import { topicsOf } from '../../shared/app/topics.ts';
import type { Classifier } from '../../shared/ports.ts';
import { agent, human } from '../support/play.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { freshTables, STORE_KINDS, type FreshTables } from '../support/stores.ts';

const ALEX = human('alex');
const CHAT = {
  id: 'chat',
  steps: [
    { id: 'first', agents: ['listener'], intents: ['tea'] },
    { id: 'second', agents: ['writer'], intents: ['milk', 'write down'] },
  ],
};

describe.each(STORE_KINDS)("a user's message, on %s", (kind) => {
  let tables: FreshTables;
  let app: TestApp;
  beforeAll(async () => {
    tables = await freshTables(kind);
    app = appOn(tables, { chat: CHAT });
  });
  const start = async () =>
    (await startInstance(app, { body: { workflow_id: 'chat' }, caller: ALEX })).instance_id;
  const say = (instance_id: string, text: string, key?: string, on = app, caller = ALEX) =>
    routeMessage(on, { instance_id, body: { text }, caller, key });
  const classifiedBy = (classify: Classifier['classify']): TestApp => ({
    ...appOn(tables, { chat: CHAT }),
    classifier: { classify },
  });

  it('goes to the current agent, in one request when warm', async () => {
    const id = await start();
    app.sent();
    expect(await say(id, 'Tea, please')).toMatchObject({
      result: 'stayed',
      version: 2,
      routed_to: { step: 'first', agent: 'listener' },
      confidence: 0.65,
    });
    expect(app.sent()).toEqual(['PutItemCommand']);
  });

  it('is parked for a later step and says why; what it was judged on is in the log', async () => {
    const id = await start();
    const answer = await say(id, 'Write it down: milk');
    expect(answer).toMatchObject({
      version: 2,
      routed_to: { step: 'first', agent: 'listener' },
      deferred: { step: 'second', reason: answer.reason },
      confidence: 0.89,
    });
    const commit = (await app.log.latest(id))?.commit;
    expect(commit?.facts).toEqual({ intent: { step: 'second', confidence: 0.89 } });
    expect(commit?.state.shared).toMatchObject({ deferred: [{ text: 'Write it down: milk', by: 'alex' }] });
  });

  it('is answered as the first time under its key, even where it would now go elsewhere', async () => {
    const id = await start();
    const first = await say(id, 'Write it down: milk', 'k');
    await tell(app, { instance_id: id, type: 'signal', body: { action: 'complete_step' }, caller: ALEX });
    expect(await say(id, 'Write it down: milk', 'k')).toEqual({ ...first, replayed: true });
    await expect(say(id, 'Tea', 'k')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it.each<[string, Classifier['classify'], object]>([
    ['throws', () => Promise.reject(new Error('down')), { confidence: 0 }],
    ['names no step', () => Promise.resolve(null), { confidence: 0 }],
    ['names a step there is not', () => Promise.resolve({ step: 'x', confidence: 1 }), { confidence: 0 }],
    ['is surer than sure', () => Promise.resolve({ step: 'second', confidence: 2 }), { confidence: 0 }],
    ['is sure', () => Promise.resolve({ step: 'second', confidence: 1 }), { deferred: { step: 'second' } }],
  ])('is judged by whatever classifier there is: one that %s', async (_, classify, expected) => {
    expect(await say(await start(), 'Hello', undefined, classifiedBy(classify))).toMatchObject(expected);
  });

  it('is heard on the topics of its instance, its owner and the agent it is for', async () => {
    const id = await start();
    await say(id, 'Hello');
    const told = readTold((await app.log.latest(id))?.commit);
    const topics = told.messages.map((message) => [message.type, topicsOf(told, message)]);
    const all = [`instance:${id}`, 'user:alex', 'role:listener'];
    expect(topics).toEqual([
      ['workflow.message', all],
      ['workflow.task.assigned', all],
    ]);
  });

  it('of an agent is heard by the owner, not by other agents', async () => {
    const id = await start();
    await say(id, 'Hello, Alex', undefined, app, agent('bot', 'listener'));
    const told = readTold((await app.log.latest(id))?.commit);
    expect(told.messages.map((message) => topicsOf(told, message))).toEqual([
      [`instance:${id}`, 'user:alex'],
    ]);
  });
});

describe('the body of a message', () => {
  it.each([
    ['text', { text: ' Hello ' }, { text: 'Hello' }],
    ['message', { message: 'Hello', turn: 2 }, { message: 'Hello', turn: 2 }],
  ])('has a %s', (_, body, read) => {
    expect(parseBody(MessageRequest, body, 'message body')).toEqual(read);
  });

  it.each([
    ['neither', {}, 'text: is needed'],
    ['both', { text: 'a', message: 'b' }, 'text: is needed'],
    ['a list', { text: ['a'] }, 'text'],
    ['an unknown key', { text: 'a', tone: 'kind' }, 'tone'],
  ])('is refused with %s', (_, body, sentence) => {
    expect(() => parseBody(MessageRequest, body, 'message body')).toThrow(sentence);
  });
});
