// What the definitions we ship promise by their shape: who acts, what is proven, what is counted.
import { describe, expect, it } from 'vitest';
import { compile } from '../../shared/engine/compile/compile.ts';
import { findStep, type Step, type Workflow } from '../../shared/engine/model/workflow.ts';
import { builtInWorkflows } from '../../shared/reading/built-in.ts';

const shipped = builtInWorkflows();

function builtIn(id: string): Workflow {
  const workflow = shipped.get(id);
  if (!workflow) throw new Error(`no built-in workflow ${id}`);
  return workflow;
}
function step(workflow: string, name: string | number): Step {
  const found = findStep(builtIn(workflow), name);
  if (!found) throw new Error(`${workflow} has no step ${name}`);
  return found;
}
const ids = ({ steps }: Workflow) => steps.map(({ id }) => id);
const milestones = (workflow: Workflow) => workflow.milestones.map((index) => workflow.steps[index]?.id);
const target = (workflow: Workflow, from: string, on: string) => {
  const way = findStep(workflow, from)?.by_on.get(on)?.[0];
  return way === undefined ? undefined : way.to === null ? null : workflow.steps[way.to]?.id;
};

it('there are eight', () => {
  expect([...shipped.keys()]).toEqual([
    'decision-critic',
    'deepthink',
    'delivery',
    'generation',
    'onboarding',
    'planning',
    'reviewed-plan',
    'test-generation',
  ]);
});

describe.each([...shipped.values()].map((workflow) => [workflow.id, workflow] as const))(
  '%s',
  (_, workflow) => {
    it('says what it is, and what each open step asks for', () => {
      expect(workflow.description).toMatch(/\S/);
      const silent = workflow.steps.filter(
        ({ final, auto, instructions, actions, content }) =>
          final === null && auto.length === 0 && `${instructions}${actions.join('')}${content}`.trim() === '',
      );
      expect(silent.map(({ id }) => id)).toEqual([]);
      expect(workflow.steps.filter(({ id, title }) => title === id).map(({ id }) => id)).toEqual([]);
    });

    it('compiles again from what is stored of it, to the same version', () => {
      const again = compile(JSON.parse(JSON.stringify(workflow.source)));
      expect('workflow' in again && again.workflow.version).toBe(workflow.version);
    });
  },
);

describe('onboarding', () => {
  const workflow = builtIn('onboarding');
  it('has one active instance per person, three counted steps and a final one', () => {
    expect([workflow.single_active, ids(workflow), milestones(workflow)]).toEqual([
      true,
      ['greeting', 'discovery', 'brain_dump', 'completed'],
      ['greeting', 'discovery', 'brain_dump'],
    ]);
    expect(step('onboarding', 'completed')).toMatchObject({ final: 'success', agents: ['coordinator'] });
  });

  it("asks for the seed's criteria", () => {
    expect(
      workflow.steps.slice(0, 3).map(({ agents, criteria }) => [agents, criteria.map(({ type }) => type)]),
    ).toEqual([
      [['greeter'], ['agent_signal']],
      [['discovery'], ['agent_signal', 'memory_check']],
      [['inbox_collector'], ['agent_signal', 'widget_completed']],
    ]);
    expect(step('onboarding', 'discovery').criteria[1]?.params).toEqual({
      min_facts: 3,
      category: 'priorities',
    });
    expect(step('onboarding', 'brain_dump').criteria[1]?.params).toEqual({
      widget_type: 'list_input',
      min_items: 1,
    });
  });

  it('knows its steps by words of both languages, none of which stands for two', () => {
    expect(step('onboarding', 'brain_dump').intents).toEqual(
      expect.arrayContaining(['inbox', 'запиши', 'напомни', 'купить', 'задача', 'добавь']),
    );
    expect(step('onboarding', 'discovery').intents).toEqual(
      expect.arrayContaining(['priority', 'goal', 'приоритет', 'цель', 'важно']),
    );
    const words = workflow.steps.flatMap(({ intents }) => intents);
    expect(new Set(words).size).toBe(words.length);
  });
});

