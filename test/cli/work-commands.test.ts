// publish, run, signal, watch, tasks and tail against a running server, each test with a workflow of its own.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../cli/run.ts';
import { eventually } from '../e2e/callers.ts';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import { temporaryFiles } from './files.ts';

const file = temporaryFiles();
let server: SharedServer;
beforeAll(async () => {
  server = await sharedServer(STORE_KINDS[0] ?? 'dynoxide');
});
beforeEach(() => {
  vi.stubEnv('STEPGATE_DATA', server.data_dir);
  vi.stubEnv('STEPGATE_URL', server.url);
  vi.stubEnv('STEPGATE_TOKEN', '');
});
afterEach(() => vi.unstubAllEnvs());

async function stepgate(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(args, { out: (line) => out.push(line), err: (line) => err.push(line) });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** As on a terminal: everything that was drawn. */
async function onTerminal(...args: string[]) {
  const drawn: string[] = [];
  const draw = (text: string) => void drawn.push(text);
  const code = await run(args, {
    draw,
    out: (line) => drawn.push(`${line}\n`),
    err: (line) => drawn.push(line),
  });
  return { code, drawn: drawn.join('') };
}

const yamlOf = (id: string) => `
id: ${id}
roles: [${id}-dev, ${id}-qa]
params:
  rounds: { type: integer, min: 1, max: 5, default: 1 }
  loud: { type: boolean, default: false }
  mode: { choices: [full, quick], default: full }
  note: { type: text, default: '' }
steps:
  - { id: build, roles: [${id}-dev], outputs: [commit_sha] }
  - { id: test, roles: [${id}-qa], evidence: { cases: { type: integer, min: 1 } } }
`;
async function published() {
  const id = `flow-${randomUUID().slice(0, 8)}`;
  const { code, out } = await stepgate('publish', await file(`${id}.yaml`, yamlOf(id)));
  const dev = ['--as', 'dan', '--roles', `${id}-dev`];
  const qa = ['--as', 'quinn', '--roles', `${id}-qa`];
  return { id, code, out, dev, qa };
}
const BUILT = ['complete_step', '--artifact', 'commit_sha=1234567'];

describe('publish', () => {
  it('makes a version of a YAML file, once', async () => {
    const { id, code, out } = await published();
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`✓ ${id}: published as a new version \\(\\w{12}, 2 steps\\)`));
    const again = await stepgate('publish', await file(`${id}.yaml`, yamlOf(id)));
    expect(again.out).toContain('it is the current version already');
  });

  it('takes Markdown and JSON', async () => {
    const md = `doc-${randomUUID().slice(0, 8)}`;
    const phases =
      '# Doc\n\n## Phase 1: Count\n\nMust provide `count` (integer).\n\n## Phase 2: Write\n\nMust provide `summary` (text).\n';
    expect((await stepgate('publish', await file(`${md}.md`, phases))).out).toContain('2 steps');
    const json = `json-${randomUUID().slice(0, 8)}`;
    const steps = [{ id: 'only', agents: ['a'] }];
    const { code, out } = await stepgate(
      'publish',
      '--json',
      await file(`${json}.json`, JSON.stringify({ steps })),
    );
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ workflow_id: json, change: 'created' }),
    ]);
  });

  it('says here what does not prove, and who may publish', async () => {
    const broken = await stepgate(
      'publish',
      await file('broken.yaml', 'id: broken\nsteps: [{ id: a, next: b }]'),
    );
    expect([broken.code, broken.out]).toEqual([1, '']);
    expect(broken.err).toContain('does not prove');
    const { id } = await published();
    const refused = await stepgate('publish', await file(`${id}.yaml`, yamlOf(id)), '--as', 'dan');
    expect([refused.code, refused.out, refused.err]).toEqual([
      1,
      '',
      'Only an admin may publish a definition.',
    ]);
  });

  it('a refusal is JSON, too, where JSON is asked for', async () => {
    const { id } = await published();
    const { code, out, err } = await stepgate('signal', id, 'complete_step', '--json');
    expect([code, JSON.parse(out)]).toEqual([1, expect.objectContaining({ status: 404, code: 'not_found' })]);
    expect(err).toContain(`no instance "${id}"`);
  });
});

