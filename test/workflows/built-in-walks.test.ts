// Each workflow we ship, walked from its start to its end on the real engine.
import { describe, expect, it } from 'vitest';
import { SYSTEM } from '../../shared/engine/model/actor.ts';
import type { JsonObject } from '../../shared/engine/model/json.ts';
import type { Workflow } from '../../shared/engine/model/workflow.ts';
import { progressOf } from '../../shared/engine/progress.ts';
import { builtInWorkflows } from '../../shared/reading/built-in.ts';
import { agent, human, OWNER, play } from '../support/play.ts';

const shipped = builtInWorkflows();

function builtIn(id: string): Workflow {
  const workflow = shipped.get(id);
  if (!workflow) throw new Error(`no built-in workflow ${id}`);
  return workflow;
}

const percent = (game: ReturnType<typeof play>) => progressOf(game.workflow, game.state).percent;
const LATER = '2026-03-01T12:10:00.000Z';

describe('onboarding', () => {
  it('goes from greeting to completed, blocked until its facts and its widget are there', () => {
    const game = play(builtIn('onboarding')).done({ data: { user_name: 'Alex' } });
    expect([game.state.current_step, percent(game)]).toEqual(['discovery', 33]);
    game.knowing({ memory: { priorities: 2 } }).done();
    expect(game.missing).toMatchObject([{ type: 'memory_check', found: 2, required: 3 }]);
    game.send('defer', { text: 'Запиши в inbox: купить молоко', step: 'brain_dump' });
    game.knowing({ memory: { priorities: 3 } }).done();
    expect([game.state.current_step, percent(game)]).toEqual(['brain_dump', 66]);
    expect(game.state.shared.deferred).toEqual([]);
    expect(game.told('workflow.task.assigned')).toMatchObject([
      { deferred: [{ text: 'Запиши в inbox: купить молоко' }] },
    ]);
    game.done();
    expect(game.missing).toMatchObject([{ type: 'widget_completed' }]);
    game.signal({ action: 'need_input', widget_type: 'list_input' });
    game.send('widget', { widget_type: 'list_input', items: ['milk'] }).done();
    expect([game.outcome, game.state.current_step, percent(game)]).toEqual(['completed', 'completed', 100]);
  });
});