describe('generation', () => {
  const workflow = builtIn('generation');
  it("has the seed's seven steps, all of them counted, each behind all before it", () => {
    expect(ids(workflow)).toEqual([
      'file_check',
      'blueprint_validation',
      'verification_plan',
      'generation',
      'fast_compliance_check',
      'full_validation',
      'final_output',
    ]);
    expect(workflow.milestones).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(workflow.dominator).toEqual([-1, 0, 1, 2, 3, 4, 5]);
    expect(workflow.steps.map(({ title }) => title)).toContain('Fast Compliance Check');
  });

  it("promises the seed's outputs", () => {
    expect(workflow.steps.flatMap(({ outputs }) => outputs)).toEqual([
      'blueprint_path',
      'constraints_list',
      'verification_plan',
      'draft',
      'compliance_echo',
      'fast_compliance_result',
      'final_validation_report',
      'final_report',
      'scene_content',
    ]);
    expect(workflow.artifacts).toEqual(['blueprint_path', 'working_dir']);
  });

  it('has a plan approved, three attempts with rising emphasis, and a judge that may end one', () => {
    expect(step('generation', 3).approval?.type).toBe('approve');
    const { attempts } = step('generation', 4);
    expect(attempts).toMatchObject({
      max: 3,
      timeout_seconds: 600,
      heartbeat_seconds: 120,
      backoff_seconds: 2,
      backoff_rate: 2,
    });
    expect(attempts?.emphasis).toHaveLength(3);
    expect(step('generation', 5)).toMatchObject({
      triggers_retry: 3,
      deadline: { seconds: 30, outcome: 'fail' },
    });
    expect(target(workflow, 'fast_compliance_check', 'fail')).toBe('generation');
  });

  it('joins seven named validators under a lead', () => {
    const { lead, agents, teamwork, criteria } = step('generation', 6);
    expect([lead, agents.length, new Set(agents).size, teamwork]).toEqual([
      'validation-aggregator',
      7,
      7,
      'all',
    ]);
    expect(criteria.map(({ type }) => type)).toEqual(['all_agents', 'outputs']);
  });

  it('shows itself as the generation block', () => {
    expect(workflow.state_block).toEqual({
      name: 'generation',
      unit: 'step',
      include: { scene_id: 'params.scene_id' },
    });
    expect(workflow.params.scene_id).toMatchObject({ kind: 'text', required: false });
  });
});

describe('planning', () => {
  const workflow = builtIn('planning');
  it("has the seed's five phases with their agents, together or one after the other", () => {
    expect(
      workflow.steps.map(({ title, agents, teamwork, outputs }) => [
        title,
        agents.length,
        teamwork,
        ...outputs,
      ]),
    ).toEqual([
      ['Exploration', 2, 'all', 'exploration_results'],
      ['Scenarios', 2, 'sequence', 'scenarios'],
      ['Path Planning', 2, 'sequence', 'path_plan'],
      ['Detailing', 3, 'sequence', 'detailed_plans'],
      ['Integration', 2, 'sequence', 'integration_analysis'],
    ]);
  });

  it('has a variant selected on phase 2 and nowhere else', () => {
    expect(workflow.steps.map(({ approval }) => approval?.type ?? null)).toEqual([
      null,
      'select_variant',
      null,
      null,
      null,
    ]);
  });

  it('is one definition for three levels', () => {
    expect(workflow.params).toMatchObject({
      level: { kind: 'choice', choices: ['scene', 'chapter', 'act'], default: 'scene' },
      act: { kind: 'integer', required: false, min: 1, max: 99 },
      chapter: { kind: 'integer', required: false },
      scene: { kind: 'integer', required: false },
    });
    expect(workflow.state_block?.include.context).toEqual({
      act: 'params.act',
      chapter: 'params.chapter',
      scene: 'params.scene',
    });
  });
});

describe('delivery', () => {
  const workflow = builtIn('delivery');
  it('cannot be completed around the architect, QA or the product owner', () => {
    expect(workflow.steps.filter(({ required }) => required).map(({ id }) => id)).toEqual([
      'pending_arch_review',
      'arch_reviewing',
      'arch_approved',
      'pending_qa',
      'qa_testing',
      'qa_passed',
      'pending_po_approval',
      'po_approved',
    ]);
    expect(milestones(workflow)).toEqual([
      'todo',
      'implementing',
      'dev_completed',
      'pending_arch_review',
      'arch_reviewing',
      'arch_approved',
      'pending_qa',
      'qa_testing',
      'qa_passed',
      'pending_po_approval',
      'po_approved',
    ]);
  });

  it('does not prove once a rejection leads on', () => {
    const source = JSON.parse(JSON.stringify(workflow.source)) as {
      transitions: { action?: string; to: string }[];
    };
    const rejection = source.transitions.find(({ action }) => action === 'REJECT_DESIGN');
    if (rejection) rejection.to = 'pending_qa';
    const compiled = compile(source);
    expect('problems' in compiled && compiled.problems).toContainEqual(
      expect.objectContaining({ check: 7, step: 'arch_reviewing' }),
    );
  });

  it.each<[string, string, string]>([
    ['todo', 'developer', 'IMPLEMENT_FEATURE'],
    ['implementing', 'developer', 'IMPLEMENT_FEATURE'],
    ['pending_arch_review', 'architect', 'APPROVE_DESIGN'],
    ['arch_reviewing', 'architect', 'APPROVE_DESIGN'],
    ['arch_rejected', 'developer', 'REVISE_CODE'],
    ['pending_qa', 'qa', 'RUN_TESTS'],
    ['qa_testing', 'qa', 'RUN_TESTS'],
    ['qa_failed', 'developer', 'FIX_BUGS'],
    ['pending_po_approval', 'po', 'APPROVE_STORY'],
  ])('%s is in the hands of %s, who is to %s', (id, role, action) => {
    expect(step('delivery', id)).toMatchObject({ roles_in_charge: [role], required_action: action });
  });

  it('is claimed and revised in passing, and rejected only with a reason', () => {
    const on = (mark: 'implied' | 'claims' | 'feedback_required' | 'auto') =>
      workflow.steps.flatMap(({ transitions }) =>
        transitions.filter((way) => way[mark]).map((way) => way.on),
      );
    expect(on('implied')).toEqual(['CLAIM_TASK', 'CLAIM_REVIEW', 'REVISE_CODE', 'CLAIM_TESTING', 'FIX_BUGS']);
    expect(on('claims')).toEqual(['CLAIM_TASK', 'CLAIM_REVIEW', 'CLAIM_TESTING']);
    expect(on('feedback_required')).toEqual(['REJECT_DESIGN', 'REVISE_CODE', 'REJECT_TESTS']);
    expect(on('auto')).toHaveLength(4);
    expect(step('delivery', 'implementing').by_on.get('COMMIT_CODE')?.[0]?.guard?.source).toBe(
      'code_committed == true',
    );
  });

  it('starts over after a failure; roles have descriptions', () => {
    expect([workflow.recovery, workflow.form, Object.keys(workflow.roles)]).toEqual([
      'restart',
      'fsm',
      ['developer', 'architect', 'qa', 'po'],
    ]);
    expect(Object.values(workflow.roles).every((text) => text.length > 0)).toBe(true);
  });
});

