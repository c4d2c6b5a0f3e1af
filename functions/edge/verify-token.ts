// Verifies a bearer token: the same code behind the laptop's HTTP authorizer and the WebSocket authorizer function.
//   V1  Only asymmetric signatures by a key of the issuer count: neither `none` nor a shared secret.
//   V2  A token verified once is not verified again until it expires; what is remembered is bounded.
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose';
import { Fault } from '../../shared/faults.ts';
import type { Claims } from './claims.ts';

export interface TokenRules {
  readonly issuer: string;
  /** One of these must be in `aud`, or be the `client_id` of a token without `aud` (Cognito's access tokens). */
  readonly audience: readonly string[];
  readonly jwks_uri: string;
}

/** The claims of a good token; anything else is a Fault: `unauthenticated`, or `unavailable` without the keys. */
export type Verify = (token: string) => Promise<Claims>;

const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const REMEMBERED = 5_000;

interface Known {
  readonly claims: Claims;
  readonly expires_ms: number;
}

export function createVerifier(rules: TokenRules, now: () => number = Date.now): Verify {
  const keys = createRemoteJWKSet(new URL(rules.jwks_uri));
  const known = new Map<string, Known>();
  return async (token) => {
    const before = known.get(token);
    if (before !== undefined && now() < before.expires_ms) return before.claims;
    known.delete(token);
    const claims = await verified(token, keys, rules, now());
    if (known.size >= REMEMBERED) forgetOldest(known);
    known.set(token, { claims, expires_ms: Number(claims.exp) * 1000 });
    return claims;
  };
}

async function verified(
  token: string,
  keys: ReturnType<typeof createRemoteJWKSet>,
  { issuer, audience }: TokenRules,
  now: number,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(now),
    });
    if (!isMeantFor(payload, audience))
      throw new Fault('unauthenticated', 'The token is for another audience.');
    return payload;
  } catch (error) {
    throw asFault(error);
  }
}

function isMeantFor(payload: JWTPayload, audience: readonly string[]): boolean {
  const meant = payload.aud ?? payload['client_id'];
  return [meant].flat().some((name) => typeof name === 'string' && audience.includes(name));
}

/** What is wrong with the token, in words that tell nothing of the keys. */
function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof errors.JWTExpired) return new Fault('unauthenticated', 'The token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new Fault('unauthenticated', `The token is not valid here (claim "${error.claim}").`);
  if (isAboutKeys(error))
    return new Fault('unavailable', "The issuer's keys cannot be read right now. Try again.");
  return new Fault('unauthenticated', 'The token is not valid.');
}

/** Jose's own errors are about the token, except a key set that cannot be fetched or read. */
const isAboutKeys = (error: unknown): boolean =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === 'ERR_JOSE_GENERIC';

function forgetOldest(known: Map<string, Known>): void {
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
