// Which tokens count: those the issuer signed, for us, still valid. The keys come over HTTP, as in the cloud.
import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK, generateKeyPair, type GenerateKeyPairResult, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createVerifier, type Verify } from '../../../functions/edge/verify-token.ts';
import { AUDIENCE, ISSUER, issueToken, keySet } from '../../../local/issuer.ts';
import { Fault } from '../../../shared/faults.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-issuer-'));
let server: Server;
let jwks_uri: string;
let asked = 0;
let answer: () => Promise<{ status: number; body: string }>;
let now = NOW;
let verify: Verify;

const good = async () => ({ status: 200, body: JSON.stringify(await keySet(folder)) });

beforeAll(async () => {
  server = createServer((_request, response) => {
    asked += 1;
    void answer().then(({ status, body }) => response.writeHead(status).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  jwks_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // a TCP server has such an address
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  answer = good;
  asked = 0;
  now = NOW;
  verify = createVerifier({ issuer: ISSUER, audience: [AUDIENCE, 'web'], jwks_uri }, () => now);
});

const ann = (ttl_seconds = 60) => issueToken(folder, { sub: 'ann', roles: ['qa'], ttl_seconds }, NOW);

describe('a token of the issuer', () => {
  it('gives its claims', async () => {
    expect(await verify(await ann())).toEqual({
      iss: ISSUER,
      aud: AUDIENCE,
      sub: 'ann',
      roles: ['qa'],
      kind: 'human',
      iat: NOW / 1000,
      exp: NOW / 1000 + 60,
    });
  });

  it('is verified once, and no more after it expired (V2)', async () => {
    const token = await ann(60);
    const first = await verify(token);
    now = NOW + 59_999;
    expect(await verify(token)).toBe(first);
    now = NOW + 60_000;
    await expect(verify(token)).rejects.toMatchObject({ code: 'unauthenticated', message: /expired/ });
  });

  it('asks for the keys once', async () => {
    for (const sub of ['a', 'b', 'c']) await verify(await issueToken(folder, { sub }, NOW));
    expect(asked).toBe(1);
  });

  it('cannot be judged without the keys: that is not its fault, and passes', async () => {
    answer = async () => ({ status: 500, body: '' });
    await expect(verify(await ann())).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    answer = good;
    await expect(verify(await ann())).resolves.toMatchObject({ sub: 'ann' });
  });
});

describe('what does not count', () => {
  type Forge = () => Promise<string>;
  const rows: readonly [string, Forge][] = [
    ['nothing', async () => ''],
    ['a word', async () => 'secret'],
    ['an expired token', () => ann(-1)],
    ['a token that expires this very second', () => ann(0)],
    ['a token with another signature', async () => `${(await ann()).slice(0, -8)}AAAAAAAA`],
    ['a token with other claims', async () => withClaims(await ann(), { sub: 'bob' })],
    ['a token without a signature', async () => unsigned({ sub: 'ann' })],
    ["a token signed with somebody else's key", async () => signed({})],
    ['a token signed with the public key as a shared secret', confused],
  ];

  it.each(rows)('%s is unauthenticated (V1)', async (_title, forge) => {
    await expect(verify(await forge())).rejects.toMatchObject({ name: 'Fault', code: 'unauthenticated' });
  });
});

describe('claims that must fit', () => {
  const known = generateKeyPair('RS256');
  beforeEach(() => {
    answer = async () => {
      const jwk = await exportJWK((await known).publicKey);
      return { status: 200, body: JSON.stringify({ keys: [{ ...jwk, alg: 'RS256', kid: 'rsa' }] }) };
    };
  });
  const rows: readonly [string, Record<string, unknown>, boolean][] = [
    ['our audience', { aud: 'stepgate' }, true],
    ['our audience among others', { aud: ['other', 'web'] }, true],
    ['another audience', { aud: 'other' }, false],
    ['no audience', {}, false],
    ['our client without an audience, as Cognito has it', { client_id: 'web' }, true],
    ['another client', { client_id: 'other' }, false],
    ['our client but another audience', { aud: 'other', client_id: 'web' }, false],
    ['another issuer', { aud: 'stepgate', iss: 'urn:other' }, false],
    ['no subject', { aud: 'stepgate', sub: undefined }, false],
    ['no end', { aud: 'stepgate', exp: undefined }, false],
    ['a start in the future', { aud: 'stepgate', nbf: NOW / 1000 + 60 }, false],
  ];

  it.each(rows)('%s', async (_title, claims, counts) => {
    const token = await signed(claims, (await known).privateKey, 'rsa');
    const verdict = await verify(token).then(
      () => 'good',
      (error: unknown) => (error instanceof Fault ? error.code : error),
    );
    expect(verdict).toBe(counts ? 'good' : 'unauthenticated');
  });
});

describe('the issuer', () => {
  it('keeps its key to its owner, and shows only the public half', async () => {
    const { keys } = await keySet(folder);
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(statSync(path.join(folder, 'issuer-key.json')).mode & 0o777).toBe(0o600);
  });

  it('has one key, however many ask first at once', async () => {
    const fresh = mkdtempSync(path.join(tmpdir(), 'stepgate-issuer-'));
    const sets = await Promise.all(Array.from({ length: 8 }, () => keySet(path.join(fresh, 'data'))));
    expect(new Set(sets.map((set) => JSON.stringify(set))).size).toBe(1);
    rmSync(fresh, { recursive: true });
  });
});

async function signed(claims: Record<string, unknown>, key?: SigningKey, kid = 'x'): Promise<string> {
  const signer = key ?? (await generateKeyPair('RS256')).privateKey;
  const whole = { iss: ISSUER, sub: 'ann', exp: NOW / 1000 + 60, ...claims };
  return new SignJWT(JSON.parse(JSON.stringify(whole)) as JWTPayload) // leaves out what is undefined
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(signer);
}

async function confused(): Promise<string> {
  const { keys } = await keySet(folder);
  const secret = new TextEncoder().encode(JSON.stringify(keys[0]));
  return new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'ann', exp: NOW / 1000 + 60 })
    .setProtectedHeader({ alg: 'HS256', kid: keys[0]?.kid ?? '' })
    .sign(secret);
}

type SigningKey = GenerateKeyPairResult['privateKey'];

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const unsigned = (claims: JWTPayload) =>
  `${part({ alg: 'none' })}.${part({ iss: ISSUER, aud: AUDIENCE, exp: NOW / 1000 + 60, ...claims })}.`;

function withClaims(token: string, claims: JWTPayload): string {
  const [head = '', body = '', signature = ''] = token.split('.');
  const before: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
  return [head, part(Object.assign({}, before, claims)), signature].join('.');
}
