// Onboarding from greeting to completed, over HTTP and WebSocket, on each store.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import { type Caller, callerOn, type Listener, signal, started } from './callers.ts';

describe.each(STORE_KINDS)('onboarding, on %s', (kind) => {
  let server: SharedServer;
  let ana: Caller;
  let socket: Listener;
  let id: string;
  beforeAll(async () => {
    server = await sharedServer(kind);
    ana = await callerOn(server, 'ana');
    socket = await ana.listen();
    socket.send({ action: 'subscribe', topic: 'user:me' });
    await socket.until(({ type }) => type === 'subscribed');
    id = await started(ana, 'onboarding');
  });
  afterAll(async () => {
    await socket?.close();
  });
  const done = () => signal(ana, id, { action: 'complete_step' });
  const fact = (memory: string) => ana.post('/api/memory/facts', { memory, category: 'priorities' });
  const told = (type: string) =>
    socket.until((message) => message.type === type && message.instance_id === id);

  it('tells that it has started', async () => {
    expect((await told('workflow.started')).data).toMatchObject({
      workflow_id: 'onboarding',
      initial_step: 'greeting',
    });
  });

  it('goes on from greeting by a signal, to a third of the way', async () => {
    const { status, body } = await done();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: 'advanced',
      instance_id: id,
      workflow_id: 'onboarding',
      version: 2,
      previous_step: 'greeting',
      current_step: 'discovery',
      progress: {
        current_step: 'discovery',
        completed_steps: ['greeting'],
        completed: 1,
        total: 3,
        percent: 33,
      },
    });
    expect((await told('workflow.step_changed')).data).toMatchObject({
      workflow_id: 'onboarding',
      previous_step: 'greeting',
      current_step: 'discovery',
      progress: { percent: 33 },
    });
  });

  it('is blocked at two facts, says what is missing, and passes at three', async () => {
    await fact('family first');
    await fact('health');
    const { status, body } = await done();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: 'blocked',
      current_step: 'discovery',
      missing_criteria: [{ type: 'memory_check', category: 'priorities', required: 3, found: 2 }],
    });
    expect((await told('workflow.step_blocked')).data).toMatchObject({
      workflow_id: 'onboarding',
      current_step: 'discovery',
      missing_criteria: [{ type: 'memory_check' }],
    });
    await fact('a book');
    expect((await done()).body).toMatchObject({ current_step: 'brain_dump', progress: { percent: 66 } });
  });

  it('refuses a second start and names the first', async () => {
    const { status, body, headers } = await ana.post('/api/workflows', { workflow_id: 'onboarding' });
    expect(status).toBe(409);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({ code: 'already_active', status: 409, instance_id: id });
  });

  it('goes on where it was after a reload: a new connection, the active instance', async () => {
    await socket.close();
    socket = await ana.listen();
    const { body } = await ana.get('/api/workflows/active');
    expect(body).toMatchObject({ instance_id: id, current_step: 'brain_dump', progress: { percent: 66 } });
    socket.send({ action: 'subscribe', topic: `instance:${id}`, after: Number(body.version) - 1 });
    await socket.until(({ type }) => type === 'subscribed');
  });

  it('is blocked until the widget has an item', async () => {
    expect((await done()).body).toMatchObject({
      result: 'blocked',
      missing_criteria: [{ type: 'widget_completed' }],
    });
    await ana.post(`/api/workflows/${id}/widgets/list_input`, { items: [] });
    expect((await done()).body).toMatchObject({ result: 'blocked' });
    await ana.post(`/api/workflows/${id}/widgets/list_input`, { items: ['buy milk'] });
  });

  it('completes, at a hundred per cent, and says so', async () => {
    expect((await done()).body).toMatchObject({ result: 'completed', progress: { percent: 100 } });
    const { data } = await told('workflow.completed');
    expect(data).toMatchObject({ workflow_id: 'onboarding', completed_at: expect.any(String), summary: {} });
    expect((await ana.get('/api/workflows/active')).status).toBe(404);
    const { body } = await ana.get(`/api/workflows/${id}?at=2`);
    expect(body).toMatchObject({ current_step: 'discovery', version: 2 });
  });
});
