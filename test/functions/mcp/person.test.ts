// What only a person may do: approvals and answers, by arguments or by a form that the client shows.
import type { ElicitResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agent, human } from '../../support/play.ts';
import { startedBy, waitingForApproval } from './instances.ts';
import { type Caller, type Rig, startRig } from './rig.ts';

const READING = [
  'get_workflow_status',
  'get_next_step',
  'get_phase_content',
  'get_agent_context',
  'search_content',
];
const OLGA = human('olga');
const WRITER = agent('writer');
const QUESTIONS = [{ id: 'size', question: 'How large?', options: ['small', 'large'] }];

let rig: Rig;
let writer: Caller;
beforeAll(async () => {
  rig = await startRig();
  writer = await rig.as(WRITER);
});
afterAll(() => rig.close());

const accept = (content: Record<string, string | boolean>) => (): ElicitResult => ({
  action: 'accept',
  content,
});
const stateOf = async (id: string) => (await rig.app.log.latest(id))?.commit.state;
const thinking = () => startedBy(writer, 'deepthink', { mode: 'quick' });

describe('a person', () => {
  it('is offered approve_step while an approval waits; an agent is told to wait', async () => {
    const id = await waitingForApproval(writer);
    const olga = await rig.as(OLGA, { to: id });
    expect(await olga.tools()).toEqual(['approve_step', 'cancel_workflow', ...READING]);
    const bound = await rig.as(agent('writer'), { to: id });
    expect(await bound.tools()).toEqual(['cancel_workflow', ...READING]);
    const { tools } = await bound.client.listTools();
    expect(tools.find(({ name }) => name === 'get_next_step')?.description).toMatch(
      /waits for a person's approval/,
    );
    expect(await olga.refusal('approve_step')).toMatchObject({ code: 'invalid_request' });
    expect(await olga.call('approve_step', { approved: true })).toMatchObject({
      status: 'completed',
      next_step: 4,
    });
  });

  it('is not offered what they have asked for themselves', async () => {
    const owner = await rig.as(OLGA);
    const { instance_id } = await owner.call('start_workflow', {
      workflow_id: 'generation',
      params: { scene_id: '1' },
    });
    const id = String(instance_id);
    const olga = await rig.as(OLGA, { to: id });
    for (const name of ['blueprint_path', 'constraints_list', 'verification_plan'])
      await olga.call('complete_step', { artifacts: { [name]: name } });
    expect(await olga.tools()).not.toContain('approve_step');
    expect(await (await rig.as(human('boss', 'admin'), { to: id })).tools()).toEqual(
      expect.arrayContaining(['approve_step', 'override_block', 'cancel_workflow']),
    );
  });
});

