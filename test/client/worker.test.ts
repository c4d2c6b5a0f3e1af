// Workers on the real server: what they take, how often, and how they stop.
import { describe, expect, it, vi } from 'vitest';
import { type Client, createWorker, type Handle } from '../../client/node.ts';
import { DONE, held, Staff, STAY, until } from './staff.ts';

describe('a worker', () => {
  const staff = new Staff();

  it('takes what is there when it starts, and what comes later, each turn once', async () => {
    const { writer, start, stepOf, actionsOf } = await staff.workflow();
    const first = await start();
    const seen: string[] = [];
    await staff.hire(writer, ({ instance_id, current_step }) => {
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
    const { writer, start, stepOf } = await staff.workflow();
    const ids = await Promise.all([start(), start(), start(), start(), start()]);
    let now = 0;
    let most = 0;
    let bothAreHere = () => {};
    const both = new Promise<void>((resolve) => (bothAreHere = resolve));
    await staff.hire(
      writer,
      async () => {
        most = Math.max(most, ++now);
        if (now === 2) bothAreHere();
        await both;
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
    ['data that cannot be sent', { workflow_signal: { data: { big: 1n } } }, 'is no JSON'],
    ['a later step', { workflow_signal: { action: 'complete_step', step: 'check' } }, 'was refused'],
    ['an old version', { workflow_signal: { action: 'complete_step', expected_version: 1 } }, 'was refused'],
  ])('stays, and logs it, where the handler returns %s', async (_, returned, message) => {
    const { writer, start, stepOf, actionsOf } = await staff.workflow();
    const id = await start();
    const { logs } = await staff.hire(writer, () => returned as object);
    await until(async () => expect((await actionsOf(id)).at(-1)).toBe('stay stayed'));
    expect(logs.find(({ level }) => level === 'warn')?.message).toContain(message);
    expect(await stepOf(id)).toBe('write');
  });

  it('tells the person what the handler replied, whatever was wrong with its signal', async () => {
    const { writer, start, owner } = await staff.workflow();
    const [without, wrong] = [await start(), await start()];
    await staff.hire(writer, ({ instance_id }) => ({
      reply: 'Hello!',
      ...(instance_id === wrong ? { workflow_signal: { action: 'LEAP' } } : {}),
    }));
    for (const id of [without, wrong])
      await until(async () => expect((await owner.context(id)).messages).toMatchObject([{ text: 'Hello!' }]));
  });

  it('calls a handler that throws again, then stays', async () => {
    const { writer, start, stepOf, actionsOf } = await staff.workflow();
    const [flaky, hopeless] = [await start(), await start()];
    const calls: string[] = [];
    const { logs } = await staff.hire(writer, (context) => {
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

  it('lets go of a handler that hangs, and calls it again', async () => {
    const { writer, start, stepOf } = await staff.workflow();
    const id = await start();
    const signals: AbortSignal[] = [];
    const { logs } = await staff.hire(
      writer,
      ({ signal, try: tried }) => {
        signals.push(signal);
        return tried === 1 ? new Promise<never>(() => {}) : DONE;
      },
      { handle_ms: 2_000 },
    );
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(String(logs.find(({ level }) => level === 'warn')?.error)).toContain('handle_ms');
  });

  it('calls the handler again with what is missing when its step is blocked', async () => {
    const { writer, start, stepOf } = await staff.workflow({ outputs: ['draft'] });
    const id = await start();
    const told: unknown[] = [];
    await staff.hire(writer, ({ blocked }) => {
      told.push(blocked?.missing_criteria);
      const artifacts = blocked ? { draft: 'text' } : {};
      return { workflow_signal: { action: 'complete_step', artifacts } };
    });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(told).toEqual([undefined, [expect.objectContaining({ type: 'outputs' })]]);
  });

  it('answers a turn once under its name, restarted or not', async () => {
    const { writer, start, actionsOf } = await staff.workflow();
    const id = await start();
    const first = await staff.hire(writer, () => STAY, { name: 'w-1' });
    await until(async () => expect((await actionsOf(id)).at(-1)).toBe('stay stayed'));
    await first.worker.stop();
    let called = false;
    const second = await staff.hire(writer, () => ((called = true), STAY), { name: 'w-1' });
    await until(() => expect([called, second.worker.working]).toEqual([true, []]));
    const stays = (await actionsOf(id)).filter((action) => action === 'stay stayed');
    expect(stays).toHaveLength(1);
  });

  it('keeps its task for as long as it works, beyond its lease', async () => {
    const { writer, start, stepOf, actionsOf } = await staff.workflow();
    const id = await start();
    const { calls, handle, go } = held();
    await staff.hire(writer, handle, { sub: 'one', lease_seconds: 0.5 });
    await until(() => expect(calls).toHaveLength(1));
    const other = vi.fn<Handle>(() => DONE);
    await staff.hire(writer, other, { sub: 'two', poll_ms: 50 });
    const beats = async () => (await actionsOf(id)).filter((action) => action === 'heartbeat stayed').length;
    await until(async () => expect(await beats()).toBeGreaterThan(6));
    expect(other).not.toHaveBeenCalled();
    go(DONE);
    await until(async () => expect(await stepOf(id)).toBe('check'));
  });

  it('finishes what it has begun before it stops', async () => {
    const { writer, start, stepOf } = await staff.workflow();
    const id = await start();
    const { calls, handle, go } = held();
    const { worker } = await staff.hire(writer, handle);
    await until(() => expect(calls).toHaveLength(1));
    const stopped = worker.stop();
    go(DONE);
    await stopped;
    await worker.closed;
    expect(await stepOf(id)).toBe('check');
  });

  it('gives back what it cannot finish in time, and what comes of it then does not count', async () => {
    const { writer, start, owner, stepOf } = await staff.workflow();
    const id = await start();
    const { calls, handle, go } = held();
    const { worker } = await staff.hire(writer, handle, { sub: 'one' });
    await until(() => expect(calls).toHaveLength(1));
    await worker.stop({ grace_ms: 0 });
    expect(calls[0]?.signal.aborted).toBe(true);
    go({ workflow_signal: { action: 'complete_step', data: { late: true } } });
    await staff.hire(writer, () => DONE, { sub: 'two' });
    await until(async () => expect(await stepOf(id)).toBe('check'));
    expect(JSON.stringify(await owner.details(id))).not.toContain('late');
  });

  it('reads the inbox where there are no sockets', async () => {
    const { writer, start, stepOf } = await staff.workflow();
    const nowhere = staff.with('http://127.0.0.1:9', 'x');
    const deaf: Client = {
      ...(await staff.as('bot', [writer])),
      subscribe: (topic, options) => nowhere.subscribe(topic, options),
    };
    await staff.hire(writer, () => DONE, { client: deaf });
    const id = await start();
    await until(async () => expect(await stepOf(id)).toBe('check'));
  });

  it('ends with the reason where the tasks are not its own', async () => {
    const { writer } = await staff.workflow();
    const worker = createWorker({
      client: await staff.as('nobody', ['other']),
      role: writer,
      handle: () => DONE,
    });
    await expect(worker.closed).rejects.toMatchObject({ name: 'StepgateError' });
    await worker.stop();
  });

  it('is of a role or of an agent', async () => {
    const client = await staff.as('nobody');
    expect(() => createWorker({ client, handle: () => DONE })).toThrow('name one of them');
    expect(() => createWorker({ client, role: 'a', agent: 'b', handle: () => DONE })).toThrow(
      'name one of them',
    );
  });
});