describe('generation', () => {
  const writer = human('owner-of-scene');
  const editor = human('editor', 'admin');
  const toApproval = () =>
    play(builtIn('generation'), { by: writer, params: { scene_id: '0204' } })
      .done({ artifacts: { blueprint_path: 'b.md' } })
      .done({ artifacts: { constraints_list: 'c.json' } })
      .done({ artifacts: { verification_plan: 'v.md' } });
  const approved = () =>
    toApproval()
      .as(editor)
      .send('approve', { approved: true, modifications: { emotional_tone: 'cool' } })
      .as(writer);
  const draft = { artifacts: { draft: 'd.md', compliance_echo: 'e.md' } };

  it('waits on step 3 at 42 percent; neither an agent nor the asker may approve', () => {
    const game = toApproval();
    expect([game.state.status, percent(game)]).toEqual(['waiting_approval', 42]);
    expect(game.as(agent('bot', 'prose-writer')).send('approve', { approved: true }).outcome).toBe(
      'human_required',
    );
    expect(game.as(writer).send('approve', { approved: true }).outcome).toBe('self_approval');
    expect(game.state.status).toBe('waiting_approval');
  });

  it('tries again after a failed check and a timeout, joins seven validators, and completes', () => {
    const game = approved().done(draft).done({ outcome: 'fail', feedback: 'Too long.' });
    expect([game.state.current_step, game.record('generation').attempts?.current]).toEqual(['generation', 2]);
    expect(game.done(draft).missing).toMatchObject([{ type: 'attempt' }]);
    game
      .at(LATER)
      .as(SYSTEM)
      .send('attempt', { event: 'opened', turn: game.record('generation').turn });
    expect(game.told('workflow.task.assigned')).toMatchObject([
      { attempt: 2, failures: [{ reason: 'Too long.' }] },
    ]);
    game.send('attempt', { event: 'timed_out', turn: game.record('generation').turn });
    game
      .at('2026-03-01T12:20:00.000Z')
      .as(writer)
      .done(draft)
      .done({ artifacts: { fast_compliance_result: 'ok' } });
    expect(game.state.current_step).toBe('full_validation');
    const validators = builtIn('generation').steps[5]?.agents ?? [];
    expect(validators).toHaveLength(7);
    for (const name of validators) {
      game.as(agent(`a-${name}`, name)).done({ artifacts: { final_validation_report: 'r.md' } });
    }
    expect(game.state.current_step).toBe('final_output');
    game.as(writer).done({ artifacts: { final_report: 'f.md', scene_content: 's.md' } });
    expect([game.outcome, percent(game)]).toEqual(['completed', 100]);
    expect(game.record('generation').attempts?.history.map(({ result }) => result)).toEqual([
      'failed',
      'timed_out',
      'passed',
    ]);
  });

  it('fails after three attempts, names the last one, and resumes from step 4', () => {
    const game = approved();
    for (const minute of ['12:01', '12:02', '12:03']) {
      game.at(`2026-03-01T${minute}:00.000Z`).done(draft).done({ outcome: 'fail', feedback: 'Too long.' });
    }
    expect(game.state).toMatchObject({ status: 'failed', current_step: 'generation' });
    expect(game.state.last_error).toMatch(/attempt 3 of 3: Too long\. .*resume/);
    game.send('resume', { from_step: 4 });
    expect(game.state).toMatchObject({ status: 'in_progress', current_step: 'generation', last_error: null });
    expect(game.record('verification_plan').artifacts).toMatchObject({ verification_plan: 'v.md' });
  });
});

describe('planning', () => {
  it.each(['scene', 'chapter', 'act'])(
    'plans a %s: agents side by side or in turn, and a variant chosen',
    (level) => {
      const game = play(builtIn('planning'), { params: { level } });
      const all = {
        exploration_results: 'x',
        scenarios: 'x',
        path_plan: 'x',
        detailed_plans: 'x',
        integration_analysis: 'x',
      };
      const work = (artifacts: JsonObject) => {
        const step = game.workflow.steps.find(({ id }) => id === game.state.current_step);
        for (const name of step?.agents ?? []) game.as(agent(name, name)).done({ artifacts });
      };
      work(all);
      expect(game.state.current_step).toBe('scenarios');
      work(all);
      expect(game.state.status).toBe('waiting_approval');
      expect(game.as(OWNER).send('approve', { approved: true }).outcome).toBe('invalid_request');
      game.send('approve', { approved: true, selected_variant: 'A' });
      for (let phase = 3; phase <= 5; phase++) work(all);
      expect(game.outcome).toBe('completed');
    },
  );
});

describe('delivery', () => {
  const [dev, architect, qa, po] = [
    agent('d', 'developer'),
    agent('a', 'architect'),
    agent('q', 'qa'),
    agent('p', 'po'),
  ];
  const commit = (sha: string) => ({ action: 'COMMIT_CODE', artifacts: { commit_sha: sha } });

  it('goes developer, architect, qa, po; a rejection leads back and asks for a new commit', () => {
    const game = play(builtIn('delivery')).as(dev).signal({ action: 'COMMIT_CODE' });
    expect(game.missing).toMatchObject([{ type: 'guard' }]);
    game.signal(commit('abc'));
    expect(game.state.current_step).toBe('pending_arch_review');
    expect(game.as(dev).signal({ action: 'APPROVE_DESIGN' }).outcome).toBe('role_not_allowed');
    game.as(architect).signal({ action: 'REJECT_DESIGN' });
    expect(game.missing).toMatchObject([{ type: 'feedback' }]);
    game.signal({ action: 'REJECT_DESIGN', feedback: 'Passwords in plain text.' });
    expect(game.state).toMatchObject({ current_step: 'arch_rejected', feedback: 'Passwords in plain text.' });
    game.as(dev).signal({ action: 'COMMIT_CODE' });
    expect(game.missing).toMatchObject([{ type: 'guard' }]);
    game.signal(commit('def')).as(architect).signal({ action: 'APPROVE_DESIGN' });
    game.as(qa).signal({ action: 'APPROVE_TESTS' }).as(po).signal({ action: 'APPROVE_STORY' });
    expect([game.outcome, game.state.current_step]).toEqual(['completed', 'done']);
  });

  it('starts over after a failure, with one more retry', () => {
    const game = play(builtIn('delivery')).as(dev).signal(commit('abc'));
    game.as(SYSTEM).send('retry', { error: 'Agent timeout' });
    expect(game.state).toMatchObject({
      current_step: 'todo',
      retry_count: 1,
      last_error: 'Agent timeout',
      feedback: null,
    });
    expect(game.told('workflow.state.changed')).toMatchObject([
      { triggered_by_action: 'RETRY', actor_role: 'system', feedback: 'Retry due to: Agent timeout' },
    ]);
  });
});

