// The HTTP side: requests as payload 2.0, answers as an HTTP API writes them, refusals as problem documents.
import { beforeEach, describe, expect, it } from 'vitest';
import { startGateway } from '../../../local/gateway/gateway.ts';
import type { HttpEvent } from '../../../local/gateway/http-event.ts';
import { Fault } from '../../../shared/faults.ts';
import { ROUTES, routeKey } from '../../../shared/routes.ts';
import { bearer, NOW, raw, withGateway } from './with-gateway.ts';

let event: HttpEvent;
let result: () => unknown;
const handler = async (given: unknown) => {
  event = given as HttpEvent; // what the gateway builds
  return result();
};
const gateway = await withGateway(
  {},
  {
    resolve: () => handler,
    documents: () => ({ '/health': { status: 'ok' } }),
    limits: { body_bytes: 1000 },
  },
);
const { origin } = gateway;
beforeEach(() => {
  result = () => ({ statusCode: 200, body: '{}' });
  gateway.failures.length = 0;
});
const JSON_TYPE = { 'content-type': 'application/json' };

describe('the event', () => {
  it('has everything an HTTP API sends', async () => {
    const token = bearer({ sub: 'ann', roles: ['qa', 'developer'], exp: 1_800_000_000, admin: true });
    await raw(
      origin,
      'POST',
      '/api/workflows/w%2F1/signal?a=1&b=x%20y&a=2',
      { ...token, ...JSON_TYPE, 'User-Agent': 'test', 'X-Many': ['1', '2'], Cookie: 'c=1; d=2' },
      '{"action":"stay"}',
    );
    const port = Number(new URL(origin).port);
    expect(event).toEqual({
      version: '2.0',
      routeKey: 'POST /api/workflows/{instance_id}/signal',
      rawPath: '/api/workflows/w%2F1/signal',
      rawQueryString: 'a=1&b=x%20y&a=2',
      cookies: ['c=1', 'd=2'],
      headers: {
        ...token,
        ...JSON_TYPE,
        'user-agent': 'test',
        'x-many': '1,2',
        host: `127.0.0.1:${port}`,
        connection: 'close',
        'content-length': '17',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-port': String(port),
        'x-forwarded-proto': 'http',
      },
      queryStringParameters: { a: '1,2', b: 'x y' },
      pathParameters: { instance_id: 'w/1' },
      requestContext: {
        accountId: '000000000000',
        apiId: 'local',
        authorizer: {
          jwt: {
            claims: { sub: 'ann', roles: '[qa developer]', exp: '1800000000', admin: 'true' },
            scopes: null,
          },
        },
        domainName: `127.0.0.1:${port}`,
        domainPrefix: 'local',
        http: {
          method: 'POST',
          path: '/api/workflows/w%2F1/signal',
          protocol: 'HTTP/1.1',
          sourceIp: '127.0.0.1',
          userAgent: 'test',
        },
        requestId: expect.stringMatching(/^[\da-f-]{36}$/),
        routeKey: 'POST /api/workflows/{instance_id}/signal',
        stage: '$default',
        time: '01/Mar/2026:12:00:00 +0000',
        timeEpoch: NOW,
      },
      body: '{"action":"stay"}',
      isBase64Encoded: false,
    });
  });

  it('leaves out what is not there', async () => {
    await raw(origin, 'GET', '/api/tasks', bearer());
    for (const absent of ['cookies', 'queryStringParameters', 'pathParameters', 'body'])
      expect(event).not.toHaveProperty(absent);
    expect(event.rawQueryString).toBe('');
  });

  it.each([
    ['application/json', false],
    ['application/json; charset=utf-8', false],
    ['application/cloudevents+json', false],
    ['text/plain', false],
    ['application/octet-stream', true],
    ['application/x-www-form-urlencoded', true],
    ['image/png', true],
  ])('a body of %s comes in base64: %s', async (type, base64) => {
    const body = Buffer.from('{"é":1}');
    await raw(origin, 'POST', '/api/workflows', { ...bearer(), 'content-type': type }, body);
    expect(event.isBase64Encoded).toBe(base64);
    expect(event.body).toBe(body.toString(base64 ? 'base64' : 'utf8'));
  });

  it('a compressed body comes in base64 as it is', async () => {
    await raw(
      origin,
      'POST',
      '/api/workflows',
      { ...bearer(), ...JSON_TYPE, 'content-encoding': 'gzip' },
      'zz',
    );
    expect(event).toMatchObject({ isBase64Encoded: true, body: Buffer.from('zz').toString('base64') });
  });

  it.each(ROUTES.map((route) => [routeKey(route), route] as const))('reaches %s', async (key, route) => {
    const target = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `some-${name}`);
    const { status } = await raw(origin, route.method, target, route.access === 'caller' ? bearer() : {});
    expect(status).toBe(200);
    expect(event.routeKey).toBe(key);
    expect(Object.values(event.pathParameters ?? {}).every((value) => value?.startsWith('some-'))).toBe(true);
    expect(event.requestContext.authorizer === undefined).toBe(route.access === 'public');
  });
});

