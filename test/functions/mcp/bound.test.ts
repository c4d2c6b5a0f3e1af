// POST /mcp/{instance_id}: only what is legal now, for this caller, exists.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agent, human } from '../../support/play.ts';
import { startedBy } from './instances.ts';
import { type Caller, type Rig, startRig } from './rig.ts';

const READING = [
  'get_workflow_status',
  'get_next_step',
  'get_phase_content',
  'get_agent_context',
  'search_content',
];
const DEV = agent('dev', 'developer');
const ARCHITECT = agent('arch', 'architect');
const OLGA = human('olga');

/** Actions whose names are no names for tools, or are taken. */
const ODD = {
  id: 'odd',
  steps: [
    {
      id: 'only',
      agents: ['someone'],
      transitions: [
        { on: 'ОДОБРИТЬ', to: 'end' },
        { on: 'GET_NEXT_STEP', to: 'end' },
        { on: 'Ship.It', to: 'end' },
      ],
    },
    { id: 'end', final: 'success' },
  ],
};

/** A rule of each kind. */
const RULED = {
  id: 'ruled',
  steps: [
    {
      id: 'only',
      agents: ['someone'],
      evidence: {
        risk: { type: 'number', not_zero: true, above: -1, max: 10 },
        kinds: { type: 'list', choices: ['unit', 'path'], contains: ['unit'] },
      },
    },
  ],
};

/** One name for two kinds of evidence. */
const CLASH = {
  id: 'clash',
  steps: [
    { id: 'first', agents: ['someone'], evidence: { n: { type: 'integer' } } },
    { id: 'second', agents: ['someone'], evidence: { n: { type: 'string' } } },
    { id: 'third', agents: ['someone'] },
  ],
};

let rig: Rig;
let writer: Caller;
beforeAll(async () => {
  rig = await startRig({ odd: ODD, clash: CLASH, ruled: RULED });
  writer = await rig.as(agent('writer'));
});
afterAll(() => rig.close());

const reviewing = async (): Promise<string> => {
  const id = await startedBy(writer, 'delivery');
  const dev = await rig.as(DEV, { to: id });
  await dev.call('commit_code', { artifacts: { commit_sha: 'c0ffee', files_changed: ['a.ts'] } });
  const arch = await rig.as(ARCHITECT, { to: id });
  await arch.call('claim_review');
  return id;
};

