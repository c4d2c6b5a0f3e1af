// The whole server as a process: starts quickly, says what one needs, survives being killed, refuses in sentences.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { failToStart, startServer, type TestServer } from '../support/server.ts';
import { endpointOf, STORE_KINDS } from '../support/stores.ts';

const temporary = mkdtempSync(path.join(tmpdir(), 'stepgate-local-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

describe.each(STORE_KINDS)('the server on %s', (store) => {
  let server: TestServer;
  let headers: Record<string, string>;
  beforeAll(async () => {
    server = await startServer({ store });
    headers = { authorization: `Bearer ${await server.token('ann')}`, 'content-type': 'application/json' };
  });
  afterAll(() => server.stop());

  const get = async (target: string) => {
    const response = await fetch(`${server.url}${target}`, { headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // looked at below
  };
  const post = async (target: string, body: object) => {
    const response = await fetch(`${server.url}${target}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // looked at below
  };

  it('says how long it took, where it is and how to get a token', () => {
    expect(server.output()).toMatch(/ready in \d+ ms: \d+ workflows/);
    expect(server.output()).toContain(`${server.ws_url}\n`);
    expect(server.output()).toContain('stepgate token --sub');
  });

  it('is healthy, and shows its keys as an issuer does', async () => {
    expect((await get('/health')).body).toEqual({ status: 'ok' });
    const { body } = await get('/.well-known/openid-configuration');
    expect(body).toMatchObject({
      issuer: 'urn:stepgate:local',
      jwks_uri: `${server.url}/.well-known/jwks.json`,
    });
    expect((await get('/.well-known/jwks.json')).body).toMatchObject({ keys: [{ kty: 'EC', alg: 'ES256' }] });
  });

  it('takes the tokens that stepgate token prints, and no others', async () => {
    const { stdout } = spawnSync(process.execPath, ['cli/bin.js', 'token', '--sub', 'bob'], {
      env: { ...process.env, STEPGATE_DATA: server.data_dir },
      encoding: 'utf8',
    });
    const ask = (token: string) =>
      fetch(`${server.url}/api/definitions`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask(stdout.trim())).status).toBe(200);
    expect((await ask(`${stdout.trim()}x`)).status).toBe(401);
    expect((await ask(await server.token('bob', [], 'human', -1))).status).toBe(401);
  });

  it('pushes an event over the WebSocket, and lists what the stream projected', async () => {
    const socket = new WebSocket(server.ws_url, ['stepgate', await server.token('ann')]);
    const received: Record<string, unknown>[] = [];
    socket.on('message', (data: Buffer) =>
      received.push(JSON.parse(data.toString()) as Record<string, unknown>),
    ); // JSON of ours
    socket.on('open', () => socket.send(JSON.stringify({ action: 'subscribe', topic: 'user:me' })));
    await vi.waitFor(() => expect(received).toContainEqual(expect.objectContaining({ type: 'subscribed' })));
    const started = await post('/api/workflows', { workflow_id: 'onboarding' });
    expect(started.status).toBe(201);
    const { instance_id } = started.body;
    await vi.waitFor(() =>
      expect(received).toContainEqual(expect.objectContaining({ type: 'workflow.started', instance_id })),
    );
    await vi.waitFor(async () =>
      expect(JSON.stringify((await get('/api/workflows')).body)).toContain(instance_id),
    );
    socket.terminate();
  });

  it('kill -9 loses nothing acknowledged and leaves no store behind; the stream goes on', async () => {
    const { body } = await post('/api/workflows', { workflow_id: 'delivery', instance_id: 'before-the-end' });
    expect(body).toMatchObject({ instance_id: 'before-the-end' });
    const children = childrenOf(server.pid);
    await server.kill9();
    await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), { timeout: 5_000 });
    await server.restart();
    expect((await get('/api/workflows/before-the-end')).status).toBe(200);
    await vi.waitFor(async () =>
      expect(JSON.stringify((await get('/api/workflows')).body)).toContain('before-the-end'),
    );
  });

  it('a restart finds everything again', async () => {
    const { body } = await post('/api/workflows', { workflow_id: 'delivery', instance_id: 'kept' });
    expect(body).toMatchObject({ instance_id: 'kept' });
    await server.restart();
    expect((await get('/api/workflows/kept')).status).toBe(200);
    expect(existsSync(path.join(server.data_dir, 'server.json'))).toBe(true);
  });

  it('a second server on the same folder is told where the first one is', async () => {
    const { code, said } = await failToStart({
      PORT: '0',
      STEPGATE_DATA: server.data_dir,
      STEPGATE_DB: store,
    });
    expect(code).toBe(1);
    expect(said).toContain(`Another server (process ${server.pid}, ${server.url}) uses the data folder`);
    expect(said).toContain('STEPGATE_DATA=');
    expect(said).not.toContain('    at ');
  });
});

it('Ctrl-C ends it with 0 and takes its folder back', async () => {
  const server = await startServer();
  expect(await server.stop()).toBe(0);
  expect(server.output()).toContain('Stopping (SIGINT).');
  expect(existsSync(server.data_dir)).toBe(false);
});

describe('what keeps it from starting is a sentence with a way out', () => {
  const data = () => mkdtempSync(path.join(temporary, 'data-'));

  it('a port in use', async () => {
    const { port } = new URL(endpointOf(STORE_KINDS[0] ?? 'dynoxide'));
    const { code, said } = await failToStart({ PORT: port, STEPGATE_DATA: data() });
    expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(/^Port \d+ is in use\..*PORT=/) });
  });

  it('a data folder that cannot be written', async () => {
    const file = path.join(data(), 'file');
    writeFileSync(file, '');
    const { code, said } = await failToStart({ PORT: '0', STEPGATE_DATA: path.join(file, 'below') });
    expect({ code, said }).toEqual({
      code: 1,
      said: expect.stringMatching(/^The data folder .* cannot be written \(ENOTDIR\)\..*STEPGATE_DATA=/),
    });
  });

  it.each([
    ['a store nobody knows', { STEPGATE_DB: 'oracle' }, /^STEPGATE_DB is "oracle"\. Set it to dynoxide/],
    [
      'a store that does not answer',
      { STEPGATE_DB: 'http://127.0.0.1:9' },
      /^Nothing answers at http.*STEPGATE_DB/,
    ],
    ['a port that is no port', { PORT: 'http' }, /^PORT is "http"\. Set it to a number/],
    [
      'Java missing',
      { STEPGATE_DB: 'dynamodb-local', JAVA_HOME: '/nowhere' },
      /needs Java 17.*there is no \/nowhere/,
    ],
  ])('%s', async (_title, env, sentence) => {
    const { code, said } = await failToStart({ PORT: '0', STEPGATE_DATA: data(), ...env });
    expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(sentence) });
    expect(said).not.toContain('    at ');
  });
});

/** From /proc, or from ps where there is none. */
function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

/** A zombie that nobody has waited for yet is not alive. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
