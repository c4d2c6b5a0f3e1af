// Signals sent over the socket: answered, refused, and said again when the line is lost.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Client, createClient } from '../../client/node.ts';
import { INSTANCE, ScriptedServer } from './scripted-server.ts';

let server: ScriptedServer;
let client: Client;
const FAST = { backoff: { first_ms: 2, most_ms: 10 }, retry: { first_ms: 1, most_ms: 5 } };
const over = { over: 'socket' } as const;

beforeEach(async () => {
  server = await ScriptedServer.start();
  client = createClient({ url: server.url, token: 'secret', timing: FAST });
});
afterEach(async () => {
  client.close();
  await server.stop();
});
const signals = () => server.frames.filter(({ action }) => action === 'signal');
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 5 });

it('an answer comes back to the signal it answers', async () => {
  server.onFrame = ({ request_id, signal }, socket) =>
    socket.send(JSON.stringify({ type: 'result', request_id, result: 'stayed', echo: signal }));
  const [a, b] = await Promise.all([
    client.signal(INSTANCE, { action: 'stay', step: 'a' }, over),
    client.signal(INSTANCE, { action: 'stay', step: 'b' }, { ...over, idempotency_key: 'mine' }),
  ]);
  expect([a, b]).toEqual([
    { result: 'stayed', echo: { action: 'stay', step: 'a' } },
    { result: 'stayed', echo: { action: 'stay', step: 'b' } },
  ]);
  expect(signals()[1]).toMatchObject({ instance_id: INSTANCE, idempotency_key: 'mine' });
  expect(server.tokens).toHaveLength(1);
});

it('a signal whose line is lost is said again, under the same key', async () => {
  server.onFrame = (_frame, socket) => socket.terminate();
  const answered = client.signal(INSTANCE, {}, over);
  await until(() => expect(signals().length).toBeGreaterThan(0));
  server.onFrame = ({ request_id }, socket) =>
    socket.send(JSON.stringify({ type: 'result', request_id, result: 'stayed' }));
  expect(await answered).toEqual({ result: 'stayed' });
  expect(new Set(signals().map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
});

it('a refusal is thrown; one that may pass is tried again first', async () => {
  const codes = ['version_conflict', 'step_mismatch'];
  server.onFrame = ({ request_id }, socket) => {
    const code = codes.shift();
    socket.send(
      JSON.stringify({
        type: 'error',
        request_id,
        code,
        message: 'no',
        retryable: code === 'version_conflict',
      }),
    );
  };
  await expect(client.signal(INSTANCE, {}, over)).rejects.toMatchObject({
    status: 409,
    code: 'step_mismatch',
    message: 'no',
  });
  expect(signals()).toHaveLength(2);
});

it('a signal nobody answers runs out of time, can be aborted, and ends with the client', async () => {
  server.onFrame = () => {};
  const once = { ...over, tries: 1 };
  await expect(client.signal(INSTANCE, {}, { ...once, timeout_ms: 20 })).rejects.toMatchObject({
    code: 'timeout',
  });
  const reason = new Error('enough');
  const stop = new AbortController();
  const aborted = client.signal(INSTANCE, {}, { ...once, signal: stop.signal });
  stop.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  const closed = client.signal(INSTANCE, {}, once);
  client.close();
  await expect(closed).rejects.toMatchObject({ code: 'closed' });
});
