// The tools of POST /mcp that other designs brought: phases, tasks, signals, context; resources and the prompt.
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agent, human } from '../../support/play.ts';
import { startedBy, waitingForApproval } from './instances.ts';
import { type Caller, listed, type Rig, startRig } from './rig.ts';

let rig: Rig;
let writer: Caller;
let olga: Caller;
beforeAll(async () => {
  rig = await startRig();
  writer = await rig.as(agent('writer'));
  olga = await rig.as(human('olga'));
});
afterAll(() => rig.close());

const started = (workflow_id: string, params = {}) => startedBy(writer, workflow_id, params);
const waiting = () => waitingForApproval(writer);

describe('the other tools', () => {
  it('know an instance by any of the names the designs give it', async () => {
    const id = await started('test-generation');
    for (const name of ['instance_id', 'session_id', 'task_id', 'workflow_id'])
      expect(await writer.call('get_phase_content', { [name]: id, phase: 1 })).toMatchObject({
        phase_number: 1,
      });
    for (const name of ['workflow_id', 'instance_id'])
      expect(await writer.call('get_workflow_status', { [name]: id })).toMatchObject({ workflow_id: id });
  });

  it('complete_phase stores the evidence and hands out the next phase', async () => {
    const session_id = await started('test-generation');
    const evidence = {
      function_count: 21,
      method_count: 15,
      branch_count: 36,
      ast_command_output: 'def compile()...',
      functions_list: ['compile', 'parse'],
    };
    const { function_count } = evidence;
    expect(
      await writer.call('complete_phase', { session_id, phase: 1, evidence: { function_count } }),
    ).toMatchObject({
      checkpoint_passed: false,
      error: 'incomplete_checkpoint',
      phase: 1,
      current_phase: 1,
      missing_evidence: [
        expect.stringMatching(/^method_count \(required: /),
        expect.stringMatching(/^branch_count \(required: /),
        expect.stringMatching(/^ast_command_output \(required: /),
        expect.stringMatching(/^functions_list \(required: /),
      ],
      required_format: { method_count: { type: 'integer' } },
      examples: { functions_list: expect.any(Array) },
      current_phase_content: { phase_number: 1 },
      message: expect.stringMatching(/^Complete checkpoint requirements to proceed/),
    });
    expect(await writer.call('complete_phase', { session_id, phase: 1, evidence })).toMatchObject({
      checkpoint_passed: true,
      phase_completed: 1,
      next_phase: 2,
      next_phase_content: { phase_number: 2, phase_content: expect.stringMatching(/logging/) },
      artifacts_available: { 1: evidence },
    });
    const { artifacts_from_previous } = await writer.call('get_phase_content', { session_id });
    expect(artifacts_from_previous).toEqual({ 1: evidence });
  });

  it('a phase that is not open is refused with the one that is, as the phase engine words it', async () => {
    const session_id = await started('test-generation');
    const violation = {
      error: 'phase_sequence_violation',
      message: expect.stringMatching(/^Cannot access Phase 3/),
      reason: expect.stringMatching(/^Currently on Phase 1/),
      required_action: expect.stringMatching(/^Complete Phase 1 checkpoint first/),
      violation_type: 'attempted_skip',
      current_phase_content: { phase_number: 1 },
      progress: { completed: [], current: 1, total: 8 },
    };
    expect(await writer.refusal('get_phase_content', { session_id, phase: 3 })).toMatchObject({
      code: 'phase_sequence_violation',
      ...violation,
    });
    expect(await writer.refusal('complete_phase', { session_id, phase: 3, evidence: {} })).toMatchObject({
      code: 'phase_sequence_violation',
      ...violation,
    });
    const entries = await rig.app.log.after(session_id, 1, 10);
    expect(entries.map(({ commit }) => commit.refusal?.code)).toEqual([
      'phase_sequence_violation',
      'step_mismatch',
    ]);
  });

  it('get_pending_tasks, claim_task and send_signal carry a story on', async () => {
    const id = await started('delivery');
    const dev = await rig.as(agent('dev', 'developer'));
    await listed(rig, id);
    const { tasks } = (await dev.call('get_pending_tasks', { role: 'developer' })) as {
      tasks: { task_id: string }[];
    };
    expect(tasks.map(({ task_id }) => task_id)).toContain(id);
    expect(await dev.call('claim_task', { task_id: id })).toMatchObject({
      current_step: 'implementing',
      content: { id: 'implementing' },
    });
    const commit = { action: 'COMMIT_CODE', artifacts: { commit_sha: 'c0ffee', files_changed: ['a.ts'] } };
    expect(await dev.call('send_signal', { instance_id: id, ...commit })).toMatchObject({
      result: 'advanced',
      current_step: 'pending_arch_review',
      next: { role: 'architect' },
    });
  });

  it('get_agent_context gives the context, and on request as a prompt', async () => {
    const instance_id = await started('generation', { scene_id: '7' });
    expect(await writer.call('get_agent_context', { instance_id })).toMatchObject({
      current_step: 'file_check',
    });
    const { prompt } = await writer.call('get_agent_context', { instance_id, format: 'prompt' });
    expect(prompt).toMatch(/^WORKFLOW CONTEXT/);
  });

  it('answer_questions takes answers from people alone', async () => {
    const instance_id = await started('deepthink', { mode: 'quick' });
    const questions = [{ id: 'size', question: 'How large?', options: ['small', 'large'] }];
    expect(await writer.call('send_signal', { instance_id, action: 'need_input', questions })).toMatchObject({
      result: 'waiting',
    });
    const answers = { size: 'small' };
    expect(await writer.refusal('answer_questions', { instance_id, answers })).toMatchObject({
      code: 'human_required',
    });
    expect(await olga.refusal('answer_questions', { instance_id })).toMatchObject({ questions });
    expect(await olga.call('answer_questions', { instance_id, answers })).toMatchObject({ result: 'stayed' });
  });

  it('a repeat under the same key gives the first answer again', async () => {
    const args = { workflow_id: 'generation', params: { scene_id: '9' }, idempotency_key: 'once' };
    const first = await writer.call('start_workflow', args);
    expect(await writer.call('start_workflow', args)).toMatchObject({
      instance_id: first.instance_id,
      replayed: true,
    });
    expect(await writer.refusal('start_workflow', { ...args, params: { scene_id: '10' } })).toMatchObject({
      code: 'idempotency_mismatch',
    });
  });
});

describe('resources and the prompt', () => {
  it('give the texts of open steps and the artifacts', async () => {
    const id = await waiting();
    const { client } = olga;
    expect(
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ).toEqual([
      'stepgate://workflows/{instance_id}/steps/{step}',
      'stepgate://workflows/{instance_id}/artifacts/{name}',
    ]);
    const read = async (what: string) =>
      (await client.readResource({ uri: `stepgate://workflows/${id}/${what}` })).contents[0];
    expect(await read('steps/file_check')).toMatchObject({
      mimeType: 'text/markdown',
      text: expect.stringMatching(/^# 1\. File Check\n[\s\S]*blueprint/),
    });
    expect(await read('artifacts/verification_plan')).toMatchObject({
      mimeType: 'text/plain',
      text: 'plan.md',
    });
    await expect(read('steps/generation')).rejects.toThrow(/Cannot access Step 4/);
    await expect(read('artifacts/draft')).rejects.toThrow(/not found/i);
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(/not found/i);
  });

  it('the prompt is the agent context as text', async () => {
    const workflow_id = await waiting();
    const { messages } = await olga.client.getPrompt({
      name: 'workflow_context',
      arguments: { workflow_id },
    });
    expect(messages[0]?.content).toMatchObject({
      type: 'text',
      text: expect.stringMatching(/^WORKFLOW CONTEXT/),
    });
    await expect(olga.client.getPrompt({ name: 'workflow_context' })).rejects.toThrow(/workflow_id/);
    await expect(olga.client.getPrompt({ name: 'other' })).rejects.toThrow(/Unknown prompt/);
  });
});

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

describe('an error', () => {
  it('fits the output schema of its tool: clients of 2025 hold even errors against it', async () => {
    const { tools } = await writer.client.listTools();
    const session_id = await started('test-generation');
    const workflow_id = await waiting();
    const refusals: readonly (readonly [string, Record<string, unknown>])[] = [
      ...tools
        .filter(({ name }) => !['list_workflows', 'get_pending_tasks', 'start_workflow'].includes(name))
        .flatMap(({ name }) => [
          [name, {}] as const,
          [name, { workflow_id: 'none', step: 1, status: 'failed' }] as const,
        ]),
      ['start_workflow', { workflow_id: 'none' }],
      ['get_pending_tasks', { role: 'qa' }],
      ['get_phase_content', { session_id, phase: 3 }],
      ['complete_phase', { session_id, phase: 3 }],
      ['approve_step', { workflow_id, step: 3, approved: true }],
      ['update_workflow_state', { workflow_id, step: 5, status: 'completed' }],
      ['send_signal', { workflow_id, action: 'SHIP_IT' }],
    ];
    for (const [name, args] of refusals) {
      const schema = { ...tools.find((tool) => tool.name === name)?.outputSchema, $schema: DIALECT };
      const { valid, errorMessage } = new AjvJsonSchemaValidator().getValidator(schema)(
        await writer.refusal(name, args),
      );
      expect([name, valid, errorMessage]).toEqual([name, true, undefined]);
    }
  });
});
