// What fails goes on: three failed attempts and a resumed generation, a delivery that starts over, forks, and
// definitions that are published while instances run.
import { beforeAll, describe, expect, it } from 'vitest';
import { builtInWorkflows } from '../../shared/reading/built-in.ts';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import { type Caller, callerOn, historyOf, signal, started } from './callers.ts';

/** Generation as it ships, but for the pauses between its attempts. */
function swiftGeneration(): object {
  const source = structuredClone(builtInWorkflows().get('generation')?.source) as unknown as {
    steps: { id: string; attempts?: { backoff_seconds: number } }[];
  }; // as its file has it
  for (const { attempts } of source.steps) if (attempts) attempts.backoff_seconds = 0;
  return { ...source, id: 'swift-generation' };
}

describe.each(STORE_KINDS)('recovery, on %s', (kind) => {
  let server: SharedServer;
  let admin: Caller;
  let olga: Caller;
  beforeAll(async () => {
    server = await sharedServer(kind);
    admin = await callerOn(server, 'ada-recovery', ['admin']);
    olga = await callerOn(server, 'olga-recovery');
  });
  const at = (id: string, path = ''): string => `/api/workflows/${id}${path}`;
  const proves = async (id: string) =>
    expect((await olga.get(at(id, '/replay'))).body).toMatchObject({ ok: true, first_problem: null });

  it('a generation that failed three times is resumed from step 4 and done', async () => {
    await admin.put('/api/definitions/swift-generation', swiftGeneration());
    const service = await callerOn(server, 'writing-recovery', [], 'agent');
    const id = await started(service, 'swift-generation', { user_id: 'olga-recovery' });
    const done = (artifacts: object, more: object = {}) =>
      signal(service, id, { action: 'complete_step', artifacts, ...more });
    await done({ blueprint_path: 'broken.md' });
    await done({ constraints_list: 'c.md' });
    await done({ verification_plan: 'plan.md' });
    await olga.post(at(id, '/approve'), { approved: true });
    for (const attempt of [1, 2, 3]) {
      expect((await olga.get(at(id))).body).toMatchObject({
        current_step: 'generation',
        status: 'in_progress',
      });
      await done({ draft: `d${attempt}.md`, compliance_echo: 'e.md' });
      await done({}, { outcome: 'fail', feedback: `The blueprint contradicts itself (${attempt}).` });
    }
    const failed = (await olga.get(at(id))).body;
    expect(failed).toMatchObject({ status: 'failed', current_step: 'generation' });
    expect(failed.last_error).toMatch(/attempt 3 of 3.*contradicts itself \(3\).*resume from "generation"/);
    expect((await done({ draft: 'late.md' })).body).toMatchObject({ code: 'workflow_finished' });

    expect((await service.post(at(id, '/resume'), { from_step: 6 })).body).toMatchObject({
      code: 'phase_sequence_violation',
    });
    const resumed = await olga.post(at(id, '/resume'), { from_step: 4 }, 'mended');
    expect(resumed.body).toMatchObject({
      result: 'advanced',
      current_step: 'generation',
      progress: { percent: 42 },
    });
    expect((await olga.post(at(id, '/resume'), { from_step: 4 }, 'mended')).body).toMatchObject({
      replayed: true,
      version: resumed.body.version,
    });
    const { steps, artifacts, last_error } = (await olga.get(at(id))).body as {
      steps: { status: string; attempts?: object; approval?: object }[];
      artifacts: object;
      last_error: unknown;
    };
    expect(steps.map(({ status }) => status)).toEqual([
      ...Array<string>(3).fill('completed'),
      'in_progress',
      ...Array<string>(3).fill('pending'),
    ]);
    expect([artifacts, last_error]).toEqual([
      { blueprint_path: 'broken.md', constraints_list: 'c.md', verification_plan: 'plan.md' },
      null,
    ]);
    await done({ draft: 'd4.md', compliance_echo: 'e.md' });
    await done({ fast_compliance_result: 'ok' });
    for (const agent of [
      'continuity',
      'character',
      'dialogue',
      'pacing',
      'style',
      'worldbuilding',
      'constraint',
    ])
      await done({}, { agent: `${agent}-validator` });
    await done({ final_validation_report: 'r.md' });
    expect((await done({ final_report: 'f.md', scene_content: 's.md' })).body).toMatchObject({
      result: 'completed',
    });
    const { workflow_metrics } = (await olga.get(at(id, '/metrics'))).body;
    expect(workflow_metrics).toMatchObject({ workflow_id: id, retry_count: 2, parallel_executions: 7 });
    expect(
      (workflow_metrics as { step_times: { step: number }[] }).step_times.map(({ step }) => step),
    ).toEqual([1, 2, 3, 4, 5, 6, 7]);
    await proves(id);
  });

  it('a delivery whose agent reports failure starts over and is done, with its first pass on record', async () => {
    const cast = Object.fromEntries(
      await Promise.all(
        ['developer', 'architect', 'qa', 'po'].map(
          async (role) => [role, await callerOn(server, `${role}-recovery`, [role], 'agent')] as const,
        ),
      ),
    );
    const as = (role: string): Caller => cast[role] ?? olga;
    const id = await started(olga, 'delivery');
    const pass = async (sha: string) => {
      await signal(as('developer'), id, { action: 'COMMIT_CODE', artifacts: { commit_sha: sha } });
      await signal(as('architect'), id, { action: 'APPROVE_DESIGN', feedback: 'Mind the tests.' });
    };
    await pass('first');
    const report = {
      task_id: id,
      agent_id: 'qa-1',
      role: 'qa',
      action_performed: 'RUN_TESTS',
      result: { success: false, feedback: 'Agent timeout' },
    };
    expect((await as('qa').post('/api/agent-work', report)).body).toMatchObject({
      status: 'accepted',
      current_state: 'todo',
    });
    expect((await olga.get(at(id))).body).toMatchObject({
      current_step: 'todo',
      role_in_charge: 'developer',
      required_action: 'IMPLEMENT_FEATURE',
      feedback: null,
      retry_count: 1,
      last_error: expect.stringContaining('Agent timeout'),
      artifacts: {},
    });
    await pass('second');
    await signal(as('qa'), id, { action: 'APPROVE_TESTS', artifacts: { test_results: { passed: 1 } } });
    expect((await signal(as('po'), id, { action: 'APPROVE_STORY' })).body).toMatchObject({
      result: 'completed',
    });
    expect((await olga.get(at(id))).body).toMatchObject({ status: 'completed', retry_count: 1 });

    const items = await historyOf(olga, id);
    expect(items.filter(({ action }) => action === 'RETRY')).toMatchObject([
      { actor: { sub: 'system' }, reason: 'Retry due to: Agent timeout' },
    ]);
    const events = items.flatMap((item) => item.events);
    const hops = events
      .filter(({ type }) => type === 'workflow.state.changed')
      .map(({ data }) => data as { triggered_by_action: string; actor_role: string; feedback?: string });
    expect(hops.filter(({ triggered_by_action }) => triggered_by_action === 'RETRY')).toMatchObject([
      {
        from_state: 'pending_qa',
        to_state: 'todo',
        actor_role: 'system',
        feedback: 'Retry due to: Agent timeout',
      },
    ]);
    expect(hops.filter(({ triggered_by_action }) => triggered_by_action === 'COMMIT_CODE')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'workflow.retried')).toHaveLength(1);
    await proves(id);
  });

  it('the owner starts a delivery over, once per key; a workflow that resumes is not', async () => {
    const id = await started(olga, 'delivery');
    const retry = () => olga.post(at(id, '/retry'), { error: 'The build broke.' }, 'once');
    expect((await retry()).body).toMatchObject({
      result: 'advanced',
      reason: 'Retry due to: The build broke.',
    });
    expect((await retry()).body).toMatchObject({ replayed: true });
    expect((await olga.get(at(id))).body).toMatchObject({ retry_count: 1, last_error: 'The build broke.' });
    const other = await started(olga, 'generation');
    expect((await olga.post(at(other, '/retry'), { error: 'x' })).body).toMatchObject({
      code: 'not_resumable',
    });
    expect((await olga.post(at(id, '/retry'), {})).body).toMatchObject({
      reason: 'Retry due to: No reason was given.',
    });
    expect((await olga.post(at(id, '/retry'), { error: '' })).status).toBe(400);
  });

  it('a fork goes on from an earlier commit; both know of each other', async () => {
    const id = await started(olga, 'generation');
    await signal(olga, id, { action: 'complete_step', artifacts: { blueprint_path: 'b.md' } });
    await signal(olga, id, { action: 'complete_step', artifacts: { constraints_list: 'c.md' } });
    const { status, headers, body } = await olga.post(at(id, '/fork'), { at: 2 }, 'fork-1');
    expect(status).toBe(201);
    const fork = String(body.instance_id);
    expect(headers.get('location')).toBe(at(fork));
    expect(body).toMatchObject({
      current_step: 'blueprint_validation',
      forked_from: { instance_id: id, seq: 2 },
    });
    expect((await olga.get(at(fork))).body).toMatchObject({
      forked_from: { instance_id: id, seq: 2 },
      version: 1,
    });
    expect((await olga.get(at(id))).body).toMatchObject({ forks: [{ instance_id: fork, seq: 2 }] });
    expect((await olga.get(`${at(id)}?at=2`)).body).toMatchObject({ current_step: 'blueprint_validation' });
    expect((await olga.post(at(id, '/fork'), { at: 2 }, 'fork-1')).body).toMatchObject({ instance_id: fork });
    const stranger = await callerOn(server, 'stranger-recovery');
    expect((await stranger.post(at(id, '/fork'))).status).toBe(404);
    await proves(id);
    await proves(fork);
  });

  it('a published version is for those who start after it; those who run are moved when they fit', async () => {
    const path = `/api/definitions/review-${kind}`;
    const step = (id: string) => ({ id, agents: ['reviewer'] });
    const one = { version: '1', steps: [step('read'), step('judge')] };
    const two = { version: '2', steps: [step('read'), step('judge'), step('tell')] };
    expect((await olga.put(path, one)).status).toBe(403);
    const first = await admin.put(path, one);
    expect([first.status, first.body.change]).toEqual([201, 'created']);
    const id = await started(olga, `review-${kind}`);
    const second = await admin.put(path, two, 'two');
    expect(second.status).toBe(201);
    expect((await admin.put(path, two)).status).toBe(200);
    const newer = await started(olga, `review-${kind}`);
    const versionOf = async (instance: string) => (await olga.get(at(instance))).body.definition_version;
    expect([await versionOf(id), await versionOf(newer)]).toEqual([first.body.version, second.body.version]);
    expect((await olga.get(`${path}/versions`)).body.items).toMatchObject([
      { version: second.body.version, label: '2', current: true, published_by: 'ada-recovery' },
      { version: first.body.version, label: '1', current: false },
    ]);

    const broken = await admin.put(path, { steps: [{ ...step('read'), next: 'nowhere' }] });
    expect([broken.status, broken.body.code]).toEqual([422, 'invalid_definition']);
    expect(broken.body.problems).toMatchObject([{ check: 2, step: 'read', fix: expect.any(String) }]);

    expect((await olga.post(at(id, '/migrate'), { dry_run: true })).body).toMatchObject({
      fits: true,
      problems: [],
    });
    expect(await versionOf(id)).toBe(first.body.version);
    expect((await olga.post(at(id, '/migrate'))).body).toMatchObject({ progress: { total: 3 } });
    for (const name of ['read', 'judge', 'tell'])
      await signal(olga, id, { action: 'complete_step', step: name });
    expect((await olga.get(at(id))).body).toMatchObject({ status: 'completed', progress: { percent: 100 } });
    const told = (await historyOf(olga, id)).flatMap(({ events }) => events);
    expect(told.find(({ type }) => type === 'workflow.migrated')?.data).toMatchObject({
      from_version: first.body.version,
      to_version: second.body.version,
    });
    await proves(id);

    await admin.put(path, { version: '3', steps: [step('check'), step('judge')] });
    const fit = (await olga.post(at(newer, '/migrate'), { dry_run: true })).body;
    expect(fit).toMatchObject({ fits: false, problems: [{ step: 'read', reason: expect.any(String) }] });
    expect((await olga.post(at(newer, '/migrate'))).body).toMatchObject({
      status: 409,
      code: 'step_mismatch',
    });
  });
});