describe('run', () => {
  it('starts an instance with parameters as the definition has them', async () => {
    const { id } = await published();
    const params = ['rounds=3', 'loud=true', 'mode=quick', 'note=7', 'note:="8"'];
    const { code, out } = await stepgate(
      'run',
      id,
      '--id',
      `${id}-1`,
      ...params.flatMap((pair) => ['--param', pair]),
    );
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      `${id}-1`,
      '✓ started at build',
      expect.stringMatching(/^ {2}░{24} {3}0 % {2}0 of 2 steps$/),
      `  next: ${id}-dev, complete_step`,
    ]);
    const details = await fetch(`${server.url}/api/workflows/${id}-1`, {
      headers: { authorization: `Bearer ${await server.token('boss', ['admin'])}` },
    });
    expect(await details.json()).toMatchObject({
      params: { rounds: 3, loud: true, mode: 'quick', note: '8' },
    });
  });

  it.each([
    [['--param', 'rouns=3'], 2, 'has no parameter "rouns"; it has rounds, loud, mode, note.'],
    [['--param', 'rounds'], 2, '--param is NAME=TEXT or NAME:=JSON'],
    [['--param', 'rounds:=x'], 2, '--param rounds:= is not JSON: x'],
    [['--param', 'rounds=9'], 1, 'params.rounds must be at most 5'],
    [['--param'], 2, '--param needs a value'],
    [['--token', 'x', '--as', 'dan'], 2, '--as makes a token of its own'],
    [['--kind', 'robot'], 2, '--kind is human or agent, not "robot".'],
  ])('refuses %j with exit code %i', async (args, code, sentence) => {
    const { id } = await published();
    const refused = await stepgate('run', id, ...args);
    expect([refused.code, refused.out]).toEqual([code, '']);
    expect(refused.err).toContain(sentence);
  });

  it('says that there is no such workflow', async () => {
    expect((await stepgate('run', 'nothing-like-it')).err).toContain(
      'There is no workflow "nothing-like-it".',
    );
  });

  it('stays to watch until the end', async () => {
    const { id, dev, qa } = await published();
    const watching = stepgate('run', id, '--id', id, '--watch');
    await eventually(
      () => stepgate('signal', id, ...BUILT, ...dev),
      ({ code }) => code === 0,
    );
    await stepgate('signal', id, 'complete_step', '--evidence', '{"cases": 3}', ...qa);
    const { code, out } = await watching;
    expect(code).toBe(0);
    expect(out).toMatch(/step_changed +build → test +50 %/);
    expect(out).toMatch(/completed +all that was required is done +100 %/);
  });
});

describe('signal', () => {
  it('tells what became of it: blocked with what is missing, then on', async () => {
    const { id, dev } = await published();
    await stepgate('run', id, '--id', id);
    const blocked = await stepgate('signal', id, 'complete_step', ...dev);
    expect(blocked.code).toBe(1);
    expect(blocked.out).toContain('✗ blocked at build\n  missing: The output "commit_sha" is missing');
    const done = await stepgate('signal', id, ...BUILT, '--key', 'k', ...dev);
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringContaining('✓ advanced build → test\n  ████████████░'),
    ]);
    expect((await stepgate('signal', id, ...BUILT, '--key', 'k', ...dev)).out).toContain(
      'as answered before',
    );
    const { items } = JSON.parse((await stepgate('history', id, '--json')).out) as { items: object[] };
    expect(items[2]).toMatchObject({ signal: { body: { artifacts: { commit_sha: '1234567' } } } });
  });

  it('tells who may, and what is possible, where it is refused', async () => {
    const { id, dev } = await published();
    await stepgate('run', id, '--id', id);
    const role = await stepgate('signal', id, 'complete_step', '--as', 'nobody', '--roles', `${id}-qa`);
    expect([role.code, role.err]).toEqual([
      1,
      expect.stringContaining(`It is for: ${id}-dev (--as NAME --roles ${id}-dev).`),
    ]);
    const action = await stepgate('signal', id, 'LEAP', ...dev);
    expect(action.err).toContain('Possible now: stay, need_input, complete_step.');
  });

  it.each([
    [['i-1'], 'needs an instance id and an action'],
    [['i-1', 'stay', 'more'], '"more" is more than that'],
    [['i-1', 'stay', '--data', '[]'], "--data is a JSON object, as in --data '{"],
    [['i-1', 'stay', '--data', '{'], '--data is not JSON'],
    [['i-1', 'stay', '--turn', 'x'], '--turn is a whole number, not "x".'],
  ])('refuses %j with a sentence', async (args, sentence) => {
    const { code, err } = await stepgate('signal', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });
});

