// Workers on the real server: each test has a workflow and agents of its own.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Client,
  createClient,
  createWorker,
  type Handle,
  type Worker,
  type WorkerContext,
  type WorkerLog,
  type WorkerOptions,
} from '../../client/node.ts';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';

const DONE = { workflow_signal: { action: 'complete_step' } };
const STAY = { workflow_signal: { action: 'stay' } };
const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 20_000, interval: 20 });

describe.each(STORE_KINDS.slice(0, 1))('a worker, on %s', (kind) => {
  let server: SharedServer;
  let owner: Client;
  const clients: Client[] = [];
  const workers: Worker[] = [];
  beforeAll(async () => {
    server = await sharedServer(kind);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop({ grace_ms: 0 })));
    for (const client of clients.splice(0)) client.close();
  });

  const as = async (sub: string, roles: string[] = [], who: 'human' | 'agent' = 'agent', more = {}) => {
    const client = createClient({ url: server.url, token: await server.token(sub, roles, who), ...more });
    clients.push(client);
    return client;
  };
  /** A workflow of its own: two steps, the first for one agent, the second for another. */
  const workflow = async (more: object = {}) => {
    const name = `w${randomUUID().slice(0, 8)}`;
    owner = await as(`owner-${name}`, [], 'human');
    const admin = await as('boss', ['admin'], 'human');
    const steps = [
      { id: 'write', agents: [`${name}-writer`], ...more },
      { id: 'check', agents: [`${name}-checker`] },
    ];
    await admin.publish(name, { steps });
    const start = async () => (await owner.start({ workflow_id: name })).instance_id;
    return { writer: `${name}-writer`, checker: `${name}-checker`, start };
  };
  const hire = async (
    agent: string,
    handle: Handle,
    more: Partial<WorkerOptions> & { sub?: string } = {},
  ) => {
    const { sub = agent, ...options } = more;
    const logs: WorkerLog[] = [];
    const worker = createWorker({
      client: options.client ?? (await as(sub, [agent])),
      agent,
      handle,
      poll_ms: 200,
      backoff: { first_ms: 1, most_ms: 5 },
      log: (entry) => void logs.push(entry),
      ...options,
    });
    workers.push(worker);
    await worker.ready;
    return { worker, logs };
  };
  const stepOf = async (id: string) => (await owner.details(id)).current_step;
  const actionsOf = async (id: string) =>
    (await owner.history(id)).items.map(({ action, result }) => `${action} ${String(result)}`);
  /** A handler that waits to be let go. */
  const held = () => {
    const calls: WorkerContext[] = [];
    let go = (_: object): void => {};
    const result = new Promise<object>((resolve) => (go = resolve));
    const handle: Handle = (context) => {
      calls.push(context);
      return result;
    };
    return { calls, handle, go };
  };

  it('takes what is there when it starts, and what comes later, each turn once', async () => {
    const { writer, start } = await workflow();
    const first = await start();
    const seen: string[] = [];
    await hire(writer, ({ instance_id, current_step }) => {
      seen.push(`${instance_id} ${current_step}`);
      return DONE;
    });
    await until(async () => expect(await stepOf(first)).toBe('check'));
    const second = await start();
    await until(async () => expect(await stepOf(second)).toBe('check'));
    expect(seen).toEqual([`${first} write`, `${second} write`]);
    expect(await actionsOf(second)).toEqual(['start advanced', 'claim stayed', 'complete_step advanced']);
  });

  it('works on as many at a time as it is told to, and gets to all of them', async () => {
    const { writer, start } = await workflow();
    const ids = await Promise.all([start(), start(), start(), start(), start()]);
    let now = 0;
    let most = 0;
    await hire(
      writer,
      async () => {
        most = Math.max(most, ++now);
        await owner.list({ limit: 1 });
        now--;
        return DONE;
      },
      { concurrency: 2 },
    );
    await until(async () => expect(await Promise.all(ids.map(stepOf))).toEqual(ids.map(() => 'check')));
    expect(most).toBe(2);
  });

  it.each<[string, object | undefined, string]>([
    ['nothing', undefined, 'nothing was returned'],
    ['no signal', { reply: 'Hm.' }, 'there is no workflow_signal'],
    ['a malformed one', { workflow_signal: { action: 'a b' } }, 'is not an action'],
    ['an action there is not', { workflow_signal: { action: 'LEAP' } }, 'LEAP was refused'],
    ['data that is refused', { workflow_signal: { data: { started_at: 'x' } } }, 'stay was refused'],
  ])('stays, and logs it, where the handler returns %s', async (_, returned, message) => {
    const { writer, start } = await workflow();
    const id = await start();
    const { logs } = await hire(writer, () => returned as object);
    await until(async () => expect((await actionsOf(id)).at(-1)).toBe('stay stayed'));
    expect(logs.find(({ level }) => level === 'warn')?.message).toContain(message);
    expect(await stepOf(id)).toBe('write');
  });

  it('calls a handler that throws again, then stays', async () => {
    const { writer, start } = await workflow();
    const [flaky, hopeless] = [await start(), await start()];
    const calls: string[] = [];
    const { logs } = await hire(writer, (context) => {
      calls.push(`${context.instance_id} ${context.try}`);
      if (context.instance_id === hopeless || context.try < 3) throw new Error('no luck');
      return DONE;
    });
    await until(async () => expect(await stepOf(flaky)).toBe('check'));
    await until(async () => expect((await actionsOf(hopeless)).at(-1)).toBe('stay stayed'));
    const expected = [flaky, hopeless].flatMap((id) => [1, 2, 3].map((n) => `${id} ${n}`));
    expect(calls.toSorted()).toEqual(expected.toSorted());
    expect(logs.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('calls the handler again with what is missing when its step is blocked', async () => {
    const { writer, start } = await workflow({ outputs: ['draft'] });
    const id = await start();
    const told: unknown[] = [];
    await hire(writer, ({ blocked }) => {
      told.push(blocked?.missing_criteria);
      const artifacts = blocked ? { draft: 'text' } : {};
      return { workflow_signal: { action: 'complete_step', artifacts } };
    });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(told).toEqual([undefined, [expect.objectContaining({ type: 'outputs' })]]);
  });

  it('answers a turn once under its name, restarted or not', async () => {
    const { writer, start } = await workflow();
    const id = await start();
    const first = await hire(writer, () => STAY, { name: 'w-1' });
    await until(async () => expect((await actionsOf(id)).at(-1)).toBe('stay stayed'));
    await first.worker.stop();
    let called = false;
    const second = await hire(writer, () => ((called = true), STAY), { name: 'w-1' });
    await until(() => expect([called, second.worker.working]).toEqual([true, []]));
    const stays = (await actionsOf(id)).filter((action) => action === 'stay stayed');
    expect(stays).toHaveLength(1);
  });

  it('hears what a person says, afresh, and replies', async () => {
    const { writer, start } = await workflow();
    const id = await start();
    const heard: string[] = [];
    const { worker } = await hire(writer, ({ messages, turn }) => {
      const last = messages.at(-1);
      heard.push(`${turn} ${last?.text ?? '-'}`);
      if (last?.text === 'Done?') return { ...DONE, reply: 'Done.' };
      return { ...STAY, reply: last ? 'Tell me more.' : 'Hello!' };
    });
    await until(async () => expect((await actionsOf(id)).at(-1)).toBe('stay stayed'));
    await owner.message(id, { text: 'Hi' });
    await until(async () => expect((await owner.context(id)).messages).toHaveLength(3));
    await owner.message(id, { text: 'Done?' });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(heard).toEqual(['1 -', '2 Hi', '3 Done?']);
    expect(worker.working).toEqual([]);
  });

  it('does not answer again where the agent had the last word', async () => {
    const { writer, start } = await workflow();
    const id = await start();
    const first = await hire(writer, () => ({ ...STAY, reply: 'Hello!' }), {
      sub: 'one',
      lease_seconds: 0.3,
    });
    await until(async () => expect((await owner.context(id)).messages).toHaveLength(1));
    await first.worker.stop();
    let called = false;
    await hire(writer, () => ((called = true), DONE), { sub: 'two' });
    await until(async () => expect((await owner.details(id)).version).toBeGreaterThan(3)); // it was claimed again
    await owner.message(id, { text: 'Hi' });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(called).toBe(true);
    expect((await actionsOf(id)).filter((action) => action.startsWith('complete_step'))).toHaveLength(1);
  });

  it('drops work that a message has overtaken, and begins again with it', async () => {
    const { writer, start } = await workflow();
    const id = await start();
    const turns: number[] = [];
    let aborted = false;
    await hire(writer, async ({ turn, signal }) => {
      turns.push(turn);
      if (turns.length > 1) return DONE;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted = true;
      return { workflow_signal: { action: 'complete_step', data: { late: true } } };
    });
    await until(() => expect(turns).toEqual([1]));
    await owner.message(id, { text: 'Wait' });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect([aborted, turns]).toEqual([true, [1, 2]]);
    expect(JSON.stringify(await owner.details(id))).not.toContain('late');
  });

  it('asks a person and is called afresh with the answers and what it saved', async () => {
    const { writer, start } = await workflow();
    const id = await start();
    const calls: object[] = [];
    await hire(writer, async ({ answers, step_context, save }) => {
      calls.push({ answers, step_context });
      if (answers.length > 0) return DONE;
      await save({ pages: 3 });
      const questions = [{ question: 'Which ink?', options: ['blue', 'red'] }];
      return { workflow_signal: { action: 'need_input', questions } };
    });
    await until(async () => expect((await owner.details(id)).status).toBe('waiting_input'));
    await owner.answer(id, { answers: ['blue'] });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(calls).toEqual([
      { answers: [], step_context: {} },
      { answers: [{ question: 'Which ink?', answer: 'blue' }], step_context: { pages: 3 } },
    ]);
  });

  it('keeps its task for as long as it works, beyond its lease', async () => {
    const { writer, start } = await workflow();
    const id = await start();
    const { calls, handle, go } = held();
    await hire(writer, handle, { sub: 'one', lease_seconds: 0.5 });
    await until(() => expect(calls).toHaveLength(1));
    const other = vi.fn(() => DONE);
    await hire(writer, other, { sub: 'two', poll_ms: 50 });
    const beats = async () => (await actionsOf(id)).filter((action) => action === 'heartbeat stayed').length;
    await until(async () => expect(await beats()).toBeGreaterThan(6));
    expect(other).not.toHaveBeenCalled();
    go(DONE);
    await until(async () => expect(await stepOf(id)).toBe('check'));
  });

  it('finishes what it has begun before it stops', async () => {
    const { writer, start } = await workflow();
    const id = await start();
    const { calls, handle, go } = held();
    const { worker } = await hire(writer, handle);
    await until(() => expect(calls).toHaveLength(1));
    const stopped = worker.stop();
    go(DONE);
    await stopped;
    await worker.closed;
    expect(await stepOf(id)).toBe('check');
  });

  it('gives back what it cannot finish in time, and what comes of it then does not count', async () => {
    const { writer, start } = await workflow();
    const id = await start();
    const { calls, handle, go } = held();
    const { worker } = await hire(writer, handle, { sub: 'one' });
    await until(() => expect(calls).toHaveLength(1));
    await worker.stop({ grace_ms: 0 });
    expect(calls[0]?.signal.aborted).toBe(true);
    go({ workflow_signal: { action: 'complete_step', data: { late: true } } });
    await hire(writer, () => DONE, { sub: 'two' });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(JSON.stringify(await owner.details(id))).not.toContain('late');
  });

  it('reads the inbox where there are no sockets', async () => {
    const { writer, start } = await workflow();
    const client = createClient({ url: server.url, token: await server.token('bot', [writer], 'agent') });
    const deaf: Client = {
      ...client,
      subscribe: (topic, options) => {
        const nowhere = createClient({ url: 'http://127.0.0.1:9', token: 'x' });
        clients.push(nowhere);
        return nowhere.subscribe(topic, options);
      },
    };
    await hire(writer, () => DONE, { client: deaf });
    const id = await start();
    await until(async () => expect(await stepOf(id)).toBe('check'));
    client.close();
  });

  it('ends with the reason where the tasks are not its own', async () => {
    const { writer } = await workflow();
    const worker = createWorker({ client: await as('nobody', ['other']), role: writer, handle: () => DONE });
    await expect(worker.closed).rejects.toMatchObject({ name: 'StepgateError' });
    await worker.stop();
  });

  it('is of a role or of an agent', async () => {
    const client = await as('nobody');
    expect(() => createWorker({ client, handle: () => DONE })).toThrow('name one of them');
    expect(() => createWorker({ client, role: 'a', agent: 'b', handle: () => DONE })).toThrow(
      'name one of them',
    );
  });
});
