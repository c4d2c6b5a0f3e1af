// stepgate token: one token, alone on its line, from the key in the data folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../cli/run.ts';
import { AUDIENCE, ISSUER, keySet } from '../../local/issuer.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-token-'));
beforeEach(() => vi.stubEnv('STEPGATE_DATA', folder));
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(folder, { recursive: true }));

async function token(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(['token', ...args], {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out, err: err.join('\n') };
}

async function claimsOf(jwt: string | undefined) {
  const keys = createLocalJWKSet(await keySet(folder));
  const { payload } = await jwtVerify(jwt ?? '', keys, { issuer: ISSUER, audience: AUDIENCE });
  const { iat = 0, exp = 0, sub, roles, kind } = payload;
  return { sub, roles, kind, seconds: exp - iat };
}

describe('stepgate token', () => {
  it.each([
    [['--sub', 'ann'], { sub: 'ann', roles: [], kind: 'human', seconds: 28_800 }],
    [['--sub=bot', '--kind=agent'], { sub: 'bot', roles: [], kind: 'agent', seconds: 28_800 }],
    [
      ['--sub', 'ann', '--roles', 'qa, po,', '--expires-in', '30m'],
      { sub: 'ann', roles: ['qa', 'po'], kind: 'human', seconds: 1800 },
    ],
    [['--sub', 'ann', '--expires-in=90'], { sub: 'ann', roles: [], kind: 'human', seconds: 90 }],
    [['--sub', 'ann', '--expires-in=7d'], { sub: 'ann', roles: [], kind: 'human', seconds: 604_800 }],
  ])('%j', async (args, expected) => {
    const { code, out, err } = await token(...args);
    expect({ code, lines: out.length, err }).toEqual({ code: 0, lines: 1, err: '' });
    expect(await claimsOf(out[0])).toEqual(expected);
  });

  it.each([
    [[], '"stepgate token" needs --sub'],
    [['--sub'], '--sub needs a value'],
    [['--sub', 'ann', '--kind', 'system'], '--kind is human or agent, not "system".'],
    [['--sub', 'ann', '--expires-in', 'soon'], '--expires-in is a time such as'],
    [['--sub', 'ann', '--expires-in', '0h'], '--expires-in is a time such as'],
    [['--sub', 'ann', 'file.yaml'], '"stepgate token" takes no file'],
    [['--role', 'qa'], 'did you mean "--roles"?'],
  ])('refuses %j with a sentence', async (args, sentence) => {
    const { code, out, err } = await token(...args);
    expect({ code, out }).toEqual({ code: 2, out: [] });
    expect(err).toContain(sentence);
  });
});