describe('decision-critic', () => {
  it('needs a decision, and goes through seven steps of instructions', () => {
    const workflow = builtIn('decision-critic');
    expect(workflow.params.decision).toMatchObject({ kind: 'text', required: true });
    expect(ids(workflow).slice(0, 3)).toEqual([
      'extract_structure',
      'classify_verifiability',
      'generate_questions',
    ]);
    expect(workflow.milestones).toHaveLength(7);
    expect(workflow.steps.every(({ actions, agents }) => actions.length >= 3 && agents.length === 1)).toBe(
      true,
    );
  });
});

describe('deepthink', () => {
  const workflow = builtIn('deepthink');
  it('counts what both modes pass: all but steps 6 to 11', () => {
    expect(workflow.steps).toHaveLength(14);
    expect(workflow.milestones.map((index) => index + 1)).toEqual([1, 2, 3, 4, 5, 12, 13, 14]);
    expect(workflow.steps.filter(({ required }) => !required).map(({ number }) => number)).toEqual([
      6, 7, 8, 9, 10, 11,
    ]);
  });

  it('branches on the mode, hands step 9 to a sub-agent, and repeats step 13', () => {
    expect([target(workflow, 'planning', 'ok'), target(workflow, 'planning', 'skip')]).toEqual([
      'subagent_design',
      'initial_synthesis',
    ]);
    expect(step('deepthink', 9).handler).toMatchObject({ kind: 'dispatch', agent: 'deepthink-worker' });
    expect(step('deepthink', 13).handler).toMatchObject({ kind: 'function', name: 'confidence' });
    expect(target(workflow, 'iterative_refinement', 'iterate')).toBe('iterative_refinement');
  });
});

describe('reviewed-plan', () => {
  it('leads from the gate on or to the revision, and from there back to the gate', () => {
    const workflow = builtIn('reviewed-plan');
    expect([target(workflow, 'qr_completeness', 'ok'), target(workflow, 'qr_completeness', 'fail')]).toEqual([
      'implementation',
      'revise_plan',
    ]);
    expect([target(workflow, 'revise_plan', 'ok'), target(workflow, 'implementation', 'ok')]).toEqual([
      'qr_completeness',
      null,
    ]);
    expect(milestones(workflow)).toEqual(['plan_design', 'qr_completeness', 'implementation']);
    expect(step('reviewed-plan', 'qr_completeness')).toMatchObject({
      agents: ['quality-reviewer'],
      handler: { kind: 'dispatch' },
    });
    expect(step('reviewed-plan', 'qr_completeness').criteria.map(({ type }) => type)).toEqual(['qr_gate']);
  });
});

describe('test-generation', () => {
  it('has eight phases read from its document, the first with exactly five fields', () => {
    const workflow = builtIn('test-generation');
    expect(ids(workflow)).toEqual(Array.from({ length: 8 }, (_, i) => `phase_${i + 1}`));
    expect(Object.keys(step('test-generation', 1).evidence)).toEqual([
      'function_count',
      'method_count',
      'branch_count',
      'ast_command_output',
      'functions_list',
    ]);
    expect(workflow.steps.every(({ content }, i) => content.startsWith(`## Phase ${i + 1}:`))).toBe(true);
    expect(JSON.stringify(workflow.source)).not.toContain('test-generation.md');
  });
});