describe('deepthink', () => {
  const walk = (mode: string, confidence: string) => {
    const game = play(builtIn('deepthink'), { params: { mode } });
    for (let i = 0; i < 30 && game.state.status === 'in_progress'; i++) {
      game.done({ data: { confidence }, artifacts: { answer: '42' } });
    }
    return game;
  };

  it('visits all fourteen steps in full mode, and leaves out 6 to 11 in quick mode', () => {
    expect(
      walk('full', 'certain').state.steps.filter((record) => record?.status === 'completed'),
    ).toHaveLength(14);
    const quick = walk('quick', 'certain').state;
    expect([quick.status, quick.steps.slice(5, 11)]).toEqual([
      'completed',
      Array.from({ length: 6 }, () => null),
    ]);
  });

  it('iterates five times at most, then goes on capped', () => {
    const game = walk('quick', 'low');
    expect(game.record('iterative_refinement')).toMatchObject({
      visits: 5,
      state: { iteration: 5, confidence: 'capped' },
    });
  });
});

describe('reviewed-plan', () => {
  it('blocks every finding at first, and only MUST from the fifth review on', () => {
    const game = play(builtIn('reviewed-plan')).done({ artifacts: { plan: 'p' } });
    const review = (severity: string) => game.done({ evidence: { findings: [{ severity }] } });
    for (const severity of ['COULD', 'COULD', 'SHOULD', 'SHOULD']) {
      review(severity);
      expect(game.state.current_step).toBe('revise_plan');
      game.done({ artifacts: { revised_plan: 'p2' } });
    }
    review('SHOULD');
    expect(game.state.current_step).toBe('implementation');
    expect(game.done({ artifacts: { result: 'r' } }).outcome).toBe('completed');
  });
});

describe('decision-critic', () => {
  it('takes its seven steps in order', () => {
    const game = play(builtIn('decision-critic'), { params: { decision: 'Rewrite it.' } });
    for (const step of game.workflow.steps) {
      expect(game.state.current_step).toBe(step.id);
      const artifacts = Object.fromEntries(step.outputs.map((name) => [name, 'x']));
      game.done({ artifacts, evidence: { verdict: 'revise' } });
    }
    expect(game.outcome).toBe('completed');
  });
});

describe('test-generation', () => {
  const evidence = {
    function_count: 21,
    method_count: 15,
    branch_count: 36,
    ast_command_output: 'def compile()',
    functions_list: ['compile'],
  };

  it('has eight phases, and names the four fields missing from phase 1', () => {
    const game = play(builtIn('test-generation'), { params: { target_file: 'a.py' } });
    expect(game.workflow.steps).toHaveLength(8);
    game.done({ evidence: { function_count: 21 } });
    expect(game.missing).toHaveLength(4);
    expect(game.done({ step: 'phase_3' }).outcome).toBe('step_mismatch');
    expect(game.done({ evidence }).state.current_step).toBe('phase_2');
  });
});
