// What Stepgate is for: nothing that was not unlocked can be seen, called or reached.
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import { type Caller, callerOn, type Reply, signal, started } from './callers.ts';

describe.each(STORE_KINDS)('skipping a step, on %s', (kind) => {
  let server: SharedServer;
  let owner: Caller;
  beforeAll(async () => {
    server = await sharedServer(kind);
    owner = await callerOn(server, 'olga-skipping');
  });

  /** Tries it, and looks at what it left behind. */
  const trying = async (id: string, attempt: () => Promise<Reply>) => {
    const look = async () => (await owner.get(`/api/workflows/${id}`)).body;
    const before = await look();
    const { status, body } = await attempt();
    const after = await look();
    const { items } = (await owner.get(`/api/workflows/${id}/history?after=${Number(before.version)}`)).body;
    return {
      status,
      code: body.code,
      body,
      commits: Number(after.version) - Number(before.version),
      violations: (items as { events: { type: string }[] }[]).flatMap(({ events }) =>
        events.map(({ type }) => type),
      ),
      unchanged: ['status', 'current_step', 'progress', 'context', 'artifacts', 'turn'].every(
        (key) => JSON.stringify(before[key]) === JSON.stringify(after[key]),
      ),
    };
  };
  const RECORDED = { commits: 1, violations: ['workflow.violation'], unchanged: true };
  const UNRECORDED = { commits: 0, violations: [], unchanged: true };

  it('by completing a later step is refused and recorded', async () => {
    const id = await started(owner, 'test-generation');
    const attempt = () => signal(owner, id, { action: 'complete_step', step: 'phase_3', evidence: {} });
    expect(await trying(id, attempt)).toMatchObject({ status: 409, code: 'step_mismatch', ...RECORDED });
  });

  it('by reading a later step is refused and recorded, and shows the current one instead', async () => {
    const id = await started(owner, 'test-generation');
    const read = await trying(id, () => owner.get(`/api/workflows/${id}/steps/3`));
    expect(read).toMatchObject({ status: 409, code: 'phase_sequence_violation', ...RECORDED });
    expect(read.body).toMatchObject({
      violation_type: 'attempted_skip',
      current_phase_content: { phase_number: 1 },
      required_action: expect.any(String),
    });
    expect((await owner.get(`/api/workflows/${id}/steps/1`)).status).toBe(200);
  });

  it('by a signal in the wrong role is refused and recorded', async () => {
    const id = await started(owner, 'delivery');
    const qa = await callerOn(server, 'q', ['qa'], 'agent');
    const attempt = () => signal(qa, id, { action: 'COMMIT_CODE', artifacts: { commit_sha: 'a' } });
    expect(await trying(id, attempt)).toMatchObject({ status: 403, code: 'role_not_allowed', ...RECORDED });
  });

  it('by handing in a later phase is refused with the open one; handed in whole, the open one hands out the next', async () => {
    const id = await started(owner, 'test-generation');
    const handIn = (step: number, evidence: object) =>
      owner.post(`/api/workflows/${id}/steps/${step}/complete`, { evidence });
    const skip = await trying(id, () => handIn(3, {}));
    expect(skip).toMatchObject({ status: 409, code: 'phase_sequence_violation', ...RECORDED });
    expect(skip.body).toMatchObject({ current_phase_content: { phase_number: 1 } });
    expect((await handIn(1, { function_count: 21 })).body).toMatchObject({
      checkpoint_passed: false,
      error: 'incomplete_checkpoint',
      missing_evidence: { length: 4 },
      required_format: { function_count: { type: 'integer' } },
      examples: { functions_list: expect.any(Array) },
      current_phase_content: { phase_number: 1 },
    });
    const evidence = {
      function_count: 21,
      method_count: 15,
      branch_count: 36,
      ast_command_output: 'def compile()...',
      functions_list: ['compile', 'parse'],
    };
    expect((await handIn(1, evidence)).body).toMatchObject({
      checkpoint_passed: true,
      phase_completed: 1,
      next_phase: 2,
      next_phase_content: { phase_number: 2, content: expect.stringContaining('logging') },
      artifacts_available: { 1: evidence },
    });
    expect((await owner.get(`/api/workflows/${id}`)).body).toMatchObject({
      artifacts: evidence,
      checkpoints: { 1: 'passed' },
      phase_artifacts: { 1: { evidence, commands_executed: ['def compile()...'] } },
    });
    expect((await owner.get(`/api/workflows/${id}/steps/99`)).body).toMatchObject({
      code: 'not_found',
      detail: expect.stringContaining('1 phase_1, 2 phase_2'),
    });
  });

  it('by an action that is not possible here is refused and recorded, and lists what is', async () => {
    const id = await started(owner, 'delivery');
    const developer = await callerOn(server, 'd', ['developer', 'po'], 'agent');
    const skip = await trying(id, () =>
      signal(developer, id, { action: 'APPROVE_STORY', role: 'developer' }),
    );
    expect(skip).toMatchObject({ status: 422, code: 'invalid_transition', ...RECORDED });
    expect(skip.body.allowed_actions).toContain('COMMIT_CODE');
  });

  it('by a signal after the end is refused and not recorded', async () => {
    const id = await started(owner, 'decision-critic', { params: { decision: 'ship it' } });
    await owner.post(`/api/workflows/${id}/cancel`, { reason: 'changed my mind' });
    const attempt = () => signal(owner, id, { action: 'complete_step' });
    expect(await trying(id, attempt)).toMatchObject({
      status: 409,
      code: 'workflow_finished',
      ...UNRECORDED,
    });
  });

  it('with a stale version or turn, or a malformed body, is refused and not recorded', async () => {
    const id = await started(owner, 'decision-critic', { params: { decision: 'ship it' } });
    const rows: [object, number, string][] = [
      [{ expected_version: 7 }, 409, 'version_conflict'],
      [{ action: 'complete_step', turn: 9 }, 409, 'stale_turn'],
      [{ action: 'complete step!' }, 400, 'invalid_request'],
      [{ acton: 'stay' }, 400, 'invalid_request'],
    ];
    for (const [body, status, code] of rows)
      expect(await trying(id, () => signal(owner, id, body))).toMatchObject({ status, code, ...UNRECORDED });
    const { body } = await signal(owner, id, { acton: 'stay', step: [] });
    expect(body.issues).toMatchObject([
      { path: 'step' },
      { message: expect.stringContaining('did you mean "action"') },
    ]);
  });

  it('shows nothing of what is locked, in definitions and details either', async () => {
    const id = await started(owner, 'test-generation');
    const admin = await callerOn(server, 'root', ['admin']);
    const secret = String((await admin.get(`/api/workflows/${id}/steps/3`)).body.phase_content).slice(
      200,
      260,
    );
    expect(secret.length).toBe(60);
    const paths = [
      `/api/workflows/${id}`,
      `/api/workflows/${id}/context`,
      `/api/workflows/${id}/context?format=prompt`,
      `/api/workflows/${id}/next`,
      `/api/workflows/${id}/history`,
      `/api/workflows/${id}/steps/1`,
      `/api/workflows/${id}/steps/3`,
      '/api/definitions/test-generation',
      '/api/definitions/test-generation?format=mermaid',
    ];
    for (const path of paths)
      expect(JSON.stringify((await owner.get(path)).body)).not.toContain(JSON.stringify(secret).slice(1, -1));
  });
});