describe('a form', () => {
  it('asks the person at once what a step needs to know, and the answer is in the same call', async () => {
    const id = await thinking();
    const asked: string[] = [];
    const fill = (message: string): ElicitResult => {
      asked.push(message);
      return { action: 'accept', content: { size: 'large' } };
    };
    const olga = await rig.as(OLGA, { to: id, fill });
    expect(await olga.call('need_input', { questions: QUESTIONS })).toMatchObject({ result: 'stayed' });
    expect(asked).toHaveLength(1);
    expect(await olga.call('get_agent_context')).toMatchObject({
      answers: [{ question: 'How large?', answer: 'large' }],
    });
  });

  it('serves questions that an agent has asked; the agent itself only waits', async () => {
    const id = await thinking();
    const bound = await rig.as(WRITER, { to: id, fill: accept({ size: 'small' }) });
    expect(await bound.call('need_input', { questions: QUESTIONS })).toMatchObject({
      result: 'waiting',
      reason: expect.stringMatching(/waits for a person/),
      tools: ['cancel_workflow', ...READING],
    });
    const olga = await rig.as(OLGA, { to: id, fill: accept({ size: 'small' }) });
    const { tools } = await olga.client.listTools();
    expect(tools.find(({ name }) => name === 'answer_questions')?.inputSchema).toMatchObject({
      properties: { answers: { properties: { size: { description: 'How large?' } }, required: ['size'] } },
    });
    expect(await olga.call('answer_questions')).toMatchObject({ result: 'stayed' });
  });

  it('that is not filled in changes nothing', async () => {
    const id = await thinking();
    const olga = await rig.as(OLGA, { to: id, fill: () => ({ action: 'decline' }) });
    expect(await olga.call('need_input', { questions: QUESTIONS })).toMatchObject({ result: 'waiting' });
    expect(await olga.call('answer_questions')).toMatchObject({ result: 'waiting' });
    expect((await stateOf(id))?.status).toBe('waiting_input');
    const scene = await waitingForApproval(writer);
    const other = await rig.as(OLGA, { to: scene, fill: () => ({ action: 'cancel' }) });
    expect(await other.refusal('approve_step')).toMatchObject({ code: 'invalid_request' });
    expect((await stateOf(scene))?.status).toBe('waiting_approval');
  });

  it('MC3: is for one turn: an answer to an earlier one is refused', async () => {
    const id = await thinking();
    const olga = await rig.as(OLGA, { to: id });
    await olga.call('need_input', { questions: QUESTIONS });
    const { turn } = await olga.call('get_agent_context');
    await olga.call('answer_questions', { answers: { size: 'small' } });
    await olga.call('need_input', { questions: QUESTIONS });
    const late = { [`answers-${String(turn)}`]: { action: 'accept', content: { size: 'large' } } };
    const result = await olga.client.request({
      method: 'tools/call',
      params: { name: 'answer_questions', arguments: {}, inputResponses: late },
    });
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'stale_turn' } });
    expect((await stateOf(id))?.status).toBe('waiting_input');
  });

  it('shows what is to be approved, and takes a decision or a variant', async () => {
    const scene = await waitingForApproval(writer);
    let shown = '';
    const fill = (message: string): ElicitResult => {
      shown = message;
      return { action: 'accept', content: { approved: true, feedback: '' } };
    };
    const olga = await rig.as(OLGA, { to: scene, fill });
    expect(await olga.call('approve_step')).toMatchObject({
      success: true,
      status: 'completed',
      next_step: 4,
    });
    expect(shown).toMatch(/Does this plan describe the scene[\s\S]*plan\.md/);

    const plan = await startedBy(writer, 'planning', { level: 'scene' });
    for (const [phase, artifact] of [
      [1, 'exploration_results'],
      [2, 'scenarios'],
    ] as const)
      for (const name of (await rig.app.definitions.current('planning'))?.steps[phase - 1]?.agents ?? [])
        await writer.call('send_signal', {
          instance_id: plan,
          action: 'complete_step',
          agent: name,
          artifacts: { [artifact]: 'x.md' },
        });
    const choosing = await rig.as(OLGA, {
      to: plan,
      fill: accept({ approved: true, selected_variant: 'A' }),
    });
    expect(await choosing.call('approve_step')).toMatchObject({ step: 2, status: 'completed', next_step: 3 });
  });

  it('is not shown to clients that have none: they are told what to send', async () => {
    const id = await thinking();
    const olga = await rig.as(OLGA, { to: id, era: 'legacy' });
    expect(await olga.call('need_input', { questions: QUESTIONS })).toMatchObject({ result: 'waiting' });
    expect(await olga.refusal('answer_questions')).toMatchObject({
      code: 'invalid_request',
      questions: QUESTIONS,
    });
    expect(await olga.call('answer_questions', { answers: ['large'] })).toMatchObject({ result: 'stayed' });
  });
});

describe('a widget', () => {
  it('is handed in by the owner while the step wants it', async () => {
    const olga = await rig.as(OLGA);
    const { instance_id } = await olga.call('start_workflow', { workflow_id: 'onboarding' });
    const id = String(instance_id);
    const bound = await rig.as(OLGA, { to: id });
    expect(await bound.tools()).not.toContain('submit_widget');
    await bound.call('need_input', { widget_type: 'list_input' });
    expect(await bound.tools()).toEqual(['submit_widget', 'cancel_workflow', ...READING]);
    expect(await bound.refusal('submit_widget', { widget_type: 'other' })).toMatchObject({
      code: 'invalid_request',
    });
    expect(await bound.call('submit_widget', { widget_type: 'list_input', items: ['milk'] })).toMatchObject({
      result: 'stayed',
    });
  });
});
