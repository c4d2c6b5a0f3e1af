// A WebSocket from $connect to $disconnect through the deployed handlers, on a real store and a real push endpoint.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { contextOf } from '../../../functions/edge/websocket-token.ts';
import type { Actor } from '../../../shared/engine/index.ts';
import { ENV } from '../../../shared/names.ts';
import { delivery } from '../../support/definitions.ts';
import { idsSent, startWorld, type World } from '../../support/listening.ts';
import { agent, human, OWNER } from '../../support/play.ts';
import { STORE_KINDS } from '../../support/stores.ts';

const IN_AN_HOUR = Math.floor(Date.now() / 1000) + 3600;
const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-messages-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Handler<E> = (
  event: E,
  context?: { getRemainingTimeInMillis(): number },
) => Promise<{ statusCode: number }>;
type Event = Parameters<typeof import('../../../functions/websocket/messages.ts').handler>[0];

describe.each(STORE_KINDS)('a WebSocket on %s', (kind) => {
  let world: World;
  let connect: typeof import('../../../functions/websocket/connection.ts').handler;
  let messages: Handler<Event>;
  beforeAll(async () => {
    world = await startWorld(kind);
    const definitions = path.join(folder, `${kind}.json`);
    writeFileSync(definitions, JSON.stringify({ delivery: delivery.source }));
    vi.stubEnv(ENV.table, world.tables.table);
    vi.stubEnv(ENV.connections, world.tables.connections);
    vi.stubEnv(ENV.websocket, world.gateway.endpoint);
    vi.stubEnv(ENV.definitions, definitions);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', world.tables.endpoint);
    vi.resetModules();
    ({ handler: connect } = await import('../../../functions/websocket/connection.ts'));
    ({ handler: messages } = await import('../../../functions/websocket/messages.ts'));
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await world.stop();
  });

  let count = 0;
  let id = '';
  let instance_id = '';
  let topic = '';
  beforeEach(async () => {
    id = `c-${++count}`;
    instance_id = `i-${count}`;
    topic = `instance:${instance_id}`;
    await world.begin(instance_id);
  });

  const context = (actor: Actor, expires_at: number) => ({
    ...contextOf(actor, expires_at),
    principalId: actor.sub,
    integrationLatency: 12,
  });
  const open = (actor: Actor = OWNER, headers: Record<string, string> = {}) =>
    connect({
      headers,
      requestContext: { connectionId: id, routeKey: '$connect', authorizer: context(actor, IN_AN_HOUR) },
    });
  const close = () => connect({ requestContext: { connectionId: id, routeKey: '$disconnect' } });
  const say = (body: unknown, actor: Actor = OWNER, expires_at = IN_AN_HOUR) =>
    messages({
      body: typeof body === 'string' ? body : JSON.stringify(body),
      requestContext: { connectionId: id, authorizer: context(actor, expires_at) },
    });
  const heard = () => world.gateway.sent(id);

  it('is remembered from $connect to $disconnect', async () => {
    expect(await open()).toEqual({ statusCode: 200 });
    expect(await world.connections.find(id)).toEqual({
      connection_id: id,
      actor: OWNER,
      expires_at: IN_AN_HOUR,
    });
    await say({ action: 'subscribe', topic });
    expect(await close()).toEqual({ statusCode: 200 });
    expect(await world.connections.find(id)).toBeNull();
    expect(await world.connections.subscribers(topic)).toEqual([]);
  });

  it.each([
    ['stepgate, stepgate.token.a.b.c', 'stepgate'],
    ['stepgate.token.a.b.c', 'stepgate.token.a.b.c'],
    ['a.b.c', 'a.b.c'],
  ])('chooses a subprotocol among "%s"', async (offered, chosen) => {
    expect(await open(OWNER, { 'Sec-WebSocket-Protocol': offered })).toEqual({
      statusCode: 200,
      headers: { 'Sec-WebSocket-Protocol': chosen },
    });
  });

  it('subscribes with replay, and unsubscribes', async () => {
    await open();
    await world.commit(instance_id);
    await say({ action: 'subscribe', topic, after: 1 });
    await say({ action: 'unsubscribe', topic });
    expect(heard()).toMatchObject([
      { type: 'subscribed', topic, seq: 2 },
      { id: `${instance_id}:2.0`, type: 'workflow.reminder' },
      { type: 'unsubscribed', topic },
    ]);
    expect(await world.connections.subscribers(topic)).toEqual([]);
  });

  it('hangs up when there is no time left for a replay', async () => {
    await open();
    await world.commit(instance_id);
    await messages(
      {
        body: JSON.stringify({ action: 'subscribe', topic, after: 0 }),
        requestContext: { connectionId: id, authorizer: context(OWNER, IN_AN_HOUR) },
      },
      { getRemainingTimeInMillis: () => 4_000 },
    );
    expect(idsSent(world.gateway, id)).toEqual([]);
    expect(world.gateway.closed).toContain(id);
  });

  it('takes a signal as HTTP does, once for each idempotency key', async () => {
    const dan = agent('dan', 'developer');
    await open(dan);
    const signal = { action: 'COMMIT_CODE', artifacts: { commit_sha: 'abc' } };
    const message = { action: 'signal', request_id: 'r1', instance_id, idempotency_key: 'k', signal };
    await say(message, dan);
    await say({ ...message, request_id: 'r2' }, dan);
    expect(heard()).toMatchObject([
      {
        type: 'result',
        request_id: 'r1',
        result: 'advanced',
        instance_id,
        version: 2,
        current_step: 'pending_arch_review',
      },
      { type: 'result', request_id: 'r2', result: 'advanced', version: 2, replayed: true },
    ]);
    expect((await world.log.latest(instance_id))?.commit.seq).toBe(2);
  });

  it('answers a refused signal with its code and details', async () => {
    const arthur = agent('arthur', 'architect');
    await open(arthur);
    await say(
      { action: 'signal', request_id: 'r1', instance_id, signal: { action: 'APPROVE_DESIGN' } },
      arthur,
    );
    expect(heard()).toMatchObject([{ type: 'error', request_id: 'r1', code: 'role_not_allowed' }]);
    expect(heard()[0]?.message).toBeTypeOf('string');
  });

  it('answers a ping, also in base64', async () => {
    await open();
    await say({ action: 'ping' });
    await messages({
      body: Buffer.from('{"action":"ping","request_id":"r"}').toString('base64'),
      isBase64Encoded: true,
      requestContext: { connectionId: id, authorizer: context(OWNER, IN_AN_HOUR) },
    });
    expect(heard()).toEqual([{ type: 'pong' }, { type: 'pong', request_id: 'r' }]);
  });

  it('tells a connection that we have dropped to come again, at its next ping', async () => {
    await open();
    await world.connections.forget(id);
    await say({ action: 'ping' });
    expect(heard()).toMatchObject([{ type: 'error', code: 'unavailable', retryable: true }]);
    expect(world.gateway.closed).toContain(id);
  });

  it.each<[string, unknown, string]>([
    ['what is not JSON', '{"action":', 'invalid_request'],
    ['nothing', '', 'invalid_request'],
    ['a list', [], 'invalid_request'],
    ['null', 'null', 'invalid_request'],
    ['an unknown action', { action: 'dance' }, 'invalid_request'],
    ['an action of every object', { action: 'constructor' }, 'invalid_request'],
    ['no action', { topic: 'user:me' }, 'invalid_request'],
    ['an action that is no text', { action: 7 }, 'invalid_request'],
    ['a topic that is no text', { action: 'subscribe', topic: 7 }, 'invalid_request'],
    ['a cursor that is none', { action: 'subscribe', topic: 'user:me', after: -1 }, 'invalid_request'],
    ['a key that is not known', { action: 'ping', pong: true }, 'invalid_request'],
    ['a key that could do harm', '{"action":"ping","__proto__":{}}', 'invalid_request'],
    ['a signal without an instance', { action: 'signal', signal: {} }, 'invalid_request'],
    ['a signal that is none', { action: 'signal', instance_id: 'none', signal: 'stay' }, 'invalid_request'],
    ['a signal to nobody', { action: 'signal', instance_id: 'none', signal: {} }, 'not_found'],
    ['a topic that is not one’s own', { action: 'subscribe', topic: 'role:qa' }, 'not_found'],
  ])('answers %s with an error and goes on (WM1)', async (_, body, code) => {
    await open();
    expect(await say(body)).toEqual({ statusCode: 200 });
    expect(heard()).toMatchObject([{ type: 'error', code }]);
    await say({ action: 'ping' });
    expect(heard().at(-1)).toEqual({ type: 'pong' });
  });

  it('names the topic and the request that an error is about', async () => {
    await open(human('stranger'));
    await say({ action: 'subscribe', topic, request_id: 'r9' }, human('stranger'));
    expect(heard()).toMatchObject([{ type: 'error', topic, request_id: 'r9', code: 'not_found' }]);
  });

  it('does nothing once the token has run out but say so and hang up (WM2)', async () => {
    await open();
    await say({ action: 'subscribe', topic }, OWNER, IN_AN_HOUR - 7200);
    expect(heard()).toMatchObject([{ type: 'error', code: 'unauthenticated' }]);
    expect(world.gateway.closed).toContain(id);
    expect(await world.connections.subscribers(topic)).toEqual([]);
    expect(await world.connections.find(id)).toBeNull();
  });

  it('survives a connection that is gone before it is answered', async () => {
    await open();
    world.gateway.gone.add(id);
    expect(await say({ action: 'ping' })).toEqual({ statusCode: 200 });
    expect(await world.connections.find(id)).toBeNull();
  });
});
