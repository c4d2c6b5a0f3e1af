// Three workers and a person carry ten stories through delivery at the same time. One worker is killed in the middle
// of a task; its lease runs out, another takes over, and nothing is done twice.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient, createWorker, type Handle, type Worker } from '../../client/node.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { ONE_STORE } from '../support/stores.ts';
import { eventually } from './callers.ts';

const PATIENCE = 60_000;
const STORIES = 10;
/** The last of the stories is rejected once. */
const REWORKED = STORIES - 1;

describe.each(ONE_STORE)('three workers and a person, on %s', { timeout: PATIENCE + 5_000 }, (kind) => {
  let server: TestServer;
  let owner: Client;
  let stuck: string;
  let killed: ChildProcess;
  let stories: string[];
  const clients: Client[] = [];
  const workers: Worker[] = [];
  beforeAll(async () => {
    server = await startServer({ store: kind });
    owner = await as('olga', [], 'human');
  });
  afterAll(async () => {
    killed?.kill('SIGKILL');
    await Promise.all(workers.map((worker) => worker.stop({ grace_ms: 0 })));
    for (const client of clients) client.close();
    await server?.stop();
  });

  const as = async (sub: string, roles: string[], who: 'human' | 'agent' = 'agent') => {
    const client = createClient({ url: server.url, token: await server.token(sub, roles, who) });
    clients.push(client);
    return client;
  };
  const hire = async (role: string, sub: string, handle: Handle) => {
    const client = await as(sub, [role]);
    const options = { client, role, handle, name: sub, poll_ms: 200, concurrency: 3 };
    const worker = createWorker({ ...options, log: () => {} });
    workers.push(worker);
    return worker;
  };
  /** What was accepted, and by whom. */
  const doneIn = async (id: string) => {
    const { items } = await owner.history(id, { limit: 100 });
    return items
      .filter(({ action, refusal }) => /^[A-Z_]+$/.test(action) && !refusal)
      .map(({ action, actor }) => `${action} by ${actor.sub}`);
  };

  it('are given ten stories; the first developer gets stuck in the third', async () => {
    stories = [];
    for (let i = 0; i < STORIES; i++)
      stories.push((await owner.start({ workflow_id: 'delivery', subject: `story-${i}` })).instance_id);
    killed = spawn(
      process.execPath,
      ['--import', 'tsx', path.join(import.meta.dirname, 'developer-process.ts')],
      {
        env: {
          ...process.env,
          STEPGATE_URL: server.url,
          STEPGATE_TOKEN: await server.token('dan', ['developer'], 'agent'),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    stuck = await new Promise((resolve, reject) => {
      killed.once('exit', (code) => reject(new Error(`the developer ended with ${code}`)));
      killed.stdout?.on('data', (chunk: Buffer) =>
        resolve(/stuck on (\S+)/.exec(chunk.toString())?.[1] ?? ''),
      );
    });
    expect(stories).toContain(stuck);
  });

  it('the task is held by who works on it, until that one is killed', async () => {
    const dora = await as('dora', ['developer']);
    const claim = dora.claim(stuck, {}, { tries: 1 });
    await expect(claim).rejects.toMatchObject({ code: 'already_claimed' });
    const gone = once(killed, 'exit');
    killed.kill('SIGKILL');
    await gone;
  });

  it('carry all of them to the end, with one review that is failed on the way', async () => {
    await hire('developer', 'dora', ({ instance_id, turn, previous_feedback }) => {
      const artifacts = { commit_sha: `${instance_id}-${turn}`, fixes: previous_feedback };
      return { workflow_signal: { action: 'COMMIT_CODE', artifacts } };
    });
    await hire('architect', 'arno', ({ instance_id, artifacts }) =>
      instance_id === stories[REWORKED] && artifacts['fixes'] === null
        ? { workflow_signal: { action: 'REJECT_DESIGN', feedback: 'Split it.' } }
        : { workflow_signal: { action: 'APPROVE_DESIGN' } },
    );
    await hire('qa', 'quinn', () => ({
      workflow_signal: { action: 'APPROVE_TESTS', artifacts: { test_results: { passed: 1 } } },
    }));
    const petra = await as('petra', ['po'], 'human');
    const accepts = petra.subscribe('role:po', {
      onEvent: async ({ type, instance_id }) => {
        if (type === 'workflow.task.assigned') await petra.signal(instance_id, { action: 'APPROVE_STORY' });
      },
    });
    const finished = await eventually(
      () => Promise.all(stories.map(async (id) => (await owner.details(id)).status)),
      (statuses) => statuses.every((status) => status === 'completed'),
      PATIENCE,
    );
    accepts.close();
    expect(finished).toHaveLength(STORIES);
  });

  it('do nothing twice: what was begun by one and finished by another has one commit', async () => {
    expect(await doneIn(stuck)).toEqual([
      'COMMIT_CODE by dora',
      'APPROVE_DESIGN by arno',
      'APPROVE_TESTS by quinn',
      'APPROVE_STORY by petra',
    ]);
    const once = [/^COMMIT_CODE by (?:dan|dora)$/, /^APPROVE_DESIGN/, /^APPROVE_TESTS/, /^APPROVE_STORY/];
    for (const id of stories.filter((story) => story !== stories[REWORKED]))
      expect(await doneIn(id)).toEqual(once.map((pattern) => expect.stringMatching(pattern) as string));
    expect(await doneIn(stories[REWORKED] ?? '')).toEqual([
      'COMMIT_CODE by dora',
      'REJECT_DESIGN by arno',
      'COMMIT_CODE by dora',
      'APPROVE_DESIGN by arno',
      'APPROVE_TESTS by quinn',
      'APPROVE_STORY by petra',
    ]);
  });

  it('were refused nothing: no one acted out of turn', async () => {
    for (const id of stories) {
      const { items } = await owner.history(id, { limit: 100 });
      expect(items.filter(({ refusal }) => refusal)).toEqual([]);
      expect(await owner.replay(id)).toMatchObject({ ok: true });
    }
  });

  it('go on when the server was away', async () => {
    await server.restart();
    const id = (await owner.start({ workflow_id: 'delivery' })).instance_id;
    const { status } = await eventually(
      () => owner.details(id),
      ({ current_step }) => current_step === 'pending_po_approval',
      PATIENCE,
    );
    expect(status).toBe('in_progress');
  });
});
