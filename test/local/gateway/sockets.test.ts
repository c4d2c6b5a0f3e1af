// The WebSocket side: handshakes, routes, limits, and the @connections API through the unmodified SDK client.
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientConfig } from '../../support/stores.ts';
import { connect, type Handlers, NOW, raw, refusal, withGateway } from './with-gateway.ts';

interface SocketEvent {
  readonly headers?: Record<string, string>;
  readonly queryStringParameters?: Record<string, string> | null;
  readonly methodArn?: string;
  readonly body?: string;
  readonly requestContext: Record<string, unknown> & { routeKey: string; connectionId: string };
}

const allow = {
  policyDocument: { Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: '*' }] },
};
let authorize: (event: SocketEvent) => unknown;
let connected: (event: SocketEvent) => unknown;
let heard: (event: SocketEvent) => unknown;
let events: SocketEvent[];
/** Of this test's own connections: one of an earlier test may still be leaving. */
function told(route: string): SocketEvent[] {
  const own = new Set(events.filter(isConnect).map(({ requestContext }) => requestContext.connectionId));
  return events.filter(
    ({ requestContext }) => requestContext.routeKey === route && own.has(requestContext.connectionId),
  );
}
const isConnect = ({ requestContext }: SocketEvent) => requestContext.routeKey === '$connect';

beforeEach(() => {
  events = [];
  authorize = () => ({ principalId: 'ann', ...allow, context: { sub: 'ann', exp: 7, admin: true } });
  connected = () => ({ statusCode: 200 });
  heard = () => ({ statusCode: 200 });
});

const handlers: Handlers = {
  'websocket/authorize': async (event) => authorize(event as SocketEvent), // what the gateway builds
  'websocket/connection': async (given) => {
    const event = given as SocketEvent;
    events.push(event);
    return event.requestContext.routeKey === '$connect' ? connected(event) : { statusCode: 200 };
  },
  'websocket/messages': async (given) => {
    const event = given as SocketEvent;
    events.push(event);
    return heard(event);
  },
};
const gateway = await withGateway(handlers, { limits: { push_ms: 300 } });
const { origin } = gateway;
const client = new ApiGatewayManagementApiClient(clientConfig(gateway.connections_endpoint));
afterAll(() => client.destroy());

const idOf = () => told('$connect').at(-1)?.requestContext.connectionId ?? '';
const post = (ConnectionId: string, Data: string) =>
  client.send(new PostToConnectionCommand({ ConnectionId, Data }));

