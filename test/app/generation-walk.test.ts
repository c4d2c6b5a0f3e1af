// Generation from its blueprint to its final output, on a clock moved by hand: modifications, a failed check, an attempt
// that runs out of time, seven validators; and the state document in the shape of the state schema, field by field.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { context, details } from '../../shared/app/read-instance.ts';
import { readMetrics } from '../../shared/app/read-metrics.ts';
import { proveLog } from '../../shared/app/prove-log.ts';
import { ClockWorld } from '../support/clock-world.ts';
import { agent, human } from '../support/play.ts';

const OLGA = human('olga');
const as = (role: string) => agent(`${role}-1`, role);
const writer = as('prose-writer');
const checker = as('blueprint-compliance-fast-checker');
const VALIDATORS = [
  'continuity',
  'character',
  'dialogue',
  'pacing',
  'style',
  'worldbuilding',
  'constraint',
].map((name) => `${name}-validator`);
const MODIFICATIONS = { emotional_tone: 'professional detachment with cracks', verification_plan: 'p2.md' };
const APPROVALS = [
  { step: 'verification_plan', by: 'olga', at: '2026-03-01T12:02:00.000Z', modifications: MODIFICATIONS },
];

describe('generation, from blueprint to text', () => {
  let world: ClockWorld;
  beforeAll(async () => {
    world = await ClockWorld.open();
    await world.start('generation', OLGA, { instance_id: 'scene-0204', params: { scene_id: '0204' } });
  });
  afterAll(() => world.down());

  const done = (role: string, artifacts: object = {}, more: object = {}) =>
    world.say(as(role), 'signal', { action: 'complete_step', artifacts, ...more });
  const block = async () => {
    const document: Record<string, unknown> = await details(world.app, world.id, OLGA);
    return document['generation'] as { steps: object[] }; // of this workflow it is there
  };
  const untouched = { status: 'pending', started_at: null, completed_at: null, artifacts: {} };
  const rested = async (attempt: number) => {
    const { steps } = await world.until(
      `attempt ${attempt}`,
      (state) => state.steps[3]?.attempts?.current === attempt,
    );
    const opens_at = Date.parse(steps[3]?.attempts?.opens_at ?? '');
    await world.reach(new Date(Math.ceil(opens_at / 1000) * 1000).toISOString());
    await world.until(`attempt ${attempt} is open`, (state) => state.steps[3]?.attempts?.opened_at !== null);
  };

  it('waits for a person on step 3, as the seed has it', async () => {
    world.clock.advance(5);
    await done('generation-coordinator', { blueprint_path: 'b.md', working_dir: 'w' });
    world.clock.advance(55);
    await done('blueprint-validator', { constraints_list: 'c.json' });
    world.clock.advance(30);
    await done('verification-planner', { verification_plan: 'p.md' });
    expect(await details(world.app, world.id, OLGA)).toMatchObject({
      status: 'waiting_approval',
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:01:30.000Z',
      progress: { percent: 42 },
    });
    expect(await block()).toEqual({
      scene_id: '0204',
      current_step: 3,
      total_steps: 7,
      steps: [
        {
          step: 1,
          name: 'File Check',
          status: 'completed',
          started_at: '2026-03-01T12:00:00.000Z',
          completed_at: '2026-03-01T12:00:05.000Z',
          artifacts: {},
        },
        {
          step: 2,
          name: 'Blueprint Validation',
          status: 'completed',
          started_at: '2026-03-01T12:00:05.000Z',
          completed_at: '2026-03-01T12:01:00.000Z',
          artifacts: { constraints_list: 'c.json' },
        },
        {
          step: 3,
          name: 'Verification Plan',
          status: 'waiting_approval',
          started_at: '2026-03-01T12:01:00.000Z',
          completed_at: null,
          artifacts: { verification_plan: 'p.md' },
          human_approval: { required: true, approved: false, approved_at: null },
        },
        { step: 4, name: 'Generation', ...untouched, attempts: { current: 0, max: 3, history: [] } },
        { step: 5, name: 'Fast Compliance Check', ...untouched },
        { step: 6, name: 'Full Validation', ...untouched },
        { step: 7, name: 'Final Output', ...untouched },
      ],
      artifacts: { blueprint_path: 'b.md', working_dir: 'w' },
    });
  });

  it('hands the modifications of the approval to the writer', async () => {
    world.clock.advance(30);
    await world.say(OLGA, 'approve', { approved: true, modifications: MODIFICATIONS });
    expect(await context(world.app, world.id, writer)).toMatchObject({
      current_step: 'generation',
      artifacts: { verification_plan: 'p2.md' },
      approvals: APPROVALS,
      attempt: 1,
      failures: [],
    });
    expect((await world.told('workflow.task.assigned')).at(-1)).toMatchObject({
      assigned_to_role: 'prose-writer',
      approvals: APPROVALS,
      attempt: 1,
      emphasis: expect.stringContaining('Follow the approved plan'),
    });
    expect((await block()).steps[2]).toMatchObject({
      status: 'completed',
      artifacts: { verification_plan: 'p2.md' },
      human_approval: { required: true, approved: true, approved_at: '2026-03-01T12:02:00.000Z' },
    });
  });

  it('attempt 1 fails the fast check, and attempt 2 begins with its reason', async () => {
    await done('prose-writer', { draft: 'd1.md', compliance_echo: 'e1.md' });
    await world.say(checker, 'signal', {
      action: 'complete_step',
      outcome: 'fail',
      feedback: 'Wrong tense.',
    });
    await rested(2);
    const failures = [{ attempt: 1, result: 'failed', reason: 'Wrong tense.' }];
    const told = { attempt: 2, failures, emphasis: expect.stringMatching(/^STRICT\./) };
    expect(await context(world.app, world.id, writer)).toMatchObject(told);
    expect((await world.told('workflow.task.assigned')).at(-1)).toMatchObject({
      ...told,
      approvals: APPROVALS,
    });
    expect((await block()).steps[3]).toMatchObject({
      status: 'in_progress',
      completed_at: null,
      artifacts: {},
    });
  });

  it('attempt 2 runs out of time, and its late report is refused', async () => {
    const { turn } = await context(world.app, world.id, writer);
    for (const _ of [1, 2, 3, 4, 5]) {
      await world.timer(world.in(120));
      world.clock.advance(100);
      await world.say(writer, 'heartbeat', {});
    }
    await world.pass(100);
    await rested(3);
    const late = done('prose-writer', { draft: 'late.md', compliance_echo: 'e.md' }, { turn });
    await expect(late).rejects.toMatchObject({ code: 'stale_turn' });
    expect(await context(world.app, world.id, writer)).toMatchObject({
      attempt: 3,
      emphasis: expect.stringMatching(/^CRITICAL, LAST ATTEMPT\./),
      failures: [
        { attempt: 1, result: 'failed', reason: 'Wrong tense.' },
        { attempt: 2, result: 'timed_out', reason: 'It ran out of time.' },
      ],
    });
  });

  it('attempt 3 passes, seven validators agree, and the scene is handed out', async () => {
    await done('prose-writer', { draft: 'd3.md', compliance_echo: 'e3.md' });
    await done('blueprint-compliance-fast-checker', { fast_compliance_result: 'ok' });
    for (const validator of VALIDATORS) await done(validator, {}, { data: { [validator]: 'fine' } });
    await done('validation-aggregator', { final_validation_report: 'r.md' });
    world.clock.advance(60);
    const last = await done('generation-coordinator', { final_report: 'f.md', scene_content: 's.md' });
    expect(last).toMatchObject({ result: 'completed', progress: { percent: 100, completed: 7, total: 7 } });
    await expect.poll(() => world.executions()).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
    expect(world.clock.timers).toEqual([]);
  });

  it('leaves the whole document as the seed has it', async () => {
    const instant = expect.stringMatching(/^2026-03-01T12:\d\d:\d\d\.000Z$/) as string;
    const attempt = (n: number, result: string, reason: string | null) => ({
      attempt: n,
      result,
      reason,
      emphasis: expect.any(String) as string,
      started_at: instant,
      ended_at: instant,
    });
    const completed = { status: 'completed', started_at: instant, completed_at: instant };
    expect(await block()).toEqual({
      scene_id: '0204',
      current_step: 7,
      total_steps: 7,
      steps: [
        { step: 1, name: 'File Check', ...completed, artifacts: {} },
        { step: 2, name: 'Blueprint Validation', ...completed, artifacts: { constraints_list: 'c.json' } },
        {
          step: 3,
          name: 'Verification Plan',
          ...completed,
          artifacts: { verification_plan: 'p2.md' },
          human_approval: { required: true, approved: true, approved_at: '2026-03-01T12:02:00.000Z' },
        },
        {
          step: 4,
          name: 'Generation',
          ...completed,
          artifacts: { draft: 'd3.md', compliance_echo: 'e3.md' },
          attempts: {
            current: 3,
            max: 3,
            history: [
              attempt(1, 'failed', 'Wrong tense.'),
              attempt(2, 'timed_out', 'It ran out of time.'),
              attempt(3, 'passed', null),
            ],
          },
        },
        {
          step: 5,
          name: 'Fast Compliance Check',
          ...completed,
          artifacts: { fast_compliance_result: 'ok' },
        },
        {
          step: 6,
          name: 'Full Validation',
          ...completed,
          artifacts: { final_validation_report: 'r.md' },
        },
        {
          step: 7,
          name: 'Final Output',
          ...completed,
          artifacts: { final_report: 'f.md', scene_content: 's.md' },
        },
      ],
      artifacts: { blueprint_path: 'b.md', working_dir: 'w' },
    });
  });

  it('is measured as the seed measures, and its log proves', async () => {
    const { workflow_metrics } = await readMetrics(world.app, world.id, OLGA);
    const { step_times, ...rest } = workflow_metrics;
    expect(step_times.slice(0, 3)).toEqual([
      { step: 1, duration_seconds: 5 },
      { step: 2, duration_seconds: 55 },
      { step: 3, duration_seconds: 60 },
    ]);
    expect(step_times.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(step_times[6]).toEqual({ step: 7, duration_seconds: 60 });
    expect(rest).toEqual({
      workflow_id: 'scene-0204',
      total_time_seconds: (world.clock.now() - Date.parse('2026-03-01T12:00:00.000Z')) / 1000,
      retry_count: 2,
      human_approval_time_seconds: 30,
      // Three attempts, two checks, seven validators and their aggregator, and one for each other step.
      agent_calls: 17,
      parallel_executions: 7,
    });
    const proof = await proveLog(world.app, world.id, OLGA, { after: 0, limit: 1_000 });
    expect(proof).toMatchObject({ ok: true, first_problem: null });
  });
});