describe('the list of tools', () => {
  it('in arch_reviewing an architect sees approve_design and reject_design, a developer neither', async () => {
    const id = await reviewing();
    const architect = await rig.as(ARCHITECT, { to: id });
    expect(await architect.tools()).toEqual([
      'stay',
      'need_input',
      'approve_design',
      'reject_design',
      'heartbeat_task',
      'release_task',
      ...READING,
    ]);
    expect(await (await rig.as(DEV, { to: id })).tools()).toEqual(READING);
  });

  it('an action asks for what it needs: feedback, evidence, outputs, outcomes', async () => {
    const id = await reviewing();
    const { tools } = await (await rig.as(ARCHITECT, { to: id })).client.listTools();
    const schema = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema;
    expect(schema('reject_design')).toMatchObject({
      required: ['feedback'],
      properties: { step: { enum: ['arch_reviewing'] }, feedback: { type: 'string' } },
      additionalProperties: false,
    });
    expect(schema('approve_design')).not.toHaveProperty('required');

    const phases = await startedBy(writer, 'test-generation');
    const listed = await (await rig.as(agent('writer'), { to: phases })).client.listTools();
    expect(listed.tools.find(({ name }) => name === 'complete_step')?.inputSchema).toMatchObject({
      properties: {
        outcome: { enum: ['ok', 'fail'] },
        evidence: {
          type: 'object',
          properties: {
            function_count: {
              type: 'integer',
              description: expect.stringMatching(/functions/),
              examples: [2],
            },
            ast_command_output: { type: 'string', minLength: 1 },
            functions_list: { type: 'array', minItems: 1 },
          },
          required: [
            'function_count',
            'method_count',
            'branch_count',
            'ast_command_output',
            'functions_list',
          ],
        },
      },
    });

    const scene = await startedBy(writer, 'generation', { scene_id: '1' });
    const steps = await (await rig.as(agent('writer'), { to: scene })).client.listTools();
    expect(steps.tools.find(({ name }) => name === 'complete_step')?.inputSchema).toMatchObject({
      properties: { artifacts: { required: ['blueprint_path'] } },
    });
  });

  it('evidence has the rules of its definition', async () => {
    const bound = await rig.as(agent('writer'), { to: await startedBy(writer, 'ruled') });
    const { tools } = await bound.client.listTools();
    expect(tools.find(({ name }) => name === 'complete_step')?.inputSchema.properties).toMatchObject({
      evidence: {
        properties: {
          risk: { type: 'number', exclusiveMinimum: -1, maximum: 10, not: { const: 0 } },
          kinds: {
            type: 'array',
            items: { enum: ['unit', 'path'] },
            allOf: [{ contains: { const: 'unit' } }],
          },
        },
      },
    });
    expect(
      await bound.call('complete_step', { evidence: { risk: 1, kinds: ['unit', 'path'] } }),
    ).toMatchObject({
      result: 'completed',
    });
  });

  it('changes with each move, on the same connection', async () => {
    const id = await reviewing();
    const architect = await rig.as(ARCHITECT, { to: id });
    const qa = await rig.as(agent('quinn', 'qa'), { to: id });
    expect(await qa.tools()).toEqual(READING);
    expect(await architect.call('approve_design')).toMatchObject({
      result: 'advanced',
      current_step: 'pending_qa',
      content: { id: 'pending_qa' },
      tools: READING,
    });
    expect(await architect.tools()).toEqual(READING);
    expect(await qa.tools()).toEqual(expect.arrayContaining(['approve_tests', 'reject_tests', 'claim_task']));
  });

  it('leaves out what a lease or the end forbids', async () => {
    const id = await startedBy(writer, 'delivery');
    const [dev, other] = [
      await rig.as(DEV, { to: id }),
      await rig.as(agent('dev2', 'developer'), { to: id }),
    ];
    await dev.call('claim_task');
    expect(await dev.tools()).toEqual(expect.arrayContaining(['commit_code', 'release_task']));
    expect(await other.tools()).toEqual(READING);
    await dev.call('release_task');
    expect(await other.tools()).toEqual(expect.arrayContaining(['commit_code', 'claim_task']));

    const olga = await rig.as(OLGA, { to: id });
    await olga.call('cancel_workflow', { reason: 'No longer needed.' });
    expect(await other.tools()).toEqual(READING);
    expect(await olga.tools()).toEqual(['resume_workflow', ...READING]);
    expect(await olga.call('resume_workflow')).toMatchObject({ success: true });
  });

  it('gives every action a name that clients take, and none twice', async () => {
    const id = await startedBy(writer, 'odd');
    const owner = await rig.as(agent('writer'), { to: id });
    expect(await owner.tools()).toEqual([
      'stay',
      'need_input',
      'action_3',
      'action_4',
      'ship_it',
      'claim_task',
      'cancel_workflow',
      ...READING,
    ]);
    expect(await owner.call('action_3')).toMatchObject({ result: 'completed' });
  });

  it('has one tool for CLAIM_TASK and for claiming the task, which are one thing', async () => {
    const id = await startedBy(writer, 'delivery');
    const dev = await rig.as(DEV, { to: id });
    expect(await dev.tools()).toEqual(['stay', 'need_input', 'commit_code', 'claim_task', ...READING]);
    expect(await dev.call('claim_task', { lease_seconds: 60 })).toMatchObject({
      result: 'advanced',
      current_step: 'implementing',
    });
  });

  it('does not exist for strangers, nor for what does not exist', async () => {
    const id = await reviewing();
    const stranger = await rig.as(human('stranger'), { to: id });
    await expect(stranger.client.listTools()).rejects.toThrow(`There is no instance "${id}"`);
    await expect(stranger.client.listResources()).rejects.toThrow(/There is no instance/);
    await expect(stranger.call('stay')).rejects.toThrow(/There is no instance/);
    expect(await stranger.refusal('get_agent_context')).toMatchObject({ code: 'not_found' });
    await expect((await rig.as(OLGA, { to: 'nothing' })).client.listTools()).rejects.toThrow(
      /There is no instance/,
    );
  });
});

