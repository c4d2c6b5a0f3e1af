// stepgate history and stepgate replay against a running server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../cli/run.ts';
import { TABLES } from '../../local/environment.ts';
import { commitKey } from '../../shared/store/keys.ts';
import { callerOn, signal, started } from '../e2e/callers.ts';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { clientConfig, endpointOf, ONE_STORE } from '../support/stores.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-cli-'));
beforeEach(() => {
  vi.stubEnv('STEPGATE_DATA', folder);
  vi.stubEnv('STEPGATE_URL', '');
  vi.stubEnv('STEPGATE_TOKEN', '');
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(folder, { recursive: true }));

async function stepgate(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const streams = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
  return { code: await run(args, streams), out: out.join('\n'), err: err.join('\n') };
}

describe.each(ONE_STORE)('commands that ask a server, on %s', (kind) => {
  let server: SharedServer;
  let token: string;
  let id: string;
  beforeAll(async () => {
    server = await sharedServer(kind);
    token = await server.token('olga-cli');
    const olga = await callerOn(server, 'olga-cli');
    id = await started(olga, 'generation');
    await signal(olga, id, { action: 'stay', data: { seen: true } });
    await signal(olga, id, { action: 'complete_step', step: 4 });
  });
  const ask = (...args: string[]) => stepgate(...args, '--url', server.url, '--token', token);

  it('history shows who said what and what came of it', async () => {
    const { code, out, err } = await ask('history', id);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')[0]).toMatch(/^seq {2}time +by +action +result +step$/);
    expect(out).toMatch(/^1 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}olga-cli \(human\) {2}start +advanced/m);
    expect(out).toMatch(/complete_step +refused: step_mismatch/);
    expect(out).toContain(`${id}: 3 commits, in_progress at`);
  });

  it('history can show events, skip what is known, and print JSON', async () => {
    expect((await ask('history', id, '--events')).out).toContain('workflow.started');
    expect((await ask('history', id, '--after', '2')).out).toContain(`${id}: 1 commit,`);
    expect((await ask('history', id, '--after', '3')).out).toBe(`${id}: nothing more.`);
    const { items } = JSON.parse((await ask('history', id, '--json')).out) as { items: { seq: number }[] };
    expect(items.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('replay proves a log, and says so', async () => {
    const { code, out } = await ask('replay', id);
    expect(code).toBe(0);
    expect(out).toContain(`✓ ${id}: 3 commits, every state follows from its signal and every link holds.`);
    expect(JSON.parse((await ask('replay', id, '--json')).out)).toEqual({
      instance_id: id,
      ok: true,
      commits: 3,
      hash: expect.any(String),
      first_problem: null,
    });
  });

  it('replay names a commit that was changed in the table of the server', async () => {
    const olga = await callerOn(server, 'olga-cli');
    const victim = await started(olga, 'generation');
    await signal(olga, victim, { action: 'stay', data: { paid: false } });
    const client = new DynamoDBClient(clientConfig(endpointOf(kind)));
    const { pk, sk } = commitKey(victim, 2);
    const TableName = TABLES.table;
    const { Item } = await client.send(
      new GetItemCommand({ TableName, Key: { pk: { S: pk }, sk: { S: sk } } }),
    );
    const text = Item?.commit?.S?.replaceAll('"paid":false', '"paid":true') ?? '';
    const forged = text.replace('"paid":true', '"paid":false'); // the signal as it was, the state not
    await client.send(new PutItemCommand({ TableName, Item: { ...Item, commit: { S: forged } } }));
    client.destroy();
    const { code, out } = await ask('replay', victim);
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`✗ ${victim}: commit 2 \\(state\\): .*paid`));
    expect(out).toContain('1 commit before it holds.');
  });

  it('say in a sentence what went wrong', async () => {
    const lost = await ask('history', 'nothing-here');
    expect([lost.code, lost.out]).toEqual([1, '']);
    expect(lost.err).toContain('There is no instance "nothing-here".');
    expect(lost.err).toContain('a token of its owner');
    const stranger = await server.token('stranger');
    const hidden = await stepgate('replay', id, '--url', server.url, '--token', stranger);
    expect([hidden.code, hidden.err.includes('There is no instance')]).toEqual([1, true]);
    const unknown = await stepgate('history', id, '--url', server.url);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('does not accept this token')]);
    const nobody = await stepgate('replay', id, '--url', 'http://127.0.0.1:9', '--token', token);
    expect([nobody.code, nobody.err]).toEqual([
      1,
      expect.stringContaining('Nothing answers at http://127.0.0.1:9'),
    ]);
  });

  it('take the server and the token from the environment too', async () => {
    vi.stubEnv('STEPGATE_URL', server.url);
    vi.stubEnv('STEPGATE_TOKEN', token);
    expect((await stepgate('replay', id)).code).toBe(0);
  });

  it('make a token of their own where the data folder is the server’s', async () => {
    vi.stubEnv('STEPGATE_DATA', server.data_dir);
    const { code, out } = await stepgate('replay', id, '--url', server.url);
    expect([code, out]).toEqual([0, expect.stringContaining('✓')]);
  });

  it.each([
    [['history'], '"stepgate history" needs an instance id. Usage: stepgate history ID'],
    [['replay', 'a', 'b'], '"stepgate replay" takes one instance id, not 2.'],
    [['history', 'a', '--after', 'noon'], '--after is the number of a commit'],
    [['replay', 'a', '--url', 'nowhere'], '--url is an address such as http://localhost:4400'],
    [['replay', 'a', '--url', 'https://example.com'], 'give a token with --token or STEPGATE_TOKEN'],
  ])('refuse %j with a sentence', async (args, sentence) => {
    const { code, err } = await stepgate(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
