// Delivery: developer → architect → qa → po → done, with inboxes that fill and empty, and a rejection on the way.
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import { type Caller, callerOn, eventually, signal, started } from './callers.ts';

interface Task {
  readonly task_id: string;
  readonly required_action: string;
  readonly current_state: string;
}

describe.each(STORE_KINDS)('delivery, on %s', (kind) => {
  let server: SharedServer;
  const cast: Record<string, Caller> = {};
  const as = (role: string): Caller => {
    const caller = cast[role];
    if (!caller) throw new Error(`nobody plays ${role}`);
    return caller;
  };
  beforeAll(async () => {
    server = await sharedServer(kind);
    for (const role of ['developer', 'architect', 'qa'])
      cast[role] = await callerOn(server, `agent-${role}`, [role], 'agent');
    cast.po = await callerOn(server, 'pia', ['po']);
    cast.owner = await callerOn(server, 'olga-delivery');
  });

  const inbox = async (role: string): Promise<Task[]> =>
    (await as(role).get(`/api/tasks?role=${role}`)).body.tasks as Task[];
  /** The task is in this role's inbox, and in no other. */
  const waitsFor = async (role: string, id: string): Promise<Task> => {
    const tasks = await eventually(
      () => inbox(role),
      (listed) => listed.some(({ task_id }) => task_id === id),
    );
    for (const other of ['developer', 'architect', 'qa', 'po'].filter((name) => name !== role))
      expect((await inbox(other)).map(({ task_id }) => task_id)).not.toContain(id);
    return tasks.find(({ task_id }) => task_id === id) as Task; // found above
  };

  it('goes through every hand and no further than each may', async () => {
    const id = await started(as('owner'), 'delivery');
    expect(await waitsFor('developer', id)).toMatchObject({ required_action: 'IMPLEMENT_FEATURE' });
    const bare = await signal(as('developer'), id, { action: 'COMMIT_CODE' });
    expect(bare.body).toMatchObject({ result: 'blocked', missing_criteria: [{ type: 'guard' }] });
    const work = { commit_sha: 'abc123', files_changed: ['src/auth.py'] };
    const committed = await signal(as('developer'), id, { action: 'COMMIT_CODE', artifacts: work });
    expect(committed.body).toMatchObject({
      current_step: 'pending_arch_review',
      next: { role: 'architect' },
    });
    expect(await waitsFor('architect', id)).toMatchObject({
      required_action: 'APPROVE_DESIGN',
      current_state: 'pending_arch_review',
      work: { commit_sha: 'abc123', files_changed: ['src/auth.py'] },
    });
    const why = 'Security: passwords in plaintext';
    const silent = await signal(as('architect'), id, { action: 'REJECT_DESIGN' });
    expect(silent.body).toMatchObject({ result: 'blocked' });
    await signal(as('architect'), id, { action: 'REJECT_DESIGN', feedback: why });
    expect(await waitsFor('developer', id)).toMatchObject({ required_action: 'REVISE_CODE' });
    expect((await as('developer').get(`/api/workflows/${id}/context`)).body).toMatchObject({
      previous_feedback: why,
    });
    await signal(as('developer'), id, { action: 'COMMIT_CODE', artifacts: { commit_sha: 'def456' } });
    await signal(as('architect'), id, { action: 'APPROVE_DESIGN' });
    expect(await waitsFor('qa', id)).toMatchObject({ required_action: 'RUN_TESTS' });
    await signal(as('qa'), id, { action: 'APPROVE_TESTS', artifacts: { test_results: { passed: 1 } } });
    expect(await waitsFor('po', id)).toMatchObject({ required_action: 'APPROVE_STORY' });
    const done = await signal(as('po'), id, { action: 'APPROVE_STORY' });
    expect(done.body).toMatchObject({
      result: 'completed',
      current_step: 'done',
      progress: { percent: 100 },
    });
    for (const role of ['developer', 'architect', 'qa', 'po'])
      await eventually(
        () => inbox(role),
        (listed) => listed.every(({ task_id }) => task_id !== id),
      );
  });

  it('takes the agent.work.completed body as agents send it, and answers accepted or rejected', async () => {
    const id = await started(as('owner'), 'delivery', { instance_id: `task-${kind}` });
    const body = {
      task_id: id,
      agent_id: 'agent-dev-001',
      role: 'developer',
      action_performed: 'COMMIT_CODE',
      result: { success: true, operations: 5 },
      artifacts: { commit_sha: 'abc123', files_changed: ['src/auth.py'] },
    };
    expect((await as('developer').post('/api/agent-work', body)).body).toMatchObject({
      status: 'accepted',
      current_state: 'pending_arch_review',
      next_role: 'architect',
      next_action: 'APPROVE_DESIGN',
    });
    expect((await as('developer').post('/api/agent-work', body)).body).toMatchObject({
      status: 'rejected',
      message: expect.any(String),
      current_state: 'pending_arch_review',
    });
    const foreign = { task_id: id, role: 'architect', action_performed: 'APPROVE_DESIGN' };
    expect((await as('developer').post('/api/agent-work', foreign)).body).toMatchObject({
      status: 'rejected',
      code: 'role_not_allowed',
    });
    const failed = {
      task_id: id,
      role: 'architect',
      action_performed: 'APPROVE_DESIGN',
      result: { success: false },
    };
    expect((await as('architect').post('/api/agent-work', failed)).body).toMatchObject({
      status: 'accepted',
      current_state: 'todo',
    });
    expect((await as('owner').get(`/api/workflows/${id}`)).body).toMatchObject({ retry_count: 1 });
  });

  it('gives a claimed task to one agent alone until it is released', async () => {
    const id = await started(as('owner'), 'delivery');
    const rival = await callerOn(server, 'rival', ['developer'], 'agent');
    await waitsFor('developer', id);
    const claimed = await as('developer').post(`/api/workflows/${id}/claim`, {});
    expect(claimed.status).toBe(200);
    expect((await rival.post(`/api/workflows/${id}/claim`, {})).body).toMatchObject({
      code: 'already_claimed',
    });
    const act = { action: 'COMMIT_CODE', artifacts: { commit_sha: 'x' } };
    expect((await signal(rival, id, act)).body).toMatchObject({ code: 'not_holder' });
    expect((await as('developer').post(`/api/workflows/${id}/heartbeat`, { lease_seconds: 60 })).status).toBe(
      200,
    );
    expect((await as('developer').post(`/api/workflows/${id}/release`, {})).status).toBe(200);
    expect((await signal(rival, id, act)).body).toMatchObject({ result: 'advanced' });
  });
});