describe('the handshake', () => {
  it('asks the authorizer, then $connect, which gets what the authorizer said as texts', async () => {
    const asked: SocketEvent[] = [];
    authorize = (event) => {
      asked.push(event);
      return { principalId: 'ann', ...allow, context: { sub: 'ann', exp: 7, admin: true } };
    };
    await connect(origin, '/ws?token=t&x=1', { headers: { Authorization: 'Bearer t' } });
    expect(asked).toMatchObject([
      {
        type: 'REQUEST',
        methodArn: 'arn:aws:execute-api:local:000000000000:local/$default/$connect',
        headers: { Authorization: 'Bearer t' },
        queryStringParameters: { token: 't', x: '1' },
        multiValueQueryStringParameters: { token: ['t'], x: ['1'] },
        requestContext: { routeKey: '$connect', eventType: 'CONNECT' },
      },
    ]);
    expect(told('$connect')).toMatchObject([
      {
        headers: { Authorization: 'Bearer t' },
        requestContext: {
          routeKey: '$connect',
          eventType: 'CONNECT',
          connectionId: asked[0]?.requestContext.connectionId,
          connectedAt: NOW,
          domainName: new URL(origin).host,
          stage: '$default',
          apiId: 'local',
          requestId: expect.any(String),
          authorizer: { principalId: 'ann', sub: 'ann', exp: '7', admin: 'true' },
        },
      },
    ]);
  });

  const deny = { Action: 'execute-api:Invoke', Effect: 'Deny', Resource: '*' };
  const refused: readonly [string, () => void, number][] = [
    [
      'an authorizer that throws Unauthorized',
      () => {
        authorize = () => {
          throw new Error('Unauthorized');
        };
      },
      401,
    ],
    [
      'an authorizer that fails',
      () => {
        authorize = () => {
          throw new Error('oh');
        };
      },
      500,
    ],
    [
      'a policy that denies',
      () => (authorize = () => ({ principalId: 'x', policyDocument: { Statement: deny } })),
      403,
    ],
    [
      'a policy that allows and denies',
      () =>
        (authorize = () => ({
          principalId: 'x',
          policyDocument: { Statement: [...allow.policyDocument.Statement, deny] },
        })),
      403,
    ],
    [
      'a policy about something else',
      () =>
        (authorize = () => ({
          principalId: 'x',
          policyDocument: {
            Statement: { ...deny, Effect: 'Allow', Resource: 'arn:aws:execute-api:local:0:other/*' },
          },
        })),
      403,
    ],
    ['an answer that is no policy', () => (authorize = () => 'yes'), 500],
    ['$connect saying 403', () => (connected = () => ({ statusCode: 403 })), 403],
    [
      '$connect failing',
      () => {
        connected = () => {
          throw new Error('oh');
        };
      },
      500,
    ],
  ];

  it.each(refused)('%s refuses it', async (_title, arrange, status) => {
    arrange();
    expect(await refusal(origin)).toBe(status);
    expect(told('$disconnect')).toEqual([]);
  });

  it('another path is not one', async () => {
    expect(await refusal(origin, '/other')).toBe(404);
  });

  it('the subprotocol that $connect chose is told to the client', async () => {
    connected = () => ({ statusCode: 200, headers: { 'Sec-WebSocket-Protocol': 'stepgate' } });
    const socket = await connect(origin, '/ws', { protocols: ['stepgate', 'token.abc'] });
    expect(socket.protocol).toBe('stepgate');
  });

  it('somebody who leaves during it is taken leave of', async () => {
    let entered = () => {};
    let proceed = () => {};
    const inside = new Promise<void>((resolve) => (entered = resolve));
    connected = async () => {
      entered();
      await new Promise<void>((resolve) => (proceed = resolve));
      return { statusCode: 200 };
    };
    const { hostname, port } = new URL(origin);
    const tcp = connectTcp(Number(port), hostname);
    tcp.write(
      'GET /ws HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    await inside;
    tcp.destroy();
    await once(tcp, 'close');
    proceed();
    await vi.waitFor(() => expect(told('$disconnect')).toHaveLength(1));
  });
});

describe('messages', () => {
  it.each([
    ['{"action":"subscribe","topic":"user:me"}', 'subscribe'],
    ['{"action":"ping"}', 'ping'],
    ['{"action":"dance"}', '$default'],
    ['{"action":"$connect"}', '$default'],
    ['{"action":"toString"}', '$default'],
    ['{"action":7}', '$default'],
    ['null', '$default'],
    ['hello', '$default'],
  ])('%s goes to %s', async (body, route) => {
    const socket = await connect(origin);
    const connectionId = idOf();
    socket.send(body);
    await vi.waitFor(() => expect(told(route)).toHaveLength(1));
    expect(told(route)).toMatchObject([
      {
        body,
        isBase64Encoded: false,
        requestContext: {
          eventType: 'MESSAGE',
          connectionId,
          connectedAt: NOW,
          authorizer: { sub: 'ann' },
        },
      },
    ]);
  });

  it('a function that fails is told to the client without detail', async () => {
    heard = () => {
      throw new Error('secret');
    };
    const socket = await connect(origin);
    socket.send('{"action":"ping"}');
    const [data] = (await once(socket, 'message')) as [Buffer]; // what the event carries
    expect(JSON.parse(data.toString())).toMatchObject({
      message: 'Internal server error',
      connectionId: idOf(),
    });
  });

  it('many at once are all heard, a bounded number at a time', async () => {
    let inside = 0;
    let most = 0;
    heard = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      return { statusCode: 200 };
    };
    const socket = await connect(origin);
    for (let sent = 0; sent < 500; sent += 1) socket.send('{"action":"ping"}');
    await vi.waitFor(() => expect(told('ping')).toHaveLength(500));
    expect(most).toBe(32);
  });

  it.each([
    ['a message of more than 128 KB', 'x'.repeat(128 * 1024 + 1), 1009],
    ['a binary message', Buffer.from('x'), 1003],
  ])('%s ends the connection', async (_title, message, code) => {
    const socket = await connect(origin);
    socket.send(message);
    expect((await once(socket, 'close'))[0]).toBe(code);
    await vi.waitFor(() => expect(told('$disconnect')).toHaveLength(1));
  });

  it('leaving is told once, after what was said before', async () => {
    const order: string[] = [];
    heard = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`heard, ${told('$disconnect').length} gone`);
      return { statusCode: 200 };
    };
    const socket = await connect(origin);
    socket.send('{"action":"ping"}');
    socket.close(4000, 'bye');
    await vi.waitFor(() => expect(told('$disconnect')).toHaveLength(1));
    expect(order).toEqual(['heard, 0 gone']);
    expect(told('$disconnect')[0]?.requestContext).toMatchObject({
      eventType: 'DISCONNECT',
      disconnectStatusCode: 4000,
      disconnectReason: 'bye',
      authorizer: { sub: 'ann' },
    });
  });
});

