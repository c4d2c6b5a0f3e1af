// Claims on real stores: one of two agents wins, leases are judged by the clock that is handed in, and the inbox
// shows a task again once its lease has run out.
import { beforeAll, describe, expect, it } from 'vitest';
import { reportWork } from '../../shared/app/agent-work.ts';
import { pendingTasks } from '../../shared/app/pending-tasks.ts';
import { project } from '../../shared/app/project.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { Actor, SignalType } from '../../shared/engine/index.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, human } from '../support/play.ts';
import { freshTables, STORE_KINDS, type FreshTables } from '../support/stores.ts';

const ann = agent('ann', 'developer');
const ben = agent('ben', 'developer');
const OLGA = human('olga');

describe.each(STORE_KINDS)('a claim, on %s', (kind) => {
  let tables: FreshTables;
  let app: TestApp;
  let now: string;
  beforeAll(async () => {
    tables = await freshTables(kind);
    app = process();
  });
  /** One more process on the same tables, with the clock of the test. */
  const process = (): TestApp => {
    const made = appOn(tables);
    return { ...made, chance: { ...made.chance, now: () => now, backOff: () => Promise.resolve() } };
  };
  const started = async () => {
    now = '2026-03-01T12:00:00.000Z';
    const { instance_id } = await startInstance(app, { body: { workflow_id: 'delivery' }, caller: OLGA });
    await projected(instance_id);
    return instance_id;
  };
  const projected = async (id: string) => {
    const entry = await app.log.latest(id);
    if (entry) await project(app, entry.commit.state);
  };
  const say = (by: Actor, id: string, type: SignalType, body: object = {}, on = app) =>
    tell(on, { instance_id: id, type, body, caller: by });
  const inbox = async (by: Actor) =>
    (await pendingTasks(app, by, { role: 'developer' })).tasks.map(({ task_id }) => task_id);

  it('goes to one of two agents that race for it from two processes, every time', async () => {
    for (let round = 0; round < 8; round++) {
      const id = await started();
      const ends = await Promise.allSettled([
        say(ann, id, 'claim', {}, process()),
        say(ben, id, 'claim', {}, process()),
      ]);
      expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const lost = ends.find((end) => end.status === 'rejected');
      expect(lost?.reason).toMatchObject({ code: 'already_claimed' });
      expect((await app.log.latest(id))?.commit.seq).toBe(2);
    }
  });

  it('hides the task from the others until its lease runs out, and then it is there again', async () => {
    const id = await started();
    await say(ann, id, 'claim', { lease_seconds: 5 });
    await projected(id);
    now = '2026-03-01T12:00:04.999Z';
    expect(await inbox(ben)).not.toContain(id);
    expect(await inbox(ann)).toContain(id);
    await expect(say(ben, id, 'claim')).rejects.toMatchObject({
      code: 'already_claimed',
      details: { claimed_until: '2026-03-01T12:00:05.000Z' },
    });
    now = '2026-03-01T12:00:05.000Z';
    expect(await inbox(ben)).toContain(id);
    expect(await say(ben, id, 'claim')).toMatchObject({ result: 'stayed', current_step: 'implementing' });
  });

  it('is kept by heartbeats and ends with a release', async () => {
    const id = await started();
    await say(ann, id, 'claim', { lease_seconds: 5 });
    now = '2026-03-01T12:00:04.000Z';
    await say(ann, id, 'heartbeat', { lease_seconds: 5 });
    now = '2026-03-01T12:00:08.000Z';
    await expect(say(ben, id, 'claim')).rejects.toMatchObject({ code: 'already_claimed' });
    await say(ann, id, 'release', { reason: 'Not mine after all.' });
    await projected(id);
    expect(await inbox(ben)).toContain(id);
    expect(await say(ben, id, 'claim')).toMatchObject({ result: 'stayed' });
  });

  it('refuses whatever the old holder still says after a take-over, also to a process that remembers', async () => {
    const id = await started();
    const old = process();
    await say(ann, id, 'claim', { lease_seconds: 5 }, old);
    now = '2026-03-01T12:00:06.000Z';
    await say(ben, id, 'claim', { lease_seconds: 60 });
    const commit = { action: 'COMMIT_CODE', artifacts: { commit_sha: 'abc1234' } };
    await expect(say(ann, id, 'signal', commit, old)).rejects.toMatchObject({ code: 'not_holder' });
    await expect(say(ann, id, 'heartbeat', {}, old)).rejects.toMatchObject({ code: 'not_holder' });
    await expect(say(ann, id, 'release', {}, old)).rejects.toMatchObject({ code: 'not_holder' });
    const report = { task_id: id, action: 'COMMIT_CODE', role: 'developer' };
    const failure = { ...report, result: { success: false }, feedback: 'It does not compile.' };
    expect(await reportWork(app, { body: failure, caller: ann })).toMatchObject({
      status: 'rejected',
      code: 'not_holder',
    });
    expect((await app.log.latest(id))?.commit.seq).toBe(3);
    expect(await say(ben, id, 'signal', commit)).toMatchObject({ current_step: 'pending_arch_review' });
  });
});
