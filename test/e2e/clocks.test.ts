// Attempts and deadlines on the real server and in real time, kept short: the server may be killed while they run.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { ONE_STORE } from '../support/stores.ts';
import { type Caller, callerOn, eventually, historyOf, signal, started } from './callers.ts';

/** Nobody works on it unless a test does. */
const DRILL = {
  id: 'drill',
  steps: [
    {
      id: 'write',
      agents: ['writer'],
      attempts: { max: 3, timeout_seconds: 1, backoff_seconds: 1, backoff_jitter: 0 },
    },
    { id: 'print', agents: ['printer'], deadline: { seconds: 2, remind_after_seconds: 1 } },
  ],
};

const RESTARTS = 120_000;

interface Scene {
  readonly server: TestServer;
  readonly owner: Caller;
  readonly writer: Caller;
}

async function open(store: string): Promise<Scene> {
  const server = await startServer({ store });
  const admin = await callerOn(server, 'ada', ['admin']);
  const { status, body } = await admin.put('/api/definitions/drill', DRILL);
  if (status >= 300) throw new Error(JSON.stringify(body));
  const writer = await callerOn(server, 'wim', ['writer'], 'agent');
  return { server, owner: await callerOn(server, 'olga'), writer };
}

const told = async (owner: Caller, id: string, type: string) =>
  (await historyOf(owner, id)).flatMap(({ events }) =>
    events.filter((event) => event.type === type).map(({ data }) => data as Record<string, unknown>),
  );
const attempts = async (owner: Caller, id: string, type: 'started' | 'failed') =>
  (await told(owner, id, `workflow.attempt.${type}`)).map(({ attempt }) => attempt);
const counting =
  (count: number) =>
  ({ length }: readonly unknown[]): boolean =>
    length === count;

describe.each(ONE_STORE)('clocks on the server, on %s', (kind) => {
  let scene: Scene;
  beforeAll(async () => void (scene = await open(kind)));
  afterAll(() => scene?.server.stop());

  it('an attempt that runs out is followed by the next; a reminder by the end of the step', async () => {
    const { owner, writer } = scene;
    const id = await started(owner, 'drill');
    await eventually(() => attempts(owner, id, 'started'), counting(2));
    const [first] = await told(owner, id, 'workflow.attempt.failed');
    expect(first).toMatchObject({
      attempt: 1,
      result: 'timed_out',
      reason: 'It ran out of time.',
      last: false,
    });
    // On a busy machine the second may run out as well.
    const complete = async () => (await signal(writer, id, { action: 'complete_step' })).body;
    await eventually(complete, ({ result }) => result === 'advanced');
    const failed = await eventually(
      async () => (await owner.get(`/api/workflows/${id}`)).body,
      ({ status }) => status === 'failed',
    );
    expect(failed.last_error).toBe(
      'Step "print" failed: The deadline of 2 s for "print" has passed. Mend the cause, then resume from "print".',
    );
    expect(await told(owner, id, 'workflow.reminder')).toHaveLength(1);
  });
});

// What is journalled does not depend on the store; the other kill tests run on both.
describe.each(ONE_STORE)('a server that is killed, on %s', (kind) => {
  let scene: Scene;
  beforeAll(async () => void (scene = await open(kind)));
  afterAll(() => scene?.server.stop());

  it(
    'while an attempt waits, and while a back-off runs: both go on, none is lost or doubled',
    async () => {
      const { server, owner } = scene;
      const id = await started(owner, 'drill');
      await server.kill9();
      await server.restart();
      await eventually(() => attempts(owner, id, 'failed'), counting(1));
      await server.kill9();
      await server.restart();
      await eventually(() => attempts(owner, id, 'failed'), counting(3));
      expect(await attempts(owner, id, 'started')).toEqual([1, 2, 3]);
      expect(await attempts(owner, id, 'failed')).toEqual([1, 2, 3]);
      const { body } = await owner.get(`/api/workflows/${id}`);
      expect(body.last_error).toContain('failed on attempt 3 of 3');
    },
    RESTARTS,
  );
});
