// The one reader of token claims, as a token has them and as an HTTP API's authorizer hands them on (all strings).
//   K1  Whoever is not known to be a person counts as an agent, and a client's own token is an agent's whatever it
//       claims: agents cannot approve.
//   K2  Scopes give roles to clients only. A person may ask for any scope the login page knows, so a person's roles
//       come from `roles` and from groups.
import { Actor } from '../../shared/engine/index.ts';
import { Fault } from '../../shared/faults.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Every request reads its claims: trying to parse what is no JSON would cost more than all the rest. */
const LOOKS_LIKE_JSON = /^\[\s*"/;
const ROLE_SCOPE = 'stepgate/role.';

export function actorFrom(claims: Claims): Actor {
  const kind = kindOf(claims);
  const roles = [...listOf(claims['roles']), ...listOf(claims['cognito:groups'])];
  if (kind === 'agent') roles.push(...rolesInScopes(claims));
  const actor = Actor.safeParse({ sub: claims['sub'], kind, roles: [...new Set(roles)] });
  if (!actor.success) throw new Fault('unauthenticated', 'The token names no subject (claim "sub").');
  return actor.data;
}

/** `["qa","developer"]`, `[qa developer]`, `qa,developer`, `qa developer` or an array: the same list. */
export function listOf(value: unknown): string[] {
  if (Array.isArray(value))
    return value
      .filter((item) => typeof item === 'string')
      .map(trim)
      .filter(Boolean);
  if (typeof value !== 'string') return [];
  const text = value.trim();
  if (!text.startsWith('[') || !text.endsWith(']')) return split(text);
  return (LOOKS_LIKE_JSON.test(text) ? fromJson(text) : undefined) ?? split(text.slice(1, -1));
}

function kindOf(claims: Claims): 'human' | 'agent' {
  if (isClient(claims)) return 'agent';
  const said = claims['kind'] ?? claims['custom:kind'];
  if (said !== undefined) return said === 'human' ? 'human' : 'agent';
  return isLogin(claims) ? 'human' : 'agent';
}

/** A client-credentials token, as Cognito, Auth0, Okta, Entra and Keycloak make them. */
function isClient(claims: Claims): boolean {
  const { sub, gty, idtyp, preferred_username: name } = claims;
  if (gty === 'client-credentials' || idtyp === 'app') return true;
  if (typeof name === 'string' && name.startsWith('service-account-')) return true;
  if (claims['token_use'] === 'access' && claims['username'] === undefined) return true;
  const clients = [claims['client_id'], claims['azp'], claims['cid'], claims['appid']];
  return clients.some((id) => typeof id === 'string' && (sub === id || sub === `${id}@clients`));
}

/** A person has logged in: Cognito's user tokens, or an authentication method (RFC 8176). */
function isLogin(claims: Claims): boolean {
  const use = claims['token_use'];
  return use === 'id' || use === 'access' || listOf(claims['amr']).length > 0;
}

const rolesInScopes = (claims: Claims): string[] =>
  [...listOf(claims['scope']), ...listOf(claims['scp'])]
    .filter((scope) => scope.startsWith(ROLE_SCOPE) && scope.length > ROLE_SCOPE.length)
    .map((scope) => scope.slice(ROLE_SCOPE.length));

const trim = (text: string): string => text.trim();
const split = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

function fromJson(text: string): string[] | undefined {
  try {
    return listOf(JSON.parse(text));
  } catch {
    return undefined; // flattened: `[qa developer]`
  }
}