describe('watch', () => {
  it('draws a bar under the events on a terminal, and ends with the instance', async () => {
    const { id, dev } = await published();
    await stepgate('run', id, '--id', id);
    const watching = onTerminal('watch', id, '--after', '0');
    await stepgate('signal', id, ...BUILT, ...dev);
    const token = await server.token('boss', ['admin']);
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${server.url}/api/workflows/${id}/cancel`, { method: 'POST', headers });
    const { code, drawn } = await watching;
    expect(code).toBe(1);
    expect(drawn).toContain('\r\x1b[2K████████████░░░░░░░░░░░░  50 %  test');
    expect(drawn).toMatch(/cancelled +Cancelled\.\n/);
    expect((await stepgate('watch', id)).out).toBe(`${id} is cancelled.`);
    const { out } = await stepgate('watch', id, '--after', '1', '--json');
    const types = out.split('\n').map((line) => (JSON.parse(line) as { type: string }).type);
    expect([types[0], types.at(-1)]).toEqual(['workflow.state.changed', 'workflow.cancelled']);
  });
});

describe('tasks and tail', () => {
  it('show what waits for a role', async () => {
    const { id, dev } = await published();
    await stepgate('run', id, '--id', id);
    const { out } = await eventually(
      () => stepgate('tasks', ...dev),
      (shown) => shown.out.includes('build'),
    );
    expect(out).toMatch(new RegExp(`^${id}-dev +${id} +build +complete_step +1 +\\d{4}-`, 'm'));
    expect((await stepgate('tasks', '--role', `${id}-dev`, '--json')).out).toContain('"required_action"');
    expect((await stepgate('tasks', '--role', `${id}-qa`)).out).toBe(`Nothing waits for ${id}-qa.`);
    expect((await stepgate('tasks')).out).toContain('Name one with --role');
    expect((await stepgate('tasks', '--role', 'admin', '--as', 'dan')).code).toBe(1);
  });

  it('say at once that there is no server', async () => {
    for (const args of [['tail', 'qa'], ['watch', 'x'], ['tasks']])
      expect(await stepgate(...args, '--url', 'http://127.0.0.1:9')).toMatchObject({
        code: 1,
        err: expect.stringContaining('Nothing answers at http://127.0.0.1:9') as string,
      });
  });

  it('find the WebSocket where it is said to be, and say so where it cannot be reached', async () => {
    const { id, dev, qa } = await published();
    const flow = `s-${id}`;
    await stepgate('run', id, '--id', flow);
    const socket = `${server.url.replace('http', 'ws')}/ws`;
    const bin = path.join(import.meta.dirname, '../../cli/bin.js');
    const deaf = spawn(process.execPath, [bin, 'watch', flow, '--socket-url', 'ws://127.0.0.1:9'], {
      env: process.env,
    });
    let told = '';
    deaf.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
    await vi.waitFor(() => expect(told).toContain('No live events'), { timeout: 20_000 });
    deaf.kill();
    const watched = stepgate('watch', flow, '--after', '0', '--socket-url', socket);
    await stepgate('signal', flow, ...BUILT, ...dev);
    await stepgate('signal', flow, 'complete_step', '--evidence', '{"cases": 1}', ...qa);
    expect(await watched).toMatchObject({ code: 0, err: '' });
    expect(await stepgate('watch', flow, '--socket-url', 'http://x')).toMatchObject({ code: 2 });
  });

  it('follow an inbox as it fills', async () => {
    const { id, dev } = await published();
    await stepgate('run', id, '--id', id);
    const bin = path.resolve(import.meta.dirname, '../../cli/bin.js');
    const child = spawn(process.execPath, [bin, 'tail', `${id}-qa`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const heard = (words: string) =>
      eventually(
        () => Promise.resolve(said),
        (text) => text.includes(words),
      );
    try {
      await heard(`Nothing waits for ${id}-qa yet.`);
      await stepgate('signal', id, ...BUILT, ...dev);
      expect(await heard('assigned')).toMatch(new RegExp(`assigned +${id} +${id}-qa: complete_step`));
    } finally {
      child.kill();
    }
  });
});

describe('the help', () => {
  it.each(['publish', 'run', 'signal', 'watch', 'tasks', 'tail'])(
    'of %s says how to reach a server',
    async (name) => {
      const { code, out } = await stepgate(name, '--help');
      expect(code).toBe(0);
      for (const word of [`Usage: stepgate ${name}`, '--json', '--url URL', '--token JWT', '--as SUB'])
        expect(out).toContain(word);
      expect((await stepgate('--help')).out).toContain(out.split('\n')[0]?.replace('Usage: stepgate ', ''));
    },
  );
});
