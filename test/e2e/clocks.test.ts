// Attempts and deadlines on the real server and in real time, kept short: the server may be killed while they run.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { STORE_KINDS } from '../support/stores.ts';
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

describe.each(STORE_KINDS)('clocks on the server, on %s', (kind) => {
  let server: TestServer;
  let owner: Caller;
  let writer: Caller;
  beforeAll(async () => {
    server = await startServer({ store: kind });
    owner = await callerOn(server, 'olga');
    writer = await callerOn(server, 'wim', ['writer'], 'agent');
    const admin = await callerOn(server, 'ada', ['admin']);
    const { status, body } = await admin.put('/api/definitions/drill', DRILL);
    if (status >= 300) throw new Error(JSON.stringify(body));
  });
  afterAll(() => server?.stop());

  const told = async (id: string, type: string) =>
    (await historyOf(owner, id)).flatMap(({ events }) =>
      events.filter((event) => event.type === type).map(({ data }) => data as Record<string, unknown>),
    );
  const attempts = async (id: string, type: 'started' | 'failed') =>
    (await told(id, `workflow.attempt.${type}`)).map(({ attempt }) => attempt);

  it('an attempt that runs out is followed by the next; a reminder by the end of the step', async () => {
    const id = await started(owner, 'drill');
    await eventually(
      () => attempts(id, 'started'),
      ({ length }) => length === 2,
    );
    expect(await told(id, 'workflow.attempt.failed')).toMatchObject([
      { attempt: 1, result: 'timed_out', reason: 'It ran out of time.', last: false },
    ]);
    const answer = await signal(writer, id, { action: 'complete_step' });
    expect(answer.body).toMatchObject({ result: 'advanced', current_step: 'print' });
    const failed = await eventually(
      async () => (await owner.get(`/api/workflows/${id}`)).body,
      ({ status }) => status === 'failed',
    );
    expect(failed.last_error).toBe(
      'Step "print" failed: The deadline of 2 s for "print" has passed. Mend the cause, then resume from "print".',
    );
    expect(await told(id, 'workflow.reminder')).toHaveLength(1);
  });

  it.runIf(kind === STORE_KINDS[0])(
    'kill -9 while an attempt waits, and while a back-off runs: both go on, none lost or doubled',
    async () => {
      const id = await started(owner, 'drill');
      await server.kill9();
      await server.restart();
      await eventually(
        () => attempts(id, 'failed'),
        ({ length }) => length === 1,
      );
      await server.kill9();
      await server.restart();
      await eventually(
        () => attempts(id, 'started'),
        ({ length }) => length === 2,
      );
      await eventually(
        () => attempts(id, 'failed'),
        ({ length }) => length === 3,
      );
      const { body } = await owner.get(`/api/workflows/${id}`);
      expect([await attempts(id, 'started'), await attempts(id, 'failed')]).toEqual([
        [1, 2, 3],
        [1, 2, 3],
      ]);
      expect(body.last_error).toContain('failed on attempt 3 of 3');
    },
  );
});
