// The built functions at work, each with the environment and the permissions that the stack gives it: nothing they
// ask for is refused, and nothing they are given goes unused. The tests of a run build on each other.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FUNCTIONS, type FunctionName } from '../../infra/functions/catalogue.ts';
import { KEPT_KEYS } from '../../shared/engine/index.ts';
import { createConnections } from '../../shared/store/connections.ts';
import { clientConfig, endpointOf, STORE_KINDS } from '../support/stores.ts';
import { allowed } from './allowed.ts';
import { type Deployed, deploy } from './deployed.ts';
import { call, callTool, type Claims, commitsOf } from './requests.ts';
import { createFolder, removeFolder } from './synthesis.ts';

/** Only the signals function ships it: the others find it where the versions of instances are kept. */
const PAIR = {
  id: 'pair',
  roles: ['qa', 'developer'],
  steps: [
    { id: 'together', roles: ['qa', 'developer'] },
    { id: 'alone', roles: ['qa'] },
  ],
};

const TIMED = {
  id: 'timed',
  roles: ['qa'],
  steps: [
    { id: 'write', roles: ['qa'], attempts: { max: 2, timeout_seconds: 600, heartbeat_seconds: 60 } },
    { id: 'print', roles: ['qa'] },
  ],
};

const ISSUER = { url: 'https://login.example.com/', audience: 'stepgate' };
const OLGA: Claims = { sub: 'olga', kind: 'human', roles: '[]' };
const QUINN: Claims = { sub: 'quinn', kind: 'agent', roles: '[qa developer]' };
const SIGNAL = 'POST /api/workflows/{instance_id}/signal';
const BUILDING = 120_000;
const HANDLED = { batchItemFailures: [] };
const OK: unknown = expect.objectContaining({ statusCode: 200 });

