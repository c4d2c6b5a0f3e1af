// GET /api/tasks: what waits for a role, as the log says at that moment.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { pendingTasks, type TaskFilter } from '../../shared/app/pending-tasks.ts';
import { project } from '../../shared/app/project.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { Actor, SignalType } from '../../shared/engine/index.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, BOSS, human, OWNER } from '../support/play.ts';
import { freshTables, STORE_KINDS } from '../support/stores.ts';

const dan = agent('dan', 'developer');
const arthur = agent('arthur', 'architect');
const anna = agent('anna', 'architect');

const gated = {
  id: 'gated',
  roles: ['writer', 'editor', 'reader'],
  steps: [
    { id: 'write', roles: ['writer', 'editor'], outputs: ['text'], approval: { roles: ['editor'] } },
    { id: 'read', roles: ['reader'], human: true },
  ],
};

describe.each(STORE_KINDS)('tasks on %s', (kind) => {
  let app: TestApp;
  let now = '';
  let count = 0;
  const apps: TestApp[] = [];
  beforeEach(async () => {
    app = appOn(await freshTables(kind), { gated });
    apps.push(app);
    now = '2026-03-01T12:00:00.000Z';
    app = { ...app, chance: { ...app.chance, now: () => now } };
  });
  afterAll(() => apps.forEach(({ client }) => client.destroy()));

  const follow = async (instance_id: string) => {
    const latest = await app.log.latest(instance_id);
    if (latest) await project(app, latest.commit.state);
  };
  async function start(workflow_id = 'delivery'): Promise<string> {
    const instance_id = `t-${++count}`;
    await startInstance(app, { body: { workflow_id, instance_id }, caller: OWNER });
    await follow(instance_id);
    return instance_id;
  }
  /** Told, and followed by the listings unless they lag behind. */
  async function say(
    instance_id: string,
    caller: Actor,
    type: SignalType,
    body: object,
    lag = false,
  ): Promise<void> {
    await tell(app, { instance_id, type, body, caller });
    if (!lag) await follow(instance_id);
  }
  const commitCode = (id: string, lag?: boolean) =>
    say(
      id,
      dan,
      'signal',
      {
        action: 'COMMIT_CODE',
        artifacts: { commit_sha: 'abc123', files_changed: ['src/auth.ts'], branch: 'main' },
      },
      lag,
    );
  const tasks = async (caller: Actor, filter: TaskFilter = {}) =>
    (await pendingTasks(app, caller, filter)).tasks;
  const idsOf = async (caller: Actor, filter: TaskFilter = {}) =>
    (await tasks(caller, filter)).map(({ task_id }) => task_id);

  it('answers in the shape of the seed', async () => {
    const id = await start();
    await commitCode(id);
    expect(await tasks(arthur, { role: 'architect' })).toEqual([
      {
        task_id: id,
        instance_id: id,
        workflow_id: 'delivery',
        subject: null,
        role: 'architect',
        current_state: 'pending_arch_review',
        required_action: 'APPROVE_DESIGN',
        turn: expect.any(Number) as number,
        assigned_at: now,
        work: {
          commit_sha: 'abc123',
          files_changed: ['src/auth.ts'],
          implementation_summary: null,
          branch: 'main',
        },
        context: expect.stringContaining("Review developer's implementation") as string,
      },
    ]);
  });

  it('moves from inbox to inbox as the work does, and carries feedback back', async () => {
    const id = await start();
    expect([await idsOf(dan), await idsOf(arthur)]).toEqual([[id], []]);
    await commitCode(id);
    expect([await idsOf(dan), await idsOf(arthur)]).toEqual([[], [id]]);
    await say(id, arthur, 'signal', { action: 'REJECT_DESIGN', feedback: 'too clever' });
    expect(await idsOf(arthur)).toEqual([]);
    expect(await tasks(dan)).toMatchObject([
      { task_id: id, feedback: 'too clever', required_action: 'REVISE_CODE' },
    ]);
  });

  it('does not hand out what the listings have not noticed yet to be done (LI5)', async () => {
    const id = await start();
    await commitCode(id, true);
    expect(await idsOf(dan)).toEqual([]);
  });

  it('hides a task under lease from all but its holder, until the lease has run out (LI5)', async () => {
    const id = await start();
    await commitCode(id);
    await say(id, arthur, 'claim', { lease_seconds: 60 });
    expect(await idsOf(anna)).toEqual([]);
    expect(await tasks(arthur)).toMatchObject([
      { task_id: id, claimed_by_you: true, lease_until: '2026-03-01T12:01:00.000Z' },
    ]);
    now = '2026-03-01T12:01:00.000Z';
    expect(await idsOf(anna)).toEqual([id]);
    expect((await tasks(arthur))[0]).not.toHaveProperty('claimed_by_you');
  });

  it('shows the inboxes of all roles that are held, each task once', async () => {
    const [first, second] = [await start(), await start('gated')];
    expect(await idsOf(agent('all', 'developer', 'writer', 'editor'))).toEqual([first, second]);
    expect(await idsOf(agent('none'))).toEqual([]);
  });

  it('shows a role’s inbox to those who hold it and to admins, and to nobody else', async () => {
    const id = await start();
    expect(await idsOf(BOSS, { role: 'developer' })).toEqual([id]);
    await expect(tasks(arthur, { role: 'developer' })).rejects.toMatchObject({ code: 'role_not_allowed' });
  });

  it('keeps from agents what only a person may do: approvals and steps for people', async () => {
    const id = await start('gated');
    await say(id, agent('w', 'writer'), 'signal', { action: 'complete_step', artifacts: { text: 'x' } });
    expect(await idsOf(agent('e', 'editor'))).toEqual([]);
    const editor = human('e', 'editor');
    expect(await tasks(editor)).toMatchObject([{ task_id: id, required_action: 'approve' }]);
    await say(id, editor, 'approve', { approved: true });
    expect(await idsOf(agent('r', 'reader'))).toEqual([]);
    expect(await idsOf(human('r', 'reader'))).toEqual([id]);
  });

  it('hands out the longest waiting first, page by page, past those that are gone', async () => {
    const all: string[] = [];
    for (let i = 0; i < 9; i++) {
      now = `2026-03-01T12:00:${String(i).padStart(2, '0')}.000Z`;
      all.push(await start());
    }
    await commitCode(all[3] ?? '', true);
    const first = await pendingTasks(app, dan, { limit: 5 });
    expect(first.tasks.map(({ task_id }) => task_id)).toEqual([0, 1, 2, 4, 5].map((i) => all[i]));
    const rest = await pendingTasks(app, dan, { limit: 5, next: first.next ?? '' });
    expect(rest.tasks.map(({ task_id }) => task_id)).toEqual(all.slice(6));
    expect(rest.next).toBeNull();
  });

  it('refuses a cursor that is none of ours', async () => {
    await expect(pendingTasks(app, dan, { next: 'x' })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
