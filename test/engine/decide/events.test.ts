// What the world is told: the payload of each event, in the order told, for workflows in the image of the seeds.
import { describe, expect, it } from 'vitest';
import { delivery, generation, onboarding, steps, VALIDATORS } from '../../support/definitions.ts';
import { agent, OWNER, play } from '../../support/play.ts';

const NOON = '2026-03-01T12:00:00.000Z';

describe('onboarding', () => {
  it('tells its whole way', () => {
    const game = play(onboarding);
    expect(game.events).toEqual([
      {
        type: 'workflow.started',
        data: {
          workflow_id: 'onboarding',
          initial_step: 'greeting',
          progress: { current_step: 'greeting', completed_steps: [], completed: 0, total: 3, percent: 0 },
        },
      },
      {
        type: 'workflow.task.assigned',
        data: {
          task_id: 'i-1',
          step: 'greeting',
          required_action: 'complete_step',
          work_to_validate: {},
          turn: 1,
          assigned_to_role: 'greeter',
        },
      },
    ]);
    game.done();
    expect(game.types).toEqual(['workflow.state.changed', 'workflow.step_changed', 'workflow.task.assigned']);
    expect(game.told('workflow.state.changed')).toEqual([
      {
        task_id: 'i-1',
        from_state: 'greeting',
        to_state: 'discovery',
        triggered_by_action: 'complete_step',
        actor_role: 'owner',
        timestamp: NOON,
      },
    ]);
    expect(game.told('workflow.step_changed')).toEqual([
      {
        workflow_id: 'onboarding',
        previous_step: 'greeting',
        current_step: 'discovery',
        progress: {
          current_step: 'discovery',
          completed_steps: ['greeting'],
          completed: 1,
          total: 3,
          percent: 33,
        },
      },
    ]);
    game.knowing({ memory: { user_profile: 3 } }).done();
    game.send('widget', { widget_type: 'list_input', items: ['milk', 'eggs'] });
    expect(game.events).toEqual([
      {
        type: 'workflow.input.answered',
        data: {
          workflow_id: 'onboarding',
          step: 'brain_dump',
          widget_type: 'list_input',
          items: 2,
          by: 'olga',
        },
      },
    ]);
    game.at('2026-03-01T12:01:30.000Z').done();
    expect(game.told('workflow.completed')).toEqual([
      {
        workflow_id: 'onboarding',
        completed_at: '2026-03-01T12:01:30.000Z',
        summary: {
          completed_steps: ['greeting', 'discovery', 'brain_dump'],
          duration_seconds: 90,
          retry_count: 0,
          artifacts: [],
        },
      },
    ]);
    expect(game.told('workflow.task.assigned')).toEqual([]);
  });

  it('tells what is asked of a person', () => {
    const questions = [{ question: 'Which?', options: ['this', 'that'] }];
    const game = play(onboarding).signal({ action: 'need_input', questions });
    expect(game.events).toEqual([
      {
        type: 'workflow.input.requested',
        data: {
          workflow_id: 'onboarding',
          step: 'greeting',
          questions: [{ id: 'q1', question: 'Which?', options: ['this', 'that'] }],
          widget_type: null,
        },
      },
    ]);
    game.send('answer', { answers: ['this'] });
    expect(game.told('workflow.input.answered')).toEqual([
      {
        workflow_id: 'onboarding',
        step: 'greeting',
        answers: [{ question: 'Which?', answer: 'this' }],
        by: 'olga',
      },
    ]);
  });
});