describe.skipIf(!STORE_KINDS.includes('dynoxide'))('deployed, with the dynoxide binary for a store', () => {
  let folder: string;
  let deployed: Deployed;
  let token: string;
  let onboarding: string;
  let pair: string;

  beforeAll(async () => {
    folder = createFolder();
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] };
    deployed = await deploy({
      folder,
      issuer: ISSUER,
      jwks,
      shipped: { 'http-signals': { pair: PAIR, timed: TIMED } },
    });
    token = await new SignJWT({ kind: 'human', roles: ['qa'] })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(ISSUER.url)
      .setAudience(ISSUER.audience)
      .setSubject('olga')
      .setExpirationTime('1h')
      .sign(privateKey);
  }, BUILDING);
  afterAll(async () => {
    await deployed?.stop();
    removeFolder(folder);
  });

  const signal = (instance_id: string, claims: Claims, body: object, key?: string) =>
    call(deployed, claims, SIGNAL, { path: { instance_id }, body, ...(key === undefined ? {} : { key }) });
  /** So many keys that the first is only found in the index. */
  const turnRing = async (instance_id: string, claims: Claims) => {
    for (let i = 0; i <= KEPT_KEYS; i++) await signal(instance_id, claims, { action: 'stay' }, `key-${i}`);
  };
  const project = async () => deployed.invoke('stream-project', await commitsOf(deployed));

  it('signals start once per key, are judged by facts, and know their keys for a whole life', async () => {
    const body = { workflow_id: 'onboarding' };
    const start = () => call(deployed, OLGA, 'POST /api/workflows', { body, key: 'first' });
    const begun = await start();
    expect(begun).toMatchObject({ status: 201, current_step: 'greeting' });
    onboarding = String(begun['instance_id']);
    expect(await start()).toMatchObject({ instance_id: onboarding });
    expect(await signal(onboarding, OLGA, { action: 'complete_step' })).toMatchObject({ result: 'advanced' });
    expect(await signal(onboarding, OLGA, { action: 'complete_step' })).toMatchObject({ result: 'blocked' });
    await turnRing(onboarding, OLGA);
    expect(await signal(onboarding, OLGA, { action: 'stay' }, 'key-0')).toMatchObject({ replayed: true });
  });

  it('memory keeps a fact once per key, and lists it', async () => {
    const body = { memory: 'tea before coffee', category: 'priorities' };
    const add = () => call(deployed, OLGA, 'POST /api/memory/facts', { body, key: 'fact' });
    expect((await add()).status).toBe(201);
    expect((await add()).status).toBe(201);
    expect((await call(deployed, OLGA, 'GET /api/memory/facts')).status).toBe(200);
  });

  it('project lists an instance for each role it waits for, and takes it off again', async () => {
    const begun = await call(deployed, QUINN, 'POST /api/workflows', { body: { workflow_id: 'pair' } });
    expect(begun.status).toBe(201);
    pair = String(begun['instance_id']);
    expect(await project()).toEqual(HANDLED);
    await turnRing(pair, QUINN);
    expect(await signal(pair, QUINN, { action: 'complete_step', role: 'qa' })).toMatchObject({
      result: 'advanced',
    });
    expect(await project()).toEqual(HANDLED);
  });

  it('memory lets an agent write about the owner of an instance it works on', async () => {
    const body = { workflow_id: 'pair', user_id: 'olga' };
    expect((await call(deployed, QUINN, 'POST /api/workflows', { body })).status).toBe(201);
    expect(await project()).toEqual(HANDLED);
    const fact = { memory: 'tea at five', category: 'habits', user_id: 'olga' };
    expect((await call(deployed, QUINN, 'POST /api/memory/facts', { body: fact })).status).toBe(201);
  });

  it('sessions are opened once per key, filled, shown and committed', async () => {
    const path = { session_name: 'sprint' };
    const open = () => call(deployed, QUINN, 'POST /api/sessions', { body: path, key: 'open' });
    expect((await open()).status).toBe(201);
    expect((await open()).status).toBe(201);
    const body = { workflow_id: 'pair', ...path };
    expect((await call(deployed, QUINN, 'POST /api/workflows', { body })).status).toBe(201);
    expect(await project()).toEqual(HANDLED);
    const shown = await call(deployed, QUINN, 'GET /api/sessions/{session_name}', { path });
    expect(shown).toMatchObject({
      status: 200,
      instances: [expect.objectContaining({ workflow_id: 'pair' })],
    });
    expect((await call(deployed, QUINN, 'GET /api/workflows', { query: path })).status).toBe(200);
    expect((await call(deployed, QUINN, 'GET /api/sessions')).status).toBe(200);
    const commit = 'POST /api/sessions/{session_name}/commit';
    expect(await call(deployed, QUINN, commit, { path })).toMatchObject({ closed_by: 'quinn' });
    expect(await project()).toEqual(HANDLED);
  });

  it('recovery resumes, forks what a session hides, and migrates to what admin publishes', async () => {
    const recover = (verb: string, instance_id: string, body = {}, key?: string) =>
      call(deployed, QUINN, `POST /api/workflows/{instance_id}/${verb}`, {
        path: { instance_id },
        body,
        ...(key === undefined ? {} : { key }),
      });
    const path = { session_name: 'aside' };
    await call(deployed, QUINN, 'POST /api/sessions', { body: path });
    const body = { workflow_id: 'pair', ...path };
    const hidden = String((await call(deployed, QUINN, 'POST /api/workflows', { body }))['instance_id']);
    expect(await recover('fork', hidden)).toMatchObject({
      status: 201,
      forked_from: { instance_id: hidden },
    });
    await turnRing(hidden, QUINN);
    await recover('cancel', hidden);
    expect(await recover('resume', hidden, {}, 'again')).toMatchObject({ result: 'advanced' });
    const published = await call(
      deployed,
      { ...OLGA, roles: '[admin]' },
      'PUT /api/definitions/{workflow_id}',
      {
        path: { workflow_id: 'pair' },
        body: { ...PAIR, version: 'two' },
      },
    );
    expect(published).toMatchObject({ status: 201, change: 'created' });
    expect(await recover('migrate', hidden)).toMatchObject({ result: 'stayed' });
    expect(await recover('retry', hidden, { error: 'x' })).toMatchObject({ code: 'not_resumable' });
  });

  it('reads show and list, and put it on record when a locked step is read', async () => {
    const status = async (claims: Claims, route: string, request = {}) =>
      (await call(deployed, claims, `GET /api/${route}`, request)).status;
    const path = { instance_id: onboarding };
    expect(await status(OLGA, 'workflows/{instance_id}', { path, query: { at: '1' } })).toBe(200);
    expect(await status(OLGA, 'workflows/{instance_id}/context', { path })).toBe(200);
    expect(await status(OLGA, 'workflows/{instance_id}/history', { path })).toBe(200);
    expect(await status(OLGA, 'definitions/{workflow_id}/versions', { path: { workflow_id: 'pair' } })).toBe(
      200,
    );
    expect(await status(OLGA, 'workflows/active')).toBe(200);
    const locked = { path: { ...path, step: 'brain_dump' } };
    expect(await status(OLGA, 'workflows/{instance_id}/steps/{step}', locked)).toBe(409);
    expect(await status(QUINN, 'workflows/{instance_id}', { path: { instance_id: pair } })).toBe(200);
    expect(await status({ ...OLGA, roles: '[admin]' }, 'workflows')).toBe(200);
    const inbox = await call(deployed, QUINN, 'GET /api/tasks', { query: { role: 'qa' } });
    expect(inbox['tasks']).toContainEqual(expect.objectContaining({ task_id: pair }));
    expect(await status(OLGA, 'definitions')).toBe(200);
  });

  it('analysis searches, proves and measures, whatever version an instance is pinned to', async () => {
    for (const [claims, instance_id] of [
      [OLGA, onboarding],
      [QUINN, pair],
    ] as const)
      for (const [view, query] of [
        ['content', { q: 'step' }],
        ['replay', {}],
        ['metrics', {}],
      ] as const) {
        const route = `GET /api/workflows/{instance_id}/${view}`;
        expect((await call(deployed, claims, route, { path: { instance_id }, query })).status).toBe(200);
      }
  });

  it('docs describe the API', async () => {
    expect(await call(deployed, OLGA, 'GET /openapi.json')).toMatchObject({ openapi: '3.1.0' });
  });

  it('mcp starts, lists, shows and carries on, for agents that speak it', async () => {
    const session_name = 'second';
    await call(deployed, QUINN, 'POST /api/sessions', { body: { session_name } });
    const tool = (name: string, args: object) => callTool(deployed, QUINN, name, args);
    expect(await tool('start_workflow', { workflow_id: 'delivery', session_name })).toMatchObject({
      current_step: 'todo',
    });
    expect(await tool('get_workflow_status', { workflow_id: pair })).toMatchObject({ workflow_type: 'pair' });
    const again = { instance_id: pair, action: 'stay', idempotency_key: 'key-0' };
    expect(await tool('send_signal', again)).toMatchObject({ replayed: true });
    for (const filter of [{}, { session_name }])
      expect(await tool('list_workflows', filter)).toMatchObject({ total: expect.any(Number) });
    const { tasks } = await tool('get_pending_tasks', { role: 'qa' });
    expect(tasks).toContainEqual(expect.objectContaining({ task_id: pair }));
  });

  it('a clock is started, asked, kept alive, let go and stopped', async () => {
    const start = async () =>
      String(
        (await call(deployed, QUINN, 'POST /api/workflows', { body: { workflow_id: 'timed' } }))[
          'instance_id'
        ],
      );
    const follow = async () =>
      expect(await deployed.invoke('stream-clock', await commitsOf(deployed))).toEqual(HANDLED);
    const instance_id = await start();
    const clock = { instance_id, key: 'attempts#1#write' };
    const machine = (op: string, more = {}) => deployed.invoke('attempts-clock', { op, clock, ...more });
    await follow();
    const next = await machine('ask');
    expect(next).toMatchObject({ wait: 'token', heartbeat_seconds: 60 });
    expect(await machine('await', { next, token: 'one' })).toEqual({ released: false });
    await signal(instance_id, QUINN, { action: 'stay' });
    await follow();
    expect(await signal(instance_id, QUINN, { action: 'complete_step' })).toMatchObject({
      result: 'advanced',
    });
    await follow();
    expect(await machine('await', { next, token: 'two' })).toEqual({ released: true });
    expect(await machine('tell', { next, because: 'time' })).toEqual({ told: false });
    expect(await machine('ask')).toEqual({ done: true });
    const path = { instance_id: await start() };
    await call(deployed, QUINN, 'POST /api/workflows/{instance_id}/cancel', { path, body: {} });
    await follow();
  });

  it('agent-work takes a report from the bus, once', async () => {
    const detail = { task_id: pair, agent_id: 'quinn', role: 'qa', action_performed: 'complete_step' };
    for (const id of ['event-1', 'event-1'])
      await deployed.invoke('events-agent-work', { id, 'detail-type': 'agent.work.completed', detail });
    const path = { instance_id: pair };
    expect(await call(deployed, QUINN, 'GET /api/workflows/{instance_id}', { path })).toMatchObject({
      status: 200,
    });
  });

  it('a WebSocket is verified, subscribed, heard and hung up on', async () => {
    const asked = {
      headers: { Authorization: `Bearer ${token}` },
      methodArn: 'arn:aws:execute-api:…/$connect',
    };
    const verified = await deployed.invoke('websocket-authorize', asked);
    const { context } = verified as { context: Record<string, string> }; // of an allowed caller
    expect(context).toMatchObject({ sub: 'olga', kind: 'human' });
    const say = (name: FunctionName, routeKey: string, body = {}, authorizer = context) =>
      deployed.invoke(name, {
        requestContext: { connectionId: 'c1', routeKey, authorizer },
        body: JSON.stringify({ action: routeKey, ...body }),
      });
    expect(await say('websocket-connection', '$connect')).toEqual(OK);
    for (const topic of ['user:me', `instance:${onboarding}`, `instance:${pair}`, 'role:qa'])
      expect(await say('websocket-messages', 'subscribe', { topic })).toEqual(OK);
    const said = { instance_id: onboarding, signal: { action: 'stay' }, idempotency_key: 'late' };
    expect(await say('websocket-messages', 'signal', said)).toEqual(OK);
    expect(await say('websocket-messages', 'ping')).toEqual(OK);
    expect(await say('websocket-messages', 'unsubscribe', { topic: 'role:qa' })).toEqual(OK);
    expect(await deployed.invoke('stream-broadcast', await commitsOf(deployed))).toEqual(HANDLED);
    expect(await say('websocket-messages', 'ping', {}, { ...context, expires_at: '1' })).toEqual(OK);
    expect(await say('websocket-connection', '$disconnect')).toEqual(OK);
  });

  it('broadcast leaves those who replay alone, and drops whose token has run out', async () => {
    const client = new DynamoDBClient(clientConfig(endpointOf('dynoxide')));
    const connections = createConnections(client, deployed.tables.connections);
    const now = new Date().toISOString();
    const actor = { sub: 'quinn', kind: 'agent' as const, roles: ['qa'] };
    for (const [connection_id, expires_at] of [
      ['replays', 4e9],
      ['expired', 1],
    ] as const) {
      const connection = { connection_id, actor, expires_at };
      await connections.open(connection, now);
      const rest = { id: 's', topic: `instance:${pair}`, since: now, after: 0, resumed: true };
      await connections.subscribe({ ...connection, ...rest, phase: { name: 'replaying' } });
    }
    expect(await deployed.invoke('stream-broadcast', await commitsOf(deployed))).toEqual(HANDLED);
    expect(await connections.find('expired')).toBeNull();
    expect(await connections.find('replays')).not.toBeNull();
    client.destroy();
  });

  it('nothing was refused', () => {
    expect(deployed.guard.refused).toEqual([]);
  });

  it.each(FUNCTIONS.map(({ bundle }) => bundle))(
    '%s has used everything that its code is allowed',
    (name) => {
      const byItself = /^logs:|^sqs:|^dynamodb:(?:\w+Stream|GetRecords|GetShardIterator|ListStreams)/;
      const forItsCode = allowed(deployed.made, name).filter((action) => !byItself.test(action));
      expect([...(deployed.guard.used.get(name) ?? [])].sort()).toEqual(forItsCode);
    },
  );
});
