// The client against the real server: what only the two together can show.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Client, createClient, type StepgateEvent } from '../../client/node.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Client;
let developer: Client;
beforeAll(async () => {
  server = await startServer();
  owner = createClient({ url: server.url, token: await server.token('olga') });
  developer = createClient({ url: server.url, token: await server.token('dev', ['developer'], 'agent') });
});
afterAll(async () => {
  owner?.close();
  developer?.close();
  await server?.stop();
});
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 20 });
const startDelivery = async () => (await owner.start({ workflow_id: 'delivery' })).instance_id;

describe('the client and the server', () => {
  it('say the same over the socket as over HTTP', async () => {
    const instance_id = await startDelivery();
    const over = { over: 'socket', idempotency_key: 'k-1' } as const;
    const blocked = await developer.signal(instance_id, { action: 'COMMIT_CODE' }, over);
    expect(blocked).toMatchObject({ result: 'blocked', instance_id, version: 2 });
    const again = await developer.signal(instance_id, { action: 'COMMIT_CODE' }, over);
    expect(again).toEqual({ ...blocked, replayed: true });
    const refusals = [{ over: 'socket' }, { over: 'http' }].map((how) =>
      owner
        .signal(instance_id, { action: 'COMMIT_CODE' }, how as { over: 'socket' }) // one of the two
        .catch(({ status, code, retryable }: Record<string, unknown>) => ({ status, code, retryable })),
    );
    const refused = { status: 403, code: 'role_not_allowed', retryable: false };
    expect(await Promise.all(refusals)).toEqual([refused, refused]);
  });

  it('bring an event that is too large for a message whole', async () => {
    const instance_id = await startDelivery();
    const heard: StepgateEvent[] = [];
    const listening = owner.subscribe(`instance:${instance_id}`, {
      onEvent: (event) => void heard.push(event),
    });
    await listening.ready;
    const summary = 'x'.repeat(125_000);
    await developer.signal(instance_id, { action: 'COMMIT_CODE', artifacts: { commit_sha: 'a', summary } });
    await until(() => expect(listening.cursor).toBe(2));
    const { items } = await owner.history(instance_id, { after: 1 });
    expect(heard).toEqual(items.flatMap(({ events }) => events));
    const assigned = heard.find(({ type }) => type === 'workflow.task.assigned');
    expect(assigned?.data['work_to_validate']).toMatchObject({ summary });
  });

  it('go on when a token has run out', async () => {
    const instance_id = await startDelivery();
    const heard: StepgateEvent[] = [];
    let tokens = 0;
    const token = (): Promise<string> => {
      tokens++;
      return server.token('olga', [], 'human', tokens === 1 ? 2 : 600);
    };
    const brief = createClient({ url: server.url, token });
    await brief.subscribe(`instance:${instance_id}`, { after: 0, onEvent: (event) => void heard.push(event) })
      .ready;
    const asked = Date.now();
    await until(() => expect(Date.now() - asked).toBeGreaterThan(2_100)); // the token's own two seconds
    await developer.signal(instance_id, { action: 'COMMIT_CODE' });
    await until(() => expect(heard.at(-1)?.type).toBe('workflow.step_blocked'));
    expect(heard.map(({ id }) => id)).toEqual(['1.0', '1.1', '2.0'].map((at) => `${instance_id}:${at}`));
    brief.close();
  });

  it('refuse what is not there, and what the caller may not see, alike', async () => {
    const instance_id = await startDelivery();
    const stranger = createClient({ url: server.url, token: await server.token('stranger') });
    for (const topic of [`instance:${instance_id}`, 'instance:nothing', 'role:qa'] as const) {
      const { closed } = stranger.subscribe(topic, { onEvent: () => expect.unreachable() });
      await expect(closed).rejects.toMatchObject({ status: 404, code: 'not_found' });
    }
    stranger.close();
    const nobody = createClient({ url: server.url, token: 'not.a.token' });
    const refused = nobody.subscribe('user:me', { onEvent: () => {} }).closed;
    await expect(refused).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
  });
});
