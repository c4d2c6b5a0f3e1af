// The seed's milk, in Russian: said too early, answered with the reason, and handed to the step it belongs to.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import { type Caller, callerOn, type Listener, signal, started } from './callers.ts';

const MILK = 'запиши мне в инбокс: купить молоко';
const WHY =
  'Отличная мысль! Запишем это чуть позже. Сейчас давай закончим с приоритетами: это поможет мне лучше организовать твои задачи.';

describe.each(STORE_KINDS)('a message to the coordinator, on %s', (kind) => {
  let server: SharedServer;
  let mila: Caller;
  let discovery: Caller;
  let inbox: Listener;
  let asked: Listener;
  let id: string;
  beforeAll(async () => {
    server = await sharedServer(kind);
    mila = await callerOn(server, `mila-${kind}`);
    discovery = await callerOn(server, 'discovery-bot', ['discovery'], 'agent');
    asked = await discovery.listen();
    asked.send({ action: 'subscribe', topic: 'role:discovery' });
    inbox = await (await callerOn(server, 'inbox-bot', ['inbox_collector'], 'agent')).listen();
    inbox.send({ action: 'subscribe', topic: 'role:inbox_collector' });
    for (const socket of [asked, inbox]) await socket.until(({ type }) => type === 'subscribed');
    id = await started(mila, 'onboarding');
    await signal(mila, id, { action: 'complete_step' });
  });
  afterAll(async () => {
    await asked?.close();
    await inbox?.close();
  });
  const say = (text: string, key?: string) => mila.post(`/api/workflows/${id}/message`, { text }, key);

  it('is answered with why discovery comes first', async () => {
    const { status, body } = await say(MILK, 'milk');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: 'stayed',
      version: 3,
      current_step: 'discovery',
      routed_to: { step: 'discovery', agent: 'discovery' },
      deferred: { step: 'brain_dump', reason: WHY },
      reason: WHY,
    });
    expect(Number(body.confidence)).toBeGreaterThan(0.6);
    expect((await say(MILK, 'milk')).body).toMatchObject({ version: 3, replayed: true });
  });

  it('is parked in the shared context, once', async () => {
    const { body } = await mila.get(`/api/workflows/${id}`);
    expect(body).toMatchObject({ context: { shared: { deferred: [{ text: MILK, step: 'brain_dump' }] } } });
  });

  it('goes to the discovery agent where it belongs there, who hears it at once and can reply', async () => {
    expect((await say('Для меня важна семья')).body).toMatchObject({ routed_to: { agent: 'discovery' } });
    const heard = await asked.until(
      ({ type, instance_id }) => type === 'workflow.message' && instance_id === id,
    );
    expect(heard.data).toMatchObject({ text: 'Для меня важна семья', from: 'user' });
    const reply = await discovery.post(`/api/workflows/${id}/message`, { text: 'А что ещё?' });
    expect(reply.status).toBe(200);
    const { body } = await discovery.get(`/api/workflows/${id}/context`);
    expect(body.messages).toMatchObject([{ from: 'user' }, { from: 'agent', text: 'А что ещё?' }]);
    expect(body.deferred).toEqual([]);
  });

  it('is handed to brain_dump when that starts', async () => {
    for (const memory of ['семья', 'здоровье', 'книга'])
      await mila.post('/api/memory/facts', { memory, category: 'priorities' });
    expect((await signal(mila, id, { action: 'complete_step' })).body).toMatchObject({
      current_step: 'brain_dump',
    });
    const { data } = await inbox.until(
      ({ type, instance_id }) => type === 'workflow.task.assigned' && instance_id === id,
    );
    expect(data).toMatchObject({ step: 'brain_dump', deferred: [{ text: MILK, from_step: 'discovery' }] });
    const { body } = await mila.get(`/api/workflows/${id}/context`);
    expect(body).toMatchObject({ deferred: [{ text: MILK }], shared: { deferred: [] } });
  });

  it("is not a stranger's to send", async () => {
    const stranger = await callerOn(server, 'stranger');
    expect((await stranger.post(`/api/workflows/${id}/message`, { text: 'hi' })).status).toBe(404);
  });
});
