// The laptop's gateway in front of MCP: its routes, bodies as they are, and pages from elsewhere.
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { MCP_ROUTES, routeKey } from '../../../shared/routes.ts';
import { bearer, raw, withGateway } from './with-gateway.ts';

let origin: string;
let event: APIGatewayProxyEventV2;
beforeAll(async () => {
  const endpoint = (given: unknown) => {
    event = given as APIGatewayProxyEventV2; // what the gateway makes
    return Promise.resolve({ statusCode: 200, body: '{}' });
  };
  ({ origin } = await withGateway({ 'mcp/endpoint': endpoint }));
});

describe('MCP', () => {
  it.each(MCP_ROUTES.map((route) => [routeKey(route), route] as const))('reaches %s', async (key, route) => {
    const { status } = await raw(
      origin,
      route.method,
      route.path.replace('{instance_id}', 'i%201'),
      bearer(),
    );
    expect([status, event.routeKey]).toEqual([200, key]);
    expect(event.pathParameters?.['instance_id']).toBe(route.path.endsWith('}') ? 'i 1' : undefined);
  });

  it('needs a token', async () => {
    expect(await raw(origin, 'POST', '/mcp')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    });
  });

  it('hands bodies on as they are', async () => {
    const body = '{"jsonrpc":"2.0", "id":1,"method":"ping"}';
    await raw(origin, 'POST', '/mcp', { ...bearer(), 'content-type': 'application/json' }, body);
    expect(event).toMatchObject({ body, isBase64Encoded: false });
  });

  it.each([
    ['http://localhost:6274', 200],
    ['http://127.0.0.1:4400', 200],
    ['http://[::1]:4400', 200],
    ['http://evil.example.com', 403],
    ['http://localhost.evil.example.com', 403],
    ['null', 403],
  ])('from a page of %s is answered with %i', async (page, expected) => {
    const headers = { ...bearer(), origin: page, host: new URL(page === 'null' ? origin : page).host };
    expect((await raw(origin, 'POST', '/mcp', headers)).status).toBe(expected);
  });
});
