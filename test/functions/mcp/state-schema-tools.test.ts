// The tools of POST /mcp, and the state schema's eight with its inputs and outputs, field by field.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agent, human } from '../../support/play.ts';
import { startedBy, waitingForApproval } from './instances.ts';
import { type Caller, listed, type Era, type Rig, startRig } from './rig.ts';

const OLGA = human('olga');
const WRITER = agent('writer');

const EIGHT = [
  'get_workflow_status',
  'get_next_step',
  'validate_prerequisites',
  'approve_step',
  'update_workflow_state',
  'list_workflows',
  'resume_workflow',
  'cancel_workflow',
];
const OTHERS = [
  'start_workflow',
  'get_phase_content',
  'complete_phase',
  'get_pending_tasks',
  'claim_task',
  'send_signal',
  'get_agent_context',
  'answer_questions',
];

let rig: Rig;
let writer: Caller;
let olga: Caller;
beforeAll(async () => {
  rig = await startRig();
  writer = await rig.as(WRITER);
  olga = await rig.as(OLGA);
});
afterAll(() => rig.close());

const started = (workflow_id: string, params = {}) => startedBy(writer, workflow_id, params);
const waiting = () => waitingForApproval(writer);

describe.each<Era>(['auto', 'legacy'])('a client that negotiates "%s"', (era) => {
  it('finds every tool, with input and output schemas that its own validator takes', async () => {
    const { client } = await rig.as(OLGA, { era });
    expect(client.getNegotiatedProtocolVersion()).toBe(era === 'auto' ? '2026-07-28' : '2025-11-25');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...EIGHT, ...OTHERS]);
    for (const { inputSchema, outputSchema, description, annotations } of tools) {
      expect(inputSchema.type).toBe('object');
      expect(outputSchema?.['type']).toBe('object');
      expect(description).toMatch(/\w{3}/);
      expect(annotations?.readOnlyHint).toBeTypeOf('boolean');
      const undescribed = Object.entries(inputSchema.properties ?? {}).filter(
        ([, schema]) => !('description' in (schema as object)), // a schema is one
      );
      expect(undescribed.map(([argument]) => argument)).toEqual([]);
    }
    expect(JSON.stringify(tools)).not.toContain('$ref');
  });

  it('is told the version of the package', async () => {
    const { client } = await rig.as(OLGA, { era });
    const file = readFileSync(path.join(import.meta.dirname, '../../../package.json'), 'utf8');
    expect(client.getServerVersion()?.version).toBe((JSON.parse(file) as { version: string }).version); // ours
  });
});

