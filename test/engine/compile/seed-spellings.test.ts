// The design documents' own JSON and YAML, fed to the compiler as they stand.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import { holds, type Variables } from '../../../shared/engine/expressions/expression.ts';
import { findStep } from '../../../shared/engine/model/workflow.ts';
import { readDefinition } from '../../../shared/reading/read-definition.ts';

/** One line of the state schema's `generation_steps`. */
const row = (step: number, name: string, agent: string, outputs: string[], more: object = {}) => ({
  step,
  name,
  agent,
  description: `${name}.`,
  prerequisites: step === 1 ? [] : [step - 1],
  outputs,
  human_approval: false,
  retry_enabled: false,
  ...more,
});

const GENERATION = [
  row(1, 'File Check', 'generation-coordinator', ['blueprint_path']),
  row(2, 'Blueprint Validation', 'blueprint-validator', ['constraints_list']),
  row(3, 'Verification Plan', 'verification-planner', ['verification_plan'], { human_approval: true }),
  row(4, 'Generation', 'prose-writer', ['draft', 'compliance_echo'], {
    retry_enabled: true,
    max_attempts: 3,
  }),
  row(5, 'Fast Compliance Check', 'blueprint-compliance-fast-checker', ['fast_compliance_result'], {
    triggers_retry: true,
  }),
  row(6, 'Full Validation', 'validation-aggregator', ['final_validation_report'], { parallel_agents: 7 }),
  row(7, 'Final Output', 'generation-coordinator', ['final_report', 'scene_content']),
];

const PLANNING = [
  {
    phase: 1,
    name: 'Exploration',
    agents: ['dialogue-analyst', 'context-analyzer'],
    parallel: true,
    prerequisites: [],
    outputs: ['exploration_results'],
    human_approval: false,
  },
  {
    phase: 2,
    name: 'Scenarios',
    agents: ['scenario-generator', 'consequence-predictor'],
    parallel: false,
    prerequisites: [1],
    outputs: ['scenarios'],
    human_approval: true,
    approval_type: 'select_variant',
  },
  {
    phase: 3,
    name: 'Path Planning',
    agents: ['arc-planner', 'dependency-mapper'],
    parallel: false,
    prerequisites: [2],
    outputs: ['path_plan'],
    human_approval: false,
  },
];

describe('the state schema', () => {
  it('its generation steps are steps', () => {
    const { steps, milestones } = load({ id: 'generation', steps: GENERATION });
    expect(steps.map(({ id, title }) => [id, title])).toContainEqual([
      'fast_compliance_check',
      'Fast Compliance Check',
    ]);
    expect(milestones).toHaveLength(7);
    expect(
      steps.map(({ approval, attempts, triggers_retry }) => [approval?.type, attempts?.max, triggers_retry]),
    ).toEqual([
      [undefined, undefined, null],
      [undefined, undefined, null],
      ['approve', undefined, null],
      [undefined, 3, null],
      [undefined, undefined, 3],
      [undefined, undefined, null],
      [undefined, undefined, null],
    ]);
    expect(steps[5]).toMatchObject({ lead: 'validation-aggregator', teamwork: 'all' });
    expect(steps[5]?.agents).toHaveLength(7);
  });

  it('its planning phases are steps', () => {
    const { steps } = load({ id: 'planning', steps: PLANNING });
    expect(steps.map(({ number, teamwork, approval }) => [number, teamwork, approval?.type])).toEqual([
      [1, 'all', undefined],
      [2, 'sequence', 'select_variant'],
      [3, 'sequence', undefined],
    ]);
  });

  it('attempts that are switched off are none', () => {
    const [step] = load({ id: 'w', steps: [{ name: 'Write', retry_enabled: false, max_attempts: 3 }] }).steps;
    expect(step?.attempts).toBeNull();
  });
});

describe('the onboarding seed', () => {
  it('its words for required and for criteria are ours, parameters inside or beside', () => {
    const { steps } = load({
      workflow_id: 'onboarding',
      initial_step: 'discovery',
      steps: [
        {
          id: 'discovery',
          is_required: true,
          completion_criteria: [
            'agent_signal',
            { type: 'memory_check', params: { min_facts: 3, category: 'priorities' } },
          ],
        },
        { id: 'done', terminal: true },
      ],
    });
    expect(steps[0]?.criteria.map(({ type, params }) => [type, params])).toEqual([
      ['agent_signal', {}],
      ['memory_check', { min_facts: 3, category: 'priorities' }],
    ]);
    expect(steps[1]?.final).toBe('success');
  });
});

describe('the orchestration seed', () => {
  const text = readFileSync(new URL('../../fixtures/seed-workflow.fsm.yaml', import.meta.url), 'utf8');
  const read = readDefinition(text, { format: 'yaml', name: 'workflow.fsm' });
  const seed = ('definition' in read ? read.definition : {}) as { transitions: object[]; guards: object[] }; // its own keys
  const out = { from: 'todo', to: 'implementing', action: 'CLAIM_TASK', role_required: 'developer' };
  const workflow = load({ ...seed, transitions: [out, ...seed.transitions] }, { name: 'workflow.fsm' });
  const variables = (artifacts: Variables['artifacts']): Variables => ({
    params: {},
    state: {},
    data: {},
    artifacts,
    evidence: {},
    shared: {},
  });
  const guard = (check: string) =>
    load({
      ...seed,
      id: 'w',
      transitions: [{ ...out, guard: check }, ...seed.transitions],
    }).steps[0]?.transitions[0]?.guard;

  it('its guard names are booleans, its notations hold as written', () => {
    const committed = findStep(workflow, 'implementing')?.transitions[0]?.guard;
    expect(committed?.source).toBe('code_committed == true');
    expect(holds(committed, variables({ commit_sha: 'abc' }))).toBe(true);
    expect(holds(committed, variables({}))).toBe(false);
    expect(holds(guard('tests_passing'), variables({ test_results: { passed: 0.95 } }))).toBe(true);
    expect(holds(guard('tests_passing'), variables({ test_results: { passed: 0.9 } }))).toBe(false);
    expect(holds(guard('tests_passing'), variables({}))).toBe(false);
    expect(holds(guard('artifacts.commit_sha exists'), variables({ commit_sha: 'abc' }))).toBe(true);
  });

  it('its states are in the hands of whom its transitions ask, else of whom they allow', () => {
    const inCharge = workflow.steps.map(({ id, roles_in_charge }) => [id, roles_in_charge[0]]);
    expect(inCharge).toContainEqual(['arch_rejected', 'developer']);
    expect(inCharge).toContainEqual(['implementing', 'developer']);
    expect(inCharge).toContainEqual(['pending_qa', 'qa']);
  });

  it('asks nothing to be required, and its automatic states are left by themselves', () => {
    expect(workflow.steps.some(({ required }) => required)).toBe(false);
    expect(workflow.steps.filter(({ auto }) => auto.length > 0).map(({ id }) => id)).toEqual([
      'dev_completed',
      'arch_approved',
      'qa_passed',
      'po_approved',
    ]);
  });

  it('a state may say `final` as a step may say `terminal`', () => {
    const { steps } = load({
      id: 'w',
      states: [{ id: 'a' }, { id: 'b', final: 'failure' }, { id: 'c', terminal: true }],
      transitions: [
        { from: 'a', to: 'b', action: 'NO' },
        { from: 'a', to: 'c', action: 'YES' },
      ],
    });
    expect(steps.map(({ final }) => final)).toEqual([null, 'failure', 'success']);
  });
});