describe('the answer', () => {
  it('has status, headers, cookies and body', async () => {
    result = () => ({
      statusCode: 201,
      headers: { Location: '/api/workflows/1', 'Content-Type': 'application/json', 'x-n': 7 },
      cookies: ['a=1', 'b=2'],
      body: '{"ä":1}',
    });
    const { status, headers, body } = await raw(origin, 'POST', '/api/workflows', bearer(), '{}');
    expect({ status, body }).toEqual({ status: 201, body: '{"ä":1}' });
    expect(headers).toMatchObject({
      location: '/api/workflows/1',
      'content-type': 'application/json',
      'x-n': '7',
      'set-cookie': ['a=1', 'b=2'],
      'content-length': '8',
    });
  });

  it.each([
    ['base64', { statusCode: 200, body: 'aGk=', isBase64Encoded: true }, 'hi', 'text/plain; charset=utf-8'],
    ['no body', { statusCode: 202 }, '', 'text/plain; charset=utf-8'],
    ['plain data', { hello: 'you' }, '{"hello":"you"}', 'application/json'],
    ['a text', 'hello', 'hello', 'application/json'],
  ])('may be %s', async (_title, given, expected, type) => {
    result = () => given;
    const { body, headers } = await raw(origin, 'GET', '/api/tasks', bearer());
    expect({ body, type: headers['content-type'] }).toEqual({ body: expected, type });
  });

  it('may be empty', async () => {
    result = () => ({ statusCode: 204 });
    expect(await raw(origin, 'GET', '/api/tasks', bearer())).toMatchObject({ status: 204, body: '' });
  });
});

describe('refusals', () => {
  const big = JSON.stringify({ text: 'x'.repeat(1000) });
  const rows: readonly [string, string, string, Record<string, string>, number, string, string?][] = [
    ['an unknown path', 'GET', '/api/nothing', bearer(), 404, 'not_found'],
    ['an unknown method of a path', 'PUT', '/api/tasks', bearer(), 404, 'not_found'],
    ['a method nobody knows', 'PROPFIND', '/api/tasks', bearer(), 404, 'not_found'],
    ['a path that is not one', 'GET', '/api/workflows/%E0%A4%A/progress', bearer(), 404, 'not_found'],
    ['a slash too many', 'GET', '/api/tasks/', bearer(), 404, 'not_found'],
    ['no token', 'GET', '/api/tasks', {}, 401, 'unauthenticated'],
    ['no token, but a body', 'POST', '/api/workflows', {}, 401, 'unauthenticated', '{}'],
    ['a bad token', 'GET', '/api/tasks', { authorization: 'Bearer x' }, 401, 'unauthenticated'],
    ['another scheme', 'GET', '/api/tasks', { authorization: 'Basic eDp5' }, 401, 'unauthenticated'],
    ['a large body', 'POST', '/api/workflows', bearer(), 413, 'state_too_large', big],
    [
      'a large body of unknown length',
      'POST',
      '/api/workflows',
      { ...bearer(), 'transfer-encoding': 'chunked' },
      413,
      'state_too_large',
      big,
    ],
  ];

  it.each(rows)('%s', async (_title, method, target, headers, status, code, body) => {
    const answer = await raw(origin, method, target, headers, body);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(answer.body)).toMatchObject({ status, code, retryable: false });
  });

  it('a 401 says how to authenticate', async () => {
    expect((await raw(origin, 'GET', '/api/tasks')).headers['www-authenticate']).toBe('Bearer');
  });

  it('an accident in a function is a 500 that tells nothing of it', async () => {
    result = () => {
      throw new Error('the secret is 42');
    };
    const { status, body } = await raw(origin, 'GET', '/api/tasks', bearer());
    expect(status).toBe(500);
    expect(JSON.parse(body)).toMatchObject({ code: 'internal_error' });
    expect(body).not.toContain('42');
    expect(gateway.failures).toEqual([new Error('the secret is 42')]);
  });

  it('keys that cannot be read are a 503 to try again', async () => {
    const verify = async () => {
      throw new Fault('unavailable', 'no keys');
    };
    const other = await withGateway({}, { verify: () => verify });
    const { status, headers } = await raw(other.origin, 'GET', '/api/tasks', bearer());
    expect({ status, retry: headers['retry-after'] }).toEqual({ status: 503, retry: '1' });
  });

  it('a port in use is a sentence with a way out', async () => {
    const { port } = new URL(origin);
    const again = startGateway({
      port: Number(port),
      resolve: () => handler,
      verify: () => async () => ({}),
    });
    await expect(again).rejects.toMatchObject({ name: 'SetupError', message: /is in use.*PORT=/ });
  });
});

describe('beside the routes', () => {
  it('documents are served as they are', async () => {
    expect(await (await fetch(`${origin}/health`)).json()).toEqual({ status: 'ok' });
  });

  it('a browser on another origin may ask first, and reads the answer', async () => {
    const { status, headers } = await raw(origin, 'OPTIONS', '/api/workflows', {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,idempotency-key',
    });
    expect(status).toBe(204);
    expect(headers['access-control-allow-headers']).toContain('idempotency-key');
    const answer = await raw(origin, 'GET', '/api/tasks', { ...bearer(), origin: 'http://localhost:5173' });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const refused = await raw(origin, 'GET', '/api/tasks', { origin: 'http://localhost:5173' });
    expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': '*' } });
  });

  it('stopping lets what is under way finish', async () => {
    let entered = () => {};
    let finish = () => {};
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const slow = async () => {
      entered();
      await new Promise<void>((resolve) => (finish = resolve));
      return { statusCode: 200, body: 'done' };
    };
    const other = await withGateway({ 'http/reads': slow });
    const answer = fetch(`${other.origin}/api/tasks`, { headers: bearer() });
    await inside;
    const stopped = other.stop();
    await expect(fetch(`${other.origin}/api/tasks`)).rejects.toThrow('fetch failed');
    finish();
    expect(await (await answer).text()).toBe('done');
    await stopped;
  });
});