describe('delivery', () => {
  it('tells each transition, the validation, and the work to validate', () => {
    const game = play(delivery)
      .as(agent('dev-1', 'developer'))
      .signal({ action: 'CLAIM_TASK' })
      .signal({ action: 'COMMIT_CODE', artifacts: { commit_sha: 'abc', files_changed: ['a.ts'] } });
    expect(game.told('workflow.task.assigned')).toEqual([
      {
        task_id: 'i-1',
        step: 'pending_arch_review',
        required_action: 'APPROVE_DESIGN',
        work_to_validate: { commit_sha: 'abc', files_changed: ['a.ts'], files: ['a.ts'] },
        turn: 3,
        assigned_to_role: 'architect',
      },
    ]);
    expect(game.told('workflow.validation.completed')).toEqual([
      {
        task_id: 'i-1',
        action: 'COMMIT_CODE',
        actor_role: 'developer',
        status: 'accepted',
        previous_state: 'in_progress',
        current_state: 'pending_arch_review',
        next_role: 'architect',
        next_action: 'APPROVE_DESIGN',
      },
    ]);
    game.as(agent('arch-1', 'architect')).signal({ action: 'REJECT_DESIGN', feedback: 'No tests.' });
    expect(game.told('workflow.state.changed')).toEqual([
      {
        task_id: 'i-1',
        from_state: 'pending_arch_review',
        to_state: 'arch_review',
        triggered_by_action: 'CLAIM_REVIEW',
        actor_role: 'architect',
        timestamp: NOON,
      },
      {
        task_id: 'i-1',
        from_state: 'arch_review',
        to_state: 'arch_rejected',
        triggered_by_action: 'REJECT_DESIGN',
        actor_role: 'architect',
        timestamp: NOON,
        feedback: 'No tests.',
      },
    ]);
    expect(game.told('workflow.step_changed')).toMatchObject([
      { previous_step: 'pending_arch_review', current_step: 'arch_rejected' },
    ]);
  });
});

describe('generation', () => {
  it('tells of approval, attempts and validators, and counts 42 while step 3 waits', () => {
    const game = play(generation)
      .as(agent('c', 'checker'))
      .done({ artifacts: { files: ['a'] } })
      .done()
      .as(agent('p', 'planner'))
      .done({ artifacts: { plan_path: 'p.md' } });
    expect(game.types).toEqual(['workflow.approval.requested']);
    expect(game.told('workflow.approval.requested')).toMatchObject([
      {
        workflow_id: 'generation',
        step: 'plan',
        approval_type: 'approve',
        requested_by: 'p',
        artifacts: { plan_path: 'p.md' },
        variants: [],
        progress: { completed: 3, total: 7, percent: 42 },
      },
    ]);
    game.as(OWNER).send('approve', { approved: true });
    expect(game.types).toEqual([
      'workflow.approval.resolved',
      'workflow.state.changed',
      'workflow.attempt.started',
      'workflow.step_changed',
      'workflow.task.assigned',
    ]);
    game.as(agent('w', 'writer')).done().as(agent('j', 'judge')).done();
    expect(game.told('workflow.task.assigned').map(({ assigned_to_role }) => assigned_to_role)).toEqual(
      VALIDATORS,
    );
  });
});

describe('progress', () => {
  it('counts the steps of onboarding in thirds, rounded down', () => {
    const game = play(onboarding).knowing({ memory: { user_profile: 3 } });
    const seen = [game.percent, game.done().percent, game.done().percent];
    game.send('widget', { widget_type: 'list_input', items: [1, 2] });
    expect([...seen, game.percent, game.done().percent]).toEqual([0, 33, 66, 66, 100]);
  });

  it('goes back when a way leads back', () => {
    const game = play(steps({ id: 'a' }, { id: 'b', next: { ok: null, iterate: 'a' } })).done();
    expect([game.percent, game.done({ outcome: 'iterate' }).percent]).toEqual([50, 0]);
  });

  it('does not count side branches', () => {
    const workflow = steps(
      { id: 'a', next: { ok: 'c', fail: 'mend' } },
      { id: 'mend', required: false, next: 'a' },
      { id: 'c' },
    );
    expect(play(workflow).done().percent).toBe(50);
    expect(play(workflow).done({ outcome: 'fail' }).percent).toBe(0);
  });

  it('counts a skipped step as done', () => {
    const game = play(steps({ id: 'a', required: false }, { id: 'b' })).done({ outcome: 'skip' });
    expect(game.percent).toBe(50);
  });
});
