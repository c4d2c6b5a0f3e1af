// The HTTP side of the client: what is sent, what is tried again, and what a refusal becomes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, type ClientOptions, createClient, StepgateError } from '../../client/node.ts';
import { ROUTES } from '../../shared/routes.ts';
import { type Answering, type Reply, ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer;
const RETRY = { first_ms: 1, most_ms: 5 };

beforeEach(async () => {
  server = await ScriptedServer.start();
});
afterEach(() => server.stop());

const client = (options: Partial<ClientOptions> = {}): Client =>
  createClient({ url: `${server.url}/`, token: 'secret', timing: { retry: RETRY }, ...options });

/** Answers the first calls from the list, then all with 200. */
const first =
  (...replies: readonly (Reply | undefined)[]): Answering =>
  () => {
    const at = server.asked.length - 1;
    return at < replies.length ? replies[at] : { status: 200, body: { result: 'stayed' } };
  };
const problem = (status: number, code: string, more: object = {}): Reply => ({
  status,
  body: { type: `urn:x:${code}`, title: code, status, code, detail: `no: ${code}`, ...more },
  headers: { 'content-type': 'application/problem+json' },
});
const keys = () => server.asked.map(({ headers }) => headers['idempotency-key']);
const refusal = (call: Promise<unknown>): Promise<StepgateError> =>
  call.then(
    () => expect.unreachable('it was accepted'),
    (error: unknown) => {
      if (error instanceof StepgateError) return error;
      throw error;
    },
  );

describe('the calls', () => {
  it('reach every route of the table, with method, path and token', async () => {
    server.answer = () => ({ status: 200, body: {} });
    const to = client();
    await to.start({ workflow_id: 'onboarding' });
    await to.list({ status: 'in_progress', limit: 5 });
    await to.active('onboarding');
    await to.details('i 1', { at: 4 });
    await to.progress('i 1');
    await to.history('i 1', { after: 3, limit: 10 });
    await to.next('i 1');
    await to.prerequisites('i 1', 4);
    await to.step('i 1', 'discovery');
    await to.completeStep('i 1', 'discovery', { evidence: { function_count: 3 } });
    await to.content('i 1', { q: 'tea' });
    await to.context('i 1');
    await to.signal('i 1', { action: 'stay' });
    await to.message('i 1', { text: 'Hello' });
    await to.answer('i 1', { answers: ['yes'] });
    await to.approve('i 1', { approved: true });
    await to.claim('i 1', {});
    await to.release('i 1', {});
    await to.heartbeat('i 1', {});
    await to.override('i 1', { reason: 'it is wrong' });
    await to.cancel('i 1', { reason: 'no longer needed' });
    await to.widget('i 1', 'list_input', { items: ['milk'] });
    await to.tasks({ role: 'qa' });
    await to.agentWork({ task_id: 'i 1', role: 'developer', action_performed: 'COMMIT_CODE' });
    await to.facts({ category: 'priorities' });
    await to.addFact({ memory: 'likes tea', category: 'priorities' });
    await to.openSession({ session_name: 'chapter 2' });
    await to.sessions();
    await to.session('chapter 2', { limit: 5 });
    await to.commitSession('chapter 2');
    await to.cancelSession('chapter 2', { reason: 'not this way' });
    await to.resume('i 1', { from_step: 4 });
    await to.retry('i 1', { error: 'it broke' });
    await to.fork('i 1', { at: 2 });
    await to.migrate('i 1');
    await to.replay('i 1', { after: 500 });
    await to.metrics('i 1');
    await to.versions('delivery');
    await to.publish('delivery', { steps: [{ id: 'a' }] });
    await to.definitions();
    await to.definition('delivery', { version: 'v1' });

    const called = server.asked.map(({ method, path }) => `${method} ${path}`);
    const expected = ROUTES.filter(({ access }) => access === 'caller').map(
      ({ method, path }) =>
        `${method} ${path
          .replace('{instance_id}', 'i%201')
          .replace('prerequisites/{step}', 'prerequisites/4')
          .replace('{step}', 'discovery')
          .replace('{widget_type}', 'list_input')
          .replace('{session_name}', 'chapter%202')
          .replace('{workflow_id}', 'delivery')}`,
    );
    expect(called.toSorted()).toEqual(expected.toSorted());
    for (const { method, headers } of server.asked) {
      expect(headers.authorization).toBe('Bearer secret');
      expect(headers['idempotency-key'] !== undefined).toBe(method !== 'GET');
    }
    expect(new Set(keys().filter(Boolean)).size).toBe(keys().filter(Boolean).length);
    expect(server.asked[1]?.query).toEqual({ status: 'in_progress', limit: '5' });
    expect(server.asked[3]?.query).toEqual({ at: '4' });
  });

  it('read a prompt and a diagram as text', async () => {
    server.answer = ({ headers, query }) => ({ status: 200, body: `${headers.accept}|${query['format']}` });
    expect(await client().prompt('i-1')).toMatch(/^text\/plain.*\|prompt$/);
    expect(await client().diagram('delivery')).toMatch(/\|mermaid$/);
  });

  it('take a fresh token for each call from a function', async () => {
    server.answer = () => ({ status: 200, body: {} });
    let asked = 0;
    const to = client({ token: () => Promise.resolve(`token-${++asked}`) });
    await to.list();
    await to.list();
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });
});

describe('what is tried again', () => {
  it.each<[string, Reply | undefined]>([
    ['a cut connection', undefined],
    ['503', problem(503, 'unavailable')],
    ['429', { status: 429, body: { message: 'Too Many Requests' }, headers: { 'retry-after': '0' } }],
    ['502 of a gateway', { status: 502, body: '<html>' }],
    ['409 version_conflict', problem(409, 'version_conflict', { retryable: true })],
  ])('%s: a write goes out again under the same key', async (_title, reply) => {
    server.answer = first(reply, reply);
    expect(await client().signal('i-1', { action: 'stay' })).toEqual({ result: 'stayed' });
    expect(keys()).toHaveLength(3);
    expect(new Set(keys()).size).toBe(1);
  });

  it('a read, after a cut connection', async () => {
    server.answer = first(undefined);
    await client().progress('i-1');
    expect(server.asked).toHaveLength(2);
  });

  it('a try that is not answered in time', async () => {
    server.answer = () => (server.asked.length === 1 ? new Promise(() => {}) : { status: 200, body: {} });
    await client({ timeout_ms: 40 }).list();
    expect(server.asked).toHaveLength(2);
  });

  it('only so often; then the last refusal is thrown', async () => {
    server.answer = () => problem(503, 'unavailable');
    const error = await refusal(client({ tries: 3 }).signal('i-1', {}));
    expect([error.status, error.code, error.retryable]).toEqual([503, 'unavailable', true]);
    expect(server.asked).toHaveLength(3);
  });

  it('a call with a token that has run out, once, with a new one', async () => {
    server.answer = first(problem(401, 'unauthenticated'));
    let asked = 0;
    await client({ token: () => `token-${++asked}` }).list();
    expect(asked).toBe(2);
    server.asked.length = 0;
    server.answer = () => problem(401, 'unauthenticated');
    expect((await refusal(client({ token: () => 'bad' }).list())).code).toBe('unauthenticated');
    expect(server.asked).toHaveLength(2);
  });

  it('not a write that insists on a version that is gone', async () => {
    server.answer = () => problem(409, 'version_conflict', { retryable: true });
    const error = await refusal(client().signal('i-1', { action: 'stay', expected_version: 7 }));
    expect([error.code, server.asked.length]).toEqual(['version_conflict', 1]);
  });

  it("the caller's own key is the one that is sent", async () => {
    server.answer = first(undefined);
    await client().cancel('i-1', {}, { idempotency_key: 'mine' });
    expect(keys()).toEqual(['mine', 'mine']);
  });
});

describe('a refusal', () => {
  it('is one StepgateError with code, words and details', async () => {
    server.answer = () => problem(422, 'invalid_transition', { allowed_actions: ['COMMIT_CODE'] });
    const error = await refusal(client().signal('i-1', { action: 'SHIP' }));
    expect(error).toMatchObject({
      name: 'StepgateError',
      status: 422,
      code: 'invalid_transition',
      message: 'no: invalid_transition',
      retryable: false,
      details: { allowed_actions: ['COMMIT_CODE'] },
    });
    expect(server.asked).toHaveLength(1);
  });

  it.each<[Reply, string, string]>([
    [{ status: 404, body: { message: 'Not Found' } }, 'not_found', 'Not Found'],
    [{ status: 418, body: 'teapot' }, 'unexpected_answer', 'The server answered 418.'],
    [{ status: 200, body: 'not json' }, 'unexpected_answer', 'The server did not answer in JSON.'],
  ])('that is not ours is understood as far as possible: %j', async (reply, code, message) => {
    server.answer = () => reply;
    expect(await refusal(client().list())).toMatchObject({ code, message, retryable: false });
  });

  it('of the connection says what was not reached', async () => {
    const { url } = server;
    await server.stop();
    const error = await refusal(createClient({ url, token: 't', tries: 1 }).list());
    expect(error).toMatchObject({ status: 0, code: 'unreachable', retryable: true });
    expect(error.message).toContain('GET /api/workflows');
    server = await ScriptedServer.start();
  });
});

describe('giving up', () => {
  it('an aborted call rejects with the reason, also between two tries', async () => {
    const reason = new Error('changed my mind');
    const giveUp = new AbortController();
    server.answer = () => {
      giveUp.abort(reason);
      return problem(503, 'unavailable');
    };
    const slow = { retry: { first_ms: 60_000, most_ms: 60_000 } };
    await expect(client({ timing: slow }).list({}, { signal: giveUp.signal })).rejects.toBe(reason);
    await expect(client().list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
