// Strangers: another user's instance does not exist for them, and a token that is not right is no token.
import { SignJWT, generateKeyPair, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import { type Caller, callerOn, callerWith, eventually, started } from './callers.ts';

describe.each(STORE_KINDS)('strangers, on %s', (kind) => {
  let server: SharedServer;
  let owner: Caller;
  let stranger: Caller;
  let id: string;
  beforeAll(async () => {
    server = await sharedServer(kind);
    owner = await callerOn(server, 'olga-strangers');
    stranger = await callerOn(server, 'mallory', ['nothing-here']);
    id = await started(owner, 'onboarding');
    await eventually(
      () => owner.get('/api/workflows'),
      ({ body }) => (body.items as unknown[]).length === 1,
    );
  });

  it.each([
    'GET ',
    'GET ?at=1',
    'GET /progress',
    'GET /history',
    'GET /next',
    'GET /prerequisites/1',
    'GET /steps/1',
    'GET /steps/3',
    'GET /context',
    'POST /signal',
    'POST /answers {"answers":{}}',
    'POST /approve {"approved":true}',
    'POST /claim',
    'POST /release',
    'POST /heartbeat',
    'POST /override {"reason":"because"}',
    'POST /cancel',
    'POST /widgets/list_input',
  ])('find nothing at %s, with the same words as for what was never there', async (line) => {
    const [method = '', path = '', body = '{}'] = line.split(' ');
    const call = (instance: string) =>
      method === 'GET'
        ? stranger.get(`/api/workflows/${instance}${path}`)
        : stranger.post(`/api/workflows/${instance}${path}`, JSON.parse(body));
    const there = await call(id);
    const nowhere = await call('nowhere');
    expect([there.status, there.body.code]).toEqual([404, 'not_found']);
    expect(JSON.stringify(there.body).replaceAll(id, 'nowhere')).toBe(JSON.stringify(nowhere.body));
    expect((await owner.get(`/api/workflows/${id}`)).body.version).toBe(1);
  });

  it('find nothing in lists, tasks, active or on the socket', async () => {
    expect((await stranger.get('/api/workflows')).body.items).toEqual([]);
    expect((await stranger.get('/api/workflows/active')).status).toBe(404);
    expect((await stranger.get('/api/tasks?role=greeter')).status).toBe(403);
    expect((await stranger.get('/api/tasks')).body.tasks).toEqual([]);
    const work = { task_id: id, action_performed: 'complete_step' };
    expect((await stranger.post('/api/agent-work', work)).status).toBe(404);
    expect((await stranger.get('/api/memory/facts?user_id=olga-strangers')).status).toBe(403);
    const socket = await stranger.listen();
    for (const topic of [`instance:${id}`, 'user:olga-strangers', 'role:greeter', 'session:any']) {
      socket.send({ action: 'subscribe', topic, request_id: topic });
      const { type } = await socket.until(({ request_id }) => request_id === topic);
      expect(type).toBe('error');
    }
    socket.send({ action: 'signal', request_id: 's', instance_id: id, signal: { action: 'stay' } });
    expect(await socket.until(({ request_id }) => request_id === 's')).toMatchObject({
      type: 'error',
      code: 'not_found',
    });
    await socket.close();
  });

  it('with a token that is expired, unsigned, of another issuer, for another audience or none, are nobody', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const claims = { roles: ['admin'], kind: 'human' };
    const forged = (issuer: string, audience: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256' })
        .setSubject('olga-strangers')
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime('1h')
        .sign(privateKey);
    const unsigned = new UnsecuredJWT(claims)
      .setSubject('olga-strangers')
      .setIssuer('urn:stepgate:local')
      .setAudience('stepgate')
      .encode();
    const good = await server.token('olga-strangers');
    const tokens = {
      expired: await server.token('olga-strangers', [], 'human', -60),
      'alg:none': unsigned,
      'wrong key': await forged('urn:stepgate:local', 'stepgate'),
      'wrong issuer': await forged('https://elsewhere.example', 'stepgate'),
      'wrong audience': await forged('urn:stepgate:local', 'another'),
      tampered: `${good.slice(0, -6)}AAAAAA`,
      'not a token': 'hello',
      none: '',
    };
    for (const [what, token] of Object.entries(tokens)) {
      const { status, body } = await callerWith(server, token).get('/api/workflows');
      expect([what, status, body.code]).toEqual([what, 401, 'unauthenticated']);
      await expect(callerWith(server, token).listen()).rejects.toThrow(/40[13]/);
    }
  });
});