describe('calling', () => {
  it.each(['approve_tests', 'complete_step', 'approve_step', 'send_signal', 'constructor', ''])(
    'what is not legal now is calling an unknown tool: "%s"',
    async (name) => {
      const id = await reviewing();
      const before = (await rig.app.log.latest(id))?.commit.seq;
      const architect = await rig.as(ARCHITECT, { to: id });
      await expect(architect.client.callTool({ name, arguments: {} })).rejects.toThrow(/Unknown tool/);
      expect((await rig.app.log.latest(id))?.commit.seq).toBe(before);
    },
  );

  it('a blocked action says what is missing; a value of the wrong type is not let in', async () => {
    const id = await startedBy(writer, 'test-generation');
    const bound = await rig.as(agent('writer'), { to: id });
    expect(await bound.refusal('complete_step', { evidence: { function_count: 'many' } })).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'evidence.function_count', message: 'wrong type: expected integer, got string' }],
    });
    expect((await rig.app.log.latest(id))?.commit.seq).toBe(1);
    expect(await bound.call('complete_step', { evidence: { function_count: 1 } })).toMatchObject({
      result: 'blocked',
      missing_criteria: [{ field: 'method_count' }, {}, {}, {}],
      tools: expect.arrayContaining(['complete_step']),
    });
    expect(await bound.refusal('complete_step', { action: 'stay' })).toMatchObject({
      code: 'invalid_request',
    });
    expect(await bound.refusal('complete_step', { step: 'phase_2' })).toMatchObject({
      code: 'step_mismatch',
    });
  });

  it('a repeat under the same key gives the first answer again, though the tool is gone', async () => {
    const architect = await rig.as(ARCHITECT, { to: await reviewing() });
    const approve = { feedback: 'Good.', idempotency_key: 'approved-once' };
    const first = await architect.call('approve_design', approve);
    expect(await architect.tools()).not.toContain('approve_design');
    expect(await architect.call('approve_design', approve)).toEqual({ ...first, replayed: true });
    const other = { ...approve, feedback: 'Bad.' };
    expect(await architect.refusal('approve_design', other)).toMatchObject({ code: 'idempotency_mismatch' });
    const unheard = { ...approve, idempotency_key: 'never-said' };
    await expect(architect.client.callTool({ name: 'approve_design', arguments: unheard })).rejects.toThrow(
      /Unknown tool/,
    );
  });

  it('a repeat is not held against what the next step asks for', async () => {
    const bound = await rig.as(agent('writer'), { to: await startedBy(writer, 'clash') });
    const first = { evidence: { n: 1 }, idempotency_key: 'first-once' };
    expect(await bound.call('complete_step', first)).toMatchObject({ current_step: 'second' });
    expect(await bound.call('complete_step', first)).toMatchObject({
      current_step: 'second',
      replayed: true,
    });
    expect(await bound.refusal('complete_step', { evidence: { n: 1 } })).toMatchObject({
      code: 'invalid_request',
    });
  });

  it('what this process saw last refuses nothing: another one may have moved the instance', async () => {
    const id = await startedBy(writer, 'clash');
    const here = await rig.as(agent('writer'), { to: id });
    await here.tools();
    const elsewhere = await startRig({ odd: ODD, clash: CLASH, ruled: RULED }, rig.tables);
    const there = await elsewhere.as(agent('writer'), { to: id });
    await there.call('complete_step', { evidence: { n: 1 } });
    await elsewhere.close();
    expect(await here.call('complete_step', { evidence: { n: 'one' } })).toMatchObject({
      current_step: 'third',
    });
  });

  it('evidence saved before need not be sent again', async () => {
    const id = await startedBy(writer, 'test-generation');
    const bound = await rig.as(agent('writer'), { to: id });
    await bound.call('stay', { evidence: { function_count: 1, method_count: 0 } });
    const { tools } = await bound.client.listTools();
    const evidence = tools.find(({ name }) => name === 'complete_step')?.inputSchema.properties?.['evidence'];
    expect(evidence).toMatchObject({ required: ['branch_count', 'ast_command_output', 'functions_list'] });
  });

  it('reads what is open: a step, the context, a search; a later step is refused and recorded', async () => {
    const id = await startedBy(writer, 'test-generation');
    const bound = await rig.as(agent('writer'), { to: id });
    expect(await bound.call('get_phase_content')).toMatchObject({ id: 'phase_1' });
    expect(await bound.refusal('get_phase_content', { phase: 2 })).toMatchObject({
      code: 'phase_sequence_violation',
    });
    expect((await rig.app.log.latest(id))?.commit.refusal?.code).toBe('phase_sequence_violation');
    expect(await bound.call('search_content', { query: 'syntax tree', limit: 1 })).toMatchObject({
      results: [{ step_id: 'phase_1', text: expect.stringMatching(/syntax tree/) }],
    });
    const { resources } = await bound.client.listResources();
    expect(resources.map(({ name }) => name)).toEqual(['phase_1']);
    const elsewhere = await startedBy(writer, 'test-generation');
    await expect(
      bound.client.readResource({ uri: `stepgate://workflows/${elsewhere}/steps/phase_1` }),
    ).rejects.toThrow(/not found/i);
    const { messages } = await bound.client.getPrompt({ name: 'workflow_context' });
    expect(JSON.stringify(messages)).toContain('syntax tree');
  });
});
