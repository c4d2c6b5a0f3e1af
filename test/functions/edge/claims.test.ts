// Who a token speaks for, whatever shape its claims arrive in: as signed, or flattened by the HTTP API.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actorFrom, type Claims, listOf } from '../../../functions/edge/claims.ts';
import { Fault } from '../../../shared/faults.ts';

describe('roles', () => {
  const lists: readonly [string, unknown, readonly string[]][] = [
    ['an array', ['qa', 'developer'], ['qa', 'developer']],
    ['an array as the HTTP API flattens it', '[qa developer]', ['qa', 'developer']],
    ['an array of one, flattened', '[qa]', ['qa']],
    ['an empty array', [], []],
    ['an empty array, flattened', '[]', []],
    ['an array written as JSON', '["qa","developer"]', ['qa', 'developer']],
    ['brackets with commas', '[qa, developer]', ['qa', 'developer']],
    ['a comma list', 'qa,developer', ['qa', 'developer']],
    ['a comma list with spaces', ' qa , developer ', ['qa', 'developer']],
    ['a space list', 'qa developer', ['qa', 'developer']],
    ['one role', 'qa', ['qa']],
    ['an empty text', '', []],
    ['nothing', undefined, []],
    ['null', null, []],
    ['a number', 7, []],
    ['an object', { qa: true }, []],
    ['an array with other things in it', ['qa', 7, null, '', ' developer '], ['qa', 'developer']],
    ['an open bracket', '[qa developer', ['[qa', 'developer']],
  ];

  it.each(lists)('from %s', (_title, roles, expected) => {
    expect(actorFrom({ sub: 'u', kind: 'human', roles }).roles).toEqual(expected);
    expect(actorFrom({ sub: 'u', kind: 'human', 'cognito:groups': roles }).roles).toEqual(expected);
  });

  it('from groups and roles together, each once', () => {
    const claims = { sub: 'u', roles: '[qa po]', 'cognito:groups': ['po', 'developer'] };
    expect(actorFrom(claims).roles).toEqual(['qa', 'po', 'developer']);
  });

  const scopes: readonly [string, Claims, readonly string[]][] = [
    ["a client's scopes", { scope: 'stepgate/role.qa stepgate/role.po' }, ['qa', 'po']],
    ['a flattened list of scopes', { scp: '[stepgate/role.qa openid]' }, ['qa']],
    ['scopes of other services', { scope: 'other/role.qa stepgate/read role.qa xstepgate/role.qa' }, []],
    ['a scope without a role', { scope: 'stepgate/role.' }, []],
    ['scopes beside roles', { roles: ['qa'], scope: 'stepgate/role.po' }, ['qa', 'po']],
  ];

  it.each(scopes)('from %s', (_title, claims, expected) => {
    expect(actorFrom({ sub: 'c1', client_id: 'c1', ...claims }).roles).toEqual(expected);
  });

  it("never from a person's scopes (K2)", () => {
    const person = { sub: 'u', token_use: 'access', username: 'ann', client_id: 'web' };
    expect(actorFrom({ ...person, scope: 'stepgate/role.admin openid' })).toEqual({
      sub: 'u',
      kind: 'human',
      roles: [],
    });
  });

  it('a list reads the same as an array and flattened', () => {
    const role = fc.stringMatching(/^[a-z][a-z0-9_.:-]{0,12}$/);
    fc.assert(
      fc.property(fc.array(role), (roles) => {
        expect(listOf(`[${roles.join(' ')}]`)).toEqual(listOf(roles));
      }),
    );
  });
});

describe('kind', () => {
  const rows: readonly [string, Claims, 'human' | 'agent'][] = [
    ['the claim says human', { kind: 'human' }, 'human'],
    ['the claim says agent', { kind: 'agent' }, 'agent'],
    ['the claim says agent on a human login', { kind: 'agent', token_use: 'id' }, 'agent'],
    ['the claim says something else', { kind: 'robot' }, 'agent'],
    ['the claim is spelt otherwise', { kind: 'Human' }, 'agent'],
    ['the claim says system', { kind: 'system' }, 'agent'],
    ["Cognito's custom attribute says human", { 'custom:kind': 'human' }, 'human'],
    ['nothing is said', {}, 'agent'],
    ["Cognito's id token", { token_use: 'id', 'cognito:username': 'ann' }, 'human'],
    ["Cognito's access token of a user", { token_use: 'access', username: 'ann', client_id: 'web' }, 'human'],
    ["Cognito's access token of a client", { token_use: 'access', client_id: 'u' }, 'agent'],
    ['a login method', { amr: ['pwd'] }, 'human'],
    ['a login method, flattened', { amr: '[pwd mfa]' }, 'human'],
    ['no login method', { amr: '[]' }, 'agent'],
    ['only a login time', { auth_time: '1700000000' }, 'agent'],
    ["Auth0's client grant", { gty: 'client-credentials' }, 'agent'],
    ["Auth0's client subject", { sub: 'u@clients', azp: 'u' }, 'agent'],
    ["Okta's service", { cid: 'u' }, 'agent'],
    ["Entra's app", { idtyp: 'app', amr: ['pwd'] }, 'agent'],
    ["Keycloak's service account", { preferred_username: 'service-account-bot' }, 'agent'],
    ['a client that claims to be human (K1)', { client_id: 'u', kind: 'human' }, 'agent'],
  ];

  it.each(rows)('%s', (_title, claims, kind) => {
    expect(actorFrom({ sub: 'u', ...claims }).kind).toBe(kind);
  });
});

describe('subject', () => {
  it.each<[string, Claims]>([
    ['none', {}],
    ['an empty one', { sub: '' }],
    ['a number', { sub: 7 }],
    ['one of more than 256 characters', { sub: 'x'.repeat(257) }],
  ])('%s is unauthenticated', (_title, claims) => {
    expect(() => actorFrom(claims)).toThrow(
      new Fault('unauthenticated', 'The token names no subject (claim "sub").'),
    );
  });
});
