// npm run demo, as a process: it plays both workflows to their end, and leaves nothing behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'stepgate-demo-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function runDemo(env: Readonly<Record<string, string>> = {}) {
  const demo = spawn(process.execPath, ['--import', 'tsx', 'scripts/demo.ts', '--fast'], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  demo.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  demo.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(demo, 'close')) as [number | null]; // what the event carries
  return { code, lines: out.trimEnd().split('\n'), err };
}

it('plays onboarding and delivery, shows their events and histories, and leaves nothing behind', async () => {
  const { code, lines, err } = await runDemo();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(lines.slice(-2)).toEqual([
    expect.stringMatching(/^\d+ commits, \d+ events, each seen once and in order\.$/),
    'Both workflows are complete.',
  ]);
  const text = lines.join('\n');
  expect(text).not.toContain('\u001b');
  for (const shown of [
    /step_blocked +2 of 3 facts about "priorities"/,
    /onboarding +█+ 100 %/,
    /agent-arch +rejects: "Passwords/,
    /task\.assigned +developer: REVISE_CODE, with feedback/,
    /delivery +█+ 100 %/,
    / 7 .* pia +APPROVE_STORY +completed +done/,
  ])
    expect(text).toMatch(shown);
  expect(readdirSync(folder).filter((name) => name.startsWith('stepgate'))).toEqual([]);
}, 60_000);

it('says why and fails if there is no server to be had', async () => {
  const { code, err } = await runDemo({ STEPGATE_DB: 'no-such-store' });
  expect(code).toBe(1);
  expect(err).toMatch(/^The demo failed: The server did not start:/);
  expect(readdirSync(folder).filter((name) => name.startsWith('stepgate'))).toEqual([]);
}, 60_000);
