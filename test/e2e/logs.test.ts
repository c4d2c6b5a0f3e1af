// What the functions log: enough to follow an instance, and nothing of what people and agents say.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { callerWith, eventually, signal, started } from './callers.ts';

const SECRETS = ['secret-feedback', 'secret-data', 'secret-artifact', 'secret-fact', 'secret-answer'];

describe('logs', () => {
  let server: TestServer;
  let token: string;
  let id: string;
  beforeAll(async () => {
    server = await startServer({ store: 'dynoxide', env: { POWERTOOLS_LOG_LEVEL: 'INFO' } });
    token = await server.token('olga', ['developer', 'architect']);
    const olga = callerWith(server, token);
    id = await started(olga, 'delivery');
    const work = { artifacts: { commit_sha: 'secret-artifact' }, data: { note: 'secret-data' } };
    await signal(olga, id, { action: 'COMMIT_CODE', ...work });
    await signal(olga, id, { action: 'REJECT_DESIGN', feedback: 'secret-feedback' });
    await signal(olga, id, { action: 'SECRET', feedback: 'secret-feedback' });
    await olga.post(`/api/workflows/${id}/answers`, { answers: { q1: 'secret-answer' } });
    await olga.post('/api/memory/facts', { category: 'c', memory: 'secret-fact' });
    const socket = await olga.listen();
    socket.send({ action: 'subscribe', topic: `instance:${id}`, after: 0 });
    await socket.until(({ type }) => type === 'workflow.violation');
    await socket.close();
    await eventually(
      () => Promise.resolve(server.output()),
      (said) => said.includes('/answers'),
    );
  });
  afterAll(() => server?.stop());

  it('name the instance, its workflow and step, the result, conflicts and how long it took', () => {
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>); // structured, one object a line
    expect(lines).toContainEqual(
      expect.objectContaining({
        instance_id: id,
        workflow_id: 'delivery',
        step: 'todo',
        signal: 'signal',
        result: 'advanced',
        conflicts: 0,
      }),
    );
    const route = 'POST /api/workflows/{instance_id}/signal';
    expect(lines).toContainEqual(
      expect.objectContaining({ route, status: 200, latency_ms: expect.any(Number) }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ result: 'invalid_transition' }));
  });

  it('hold no token and nothing that was said', () => {
    const said = server.output();
    for (const secret of [...SECRETS, token, token.slice(-40)]) expect(said).not.toContain(secret);
  });
});