describe('time', () => {
  it.each([
    ['idle for too long', { idle_ms: 20 }],
    ['open for too long', { life_ms: 20 }],
  ])('a connection %s is closed', async (_title, limits) => {
    const other = await withGateway(handlers, { limits });
    const socket = await connect(other.origin);
    expect((await once(socket, 'close'))[0]).toBe(1001);
  });

  it('stopping closes the sockets and waits until leaving was told', async () => {
    const other = await withGateway(handlers);
    const socket = await connect(other.origin);
    const closed = once(socket, 'close');
    await other.stop();
    expect(told('$disconnect')).toHaveLength(1);
    expect((await closed)[0]).toBe(1001);
  });
});

describe('@connections', () => {
  it('posts what the client gets', async () => {
    const socket = await connect(origin);
    const message = once(socket, 'message');
    await post(idOf(), '{"type":"pong","ü":1}');
    expect(String((await message)[0])).toBe('{"type":"pong","ü":1}');
  });

  it('describes a connection', async () => {
    await connect(origin);
    expect(await client.send(new GetConnectionCommand({ ConnectionId: idOf() }))).toMatchObject({
      ConnectedAt: new Date(NOW),
      Identity: { SourceIp: '127.0.0.1' },
      LastActiveAt: expect.any(Date),
    });
  });

  it('closes a connection', async () => {
    const socket = await connect(origin);
    const closed = once(socket, 'close');
    await client.send(new DeleteConnectionCommand({ ConnectionId: idOf() }));
    await closed;
    await vi.waitFor(() => expect(told('$disconnect')).toHaveLength(1));
  });

  it('is a GoneException for who has left, and for who never came', async () => {
    const socket = await connect(origin);
    socket.terminate();
    await vi.waitFor(() => expect(told('$disconnect')).toHaveLength(1));
    for (const id of [idOf(), 'nobody=', '%E0%A4%A']) {
      await expect(post(id, 'x')).rejects.toThrow(GoneException);
      await expect(client.send(new GetConnectionCommand({ ConnectionId: id }))).rejects.toMatchObject({
        name: 'GoneException',
        $metadata: { httpStatusCode: 410 },
      });
    }
  });

  it('is not there yet while $connect runs', async () => {
    let early: Promise<unknown> = Promise.resolve();
    connected = async ({ requestContext }) => {
      early = post(requestContext.connectionId, 'x').catch((error: unknown) => error);
      await early;
      return { statusCode: 200 };
    };
    await connect(origin);
    expect(await early).toBeInstanceOf(GoneException);
  });

  it('refuses what is larger than a message may be', async () => {
    await connect(origin);
    await expect(post(idOf(), 'x'.repeat(128 * 1024 + 1))).rejects.toThrow(PayloadTooLargeException);
  });

  it('cuts off a socket that takes nothing, and holds up nobody else (S1)', async () => {
    const slow = await connect(origin);
    const slowId = idOf();
    slow.pause();
    const other = await connect(origin);
    const received: unknown[] = [];
    other.on('message', (data) => received.push(data));
    const text = 'x'.repeat(120 * 1024);
    let failure: unknown;
    const flood = (async () => {
      while (failure === undefined) await post(slowId, text).catch((error: unknown) => (failure = error));
    })();
    for (let sent = 0; sent < 20; sent += 1) await post(idOf(), 'quick');
    expect(failure).toBeUndefined();
    await flood;
    expect(failure).toBeInstanceOf(GoneException);
    await vi.waitFor(() => expect(received).toHaveLength(20));
  });

  it('is closed to whoever does not sign, such as a page in a browser', async () => {
    await connect(origin);
    const target = `/@connections-api/@connections/${encodeURIComponent(idOf())}`;
    expect(await raw(origin, 'POST', target, {}, 'x')).toMatchObject({ status: 403 });
  });
});
