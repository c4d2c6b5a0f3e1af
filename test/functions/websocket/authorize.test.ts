// The authorizer as API Gateway calls it: a good token is let in with who it is, anything else is refused.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { connectionOf } from '../../../functions/edge/websocket-token.ts';
import { AUDIENCE, ISSUER, issueToken, keySet } from '../../../local/issuer.ts';
import { ENV } from '../../../shared/names.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-authorize-'));
const methodArn = 'arn:aws:execute-api:local:0:api/live/$connect';
const server = createServer((_request, response) => {
  void keySet(folder).then((keys) => response.end(JSON.stringify(keys)));
});

type Handler = (event: {
  headers: Record<string, string> | null;
  queryStringParameters: Record<string, string> | null;
  methodArn: string;
}) => Promise<APIGatewayAuthorizerResult>;
let handler: Handler;
let token = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv(ENV.issuer, ISSUER);
  vi.stubEnv(ENV.audience, `another,${AUDIENCE}`);
  vi.stubEnv(ENV.jwks, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`); // it listens on TCP
  ({ handler } = await import('../../../functions/websocket/authorize.ts'));
  token = await issueToken(folder, { sub: 'olga', roles: ['qa', 'lead, or so'], kind: 'human' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const ask = (
  headers: Record<string, string> | null,
  queryStringParameters: Record<string, string> | null = null,
) => handler({ headers, queryStringParameters, methodArn });

it.each<[string, () => Parameters<typeof ask>]>([
  ['in the Authorization header', () => [{ Authorization: `Bearer ${token}` }]],
  ['in a header of other case', () => [{ authorization: `bearer ${token}` }]],
  ['in the query', () => [null, { token }]],
  ['as a subprotocol of its own', () => [{ 'Sec-WebSocket-Protocol': `stepgate, stepgate.token.${token}` }]],
  ['as a bare subprotocol', () => [{ 'sec-websocket-protocol': token }]],
])('lets a good token in that comes %s, and says whose it is (WT1, WT2)', async (_, asked) => {
  const { principalId, policyDocument, context } = await ask(...asked());
  expect(principalId).toBe('olga');
  expect(policyDocument.Statement).toEqual([
    { Action: 'execute-api:Invoke', Effect: 'Allow', Resource: methodArn },
  ]);
  for (const value of Object.values(context ?? {})) expect(value).toBeTypeOf('string');
  const { actor, expires_at } = connectionOf('c-1', { ...context, principalId });
  expect(actor).toEqual({ sub: 'olga', kind: 'human', roles: ['qa', 'lead, or so'] });
  expect(expires_at).toBeGreaterThan(Date.now() / 1000);
});

it.each<[string, () => Promise<string> | string]>([
  ['none', () => ''],
  ['no token at all', () => 'hello'],
  ['an expired one', () => issueToken(folder, { sub: 'olga', ttl_seconds: -3600 })],
  [
    'an unsigned one',
    () => new UnsecuredJWT({ sub: 'olga' }).setIssuer(ISSUER).setAudience(AUDIENCE).encode(),
  ],
  ['one that was changed', () => `${token.slice(0, -4)}AAAA`],
])('refuses %s', async (_, bad) => {
  const { policyDocument, context } = await ask({ Authorization: `Bearer ${await bad()}` });
  expect(policyDocument.Statement).toMatchObject([{ Effect: 'Deny' }]);
  expect(context).toEqual({});
});

it('never logs a token', async () => {
  const lines: string[] = [];
  const spies = (['info', 'warn', 'error', 'log', 'debug'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...said: unknown[]) => void lines.push(said.join(' '))),
  );
  await ask({ Authorization: `Bearer ${token}` });
  await ask({ Authorization: `Bearer ${token}x` });
  for (const spy of spies) spy.mockRestore();
  expect(lines.join('\n')).not.toContain(token.slice(0, 30));
});