describe("the state schema's tools answer as it says", () => {
  it('get_workflow_status and get_next_step, waiting for approval', async () => {
    const workflow_id = await waiting();
    expect(await olga.call('get_workflow_status', { workflow_id })).toEqual({
      workflow_id,
      workflow_type: 'generation',
      status: 'waiting_approval',
      current_step: 3,
      current_step_name: 'Verification Plan',
      waiting_for_approval: true,
      progress_percentage: 42,
      artifacts: { blueprint_path: 'b.md', constraints_list: 'c.json', verification_plan: 'plan.md' },
    });
    expect(await olga.call('get_next_step', { workflow_id })).toEqual({
      can_proceed: false,
      current_step: 3,
      current_step_name: 'Verification Plan',
      current_status: 'waiting_approval',
      blocking_reason: expect.stringMatching(/approval/),
      required_action: expect.stringMatching(/approve/),
      next_step: 4,
      next_step_name: 'Generation',
      prerequisites_met: false,
    });
  });

  it('validate_prerequisites, before and after', async () => {
    const workflow_id = await waiting();
    const ask = () => olga.call('validate_prerequisites', { workflow_id, step: 4 });
    expect(await ask()).toMatchObject({
      prerequisites_met: false,
      completed_steps: [1, 2],
      missing_steps: [3],
    });
    await olga.call('approve_step', { workflow_id, step: 3, approved: true });
    expect(await ask()).toEqual({
      prerequisites_met: true,
      required_steps: [1, 2, 3],
      completed_steps: [1, 2, 3],
      missing_steps: [],
      can_start_step: true,
      blocking_issues: [],
    });
  });

  it('approve_step, with modifications', async () => {
    const workflow_id = await waiting();
    const modifications = { emotional_tone: 'professional detachment with cracks' };
    expect(await olga.call('approve_step', { workflow_id, step: 3, approved: true, modifications })).toEqual({
      success: true,
      workflow_id,
      step: 3,
      status: 'completed',
      next_step: 4,
      next_step_name: 'Generation',
    });
  });

  it('approve_step, sent back: the step is in progress again', async () => {
    const workflow_id = await waiting();
    const args = { workflow_id, step: 3, approved: false, feedback: 'Too long.' };
    expect(await olga.call('approve_step', args)).toMatchObject({
      step: 3,
      status: 'in_progress',
      next_step: 3,
    });
  });

  it('approve_step by an agent is refused, and that is on record', async () => {
    const workflow_id = await waiting();
    const refused = await writer.refusal('approve_step', { workflow_id, step: 3, approved: true });
    expect(refused).toMatchObject({ code: 'human_required', what_to_do: expect.stringMatching(/person/) });
    const latest = await rig.app.log.latest(workflow_id);
    expect(latest?.commit.refusal?.code).toBe('human_required');
    expect(latest?.commit.state.status).toBe('waiting_approval');
  });

  it('update_workflow_state saves, completes and fails, and sets nothing else', async () => {
    const workflow_id = await started('generation', { scene_id: '1' });
    const update = { workflow_id, step: 1, status: 'in_progress', artifacts: { working_dir: 'w' } };
    expect(await writer.call('update_workflow_state', update)).toEqual({
      success: true,
      workflow_id,
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      result: 'stayed',
      current_step: 1,
    });
    for (const status of ['waiting_approval', 'pending', 'skipped', 'cancelled'])
      expect(await writer.refusal('update_workflow_state', { ...update, status })).toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/must be in_progress, completed or failed/),
      });
    expect((await olga.call('get_workflow_status', { workflow_id })).current_step).toBe(1);
  });

  it('update_workflow_state cannot pass a gate, nor reach a later step', async () => {
    const workflow_id = await started('generation', { scene_id: '1' });
    expect(
      await writer.call('update_workflow_state', { workflow_id, step: 1, status: 'completed' }),
    ).toMatchObject({
      success: false,
      result: 'blocked',
      missing_criteria: [expect.objectContaining({ type: 'outputs', output: 'blueprint_path' })],
    });
    const later = {
      workflow_id,
      step: 4,
      status: 'completed',
      artifacts: { draft: 'd', compliance_echo: 'e' },
    };
    expect(await writer.refusal('update_workflow_state', later)).toMatchObject({ code: 'step_mismatch' });
    expect(await olga.call('get_workflow_status', { workflow_id })).toMatchObject({
      current_step: 1,
      artifacts: {},
    });
  });

  it('list_workflows, by status and type', async () => {
    const workflow_id = await waiting();
    await listed(rig, workflow_id);
    const found = await olga.call('list_workflows', {
      status: 'waiting_approval',
      workflow_type: 'generation',
    });
    const { workflows, total } = found as { workflows: { workflow_id: string }[]; total: number };
    expect(total).toBe(workflows.length);
    expect(workflows.find((one) => one.workflow_id === workflow_id)).toMatchObject({
      workflow_id,
      workflow_type: 'generation',
      status: 'waiting_approval',
      current_step: 3,
      progress_percentage: 42,
    });
    expect(await olga.call('list_workflows', { workflow_type: 'planning' })).toMatchObject({
      workflows: [],
      total: 0,
    });
  });

  it('cancel_workflow, then resume_workflow', async () => {
    const workflow_id = await waiting();
    expect(
      await olga.call('cancel_workflow', { workflow_id, reason: 'User requested cancellation' }),
    ).toEqual({
      success: true,
      workflow_id,
      status: 'cancelled',
      cleanup_performed: true,
    });
    expect(await olga.call('resume_workflow', { workflow_id, from_step: 2 })).toEqual({
      success: true,
      workflow_id,
      resumed_from_step: 2,
      current_status: 'in_progress',
    });
    expect(await olga.refusal('resume_workflow', { workflow_id })).toMatchObject({ code: 'not_resumable' });
  });
});
