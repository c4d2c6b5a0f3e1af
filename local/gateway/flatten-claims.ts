// Claims as an HTTP API's JWT authorizer hands them to a function: every value a text, lists as `[a b]`.
import type { Claims } from '../../functions/edge/claims.ts';

export type FlatClaims = Readonly<Record<string, string>>;

/** A token is verified once and used often: its claims are flattened once, too. */
const known = new WeakMap<Claims, FlatClaims>();

export function flattenClaims(claims: Claims): FlatClaims {
  const before = known.get(claims);
  if (before !== undefined) return before;
  const flat = Object.freeze(
    Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, flatten(value)])),
  );
  known.set(claims, flat);
  return flat;
}

function flatten(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatten).join(' ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `map[${members.map(([name, member]) => `${name}:${flatten(member)}`).join(' ')}]`;
}
