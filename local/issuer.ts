// The laptop's own token issuer: one key pair in the data folder, made on first use.
// It needs no server, so that `stepgate token` works before `stepgate start`.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  SignJWT,
} from 'jose';
import { createOnce } from './write-atomically.ts';

export const ISSUER = 'urn:stepgate:local';
export const AUDIENCE = 'stepgate';
const ALGORITHM = 'ES256';

export interface TokenRequest {
  readonly sub: string;
  readonly roles?: readonly string[];
  readonly kind?: 'human' | 'agent';
  readonly ttl_seconds?: number;
}

const DEFAULT_TTL = 8 * 3600;

export async function issueToken(
  dataDir: string,
  { sub, roles = [], kind = 'human', ttl_seconds = DEFAULT_TTL }: TokenRequest,
  now: number = Date.now(),
): Promise<string> {
  const key = await ownKey(dataDir);
  const seconds = Math.floor(now / 1000);
  return new SignJWT({ roles: [...roles], kind })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: key.kid ?? '' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(sub)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ttl_seconds)
    .sign(await importJWK(key, ALGORITHM));
}

/** The public half, as served at /.well-known/jwks.json. */
export async function keySet(dataDir: string): Promise<JSONWebKeySet> {
  const { d: _secret, ...shown } = await ownKey(dataDir);
  return { keys: [{ ...shown, alg: ALGORITHM, use: 'sig' }] };
}

async function ownKey(dataDir: string): Promise<JWK> {
  const file = path.join(dataDir, 'issuer-key.json');
  if (!existsSync(file)) {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    const made = await exportJWK(privateKey);
    createOnce(file, JSON.stringify({ ...made, kid: await calculateJwkThumbprint(made) }));
  }
  return JSON.parse(readFileSync(file, 'utf8')) as JWK; // written by us alone; importing it checks it
}
