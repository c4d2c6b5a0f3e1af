import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import { findStep } from '../../../shared/engine/model/workflow.ts';
import { agentContext } from '../../../shared/engine/views/agent-context.ts';
import { nextStep, prerequisites, workflowStatus } from '../../../shared/engine/views/next-step.ts';
import { boss, delivery, Game, generating, writer } from './sample.ts';

const NOON = '2026-03-01T12:00:00.000Z';

const prerequisitesOf = (game: Game, name: string | number) => {
  const step = findStep(game.workflow, name);
  if (!step) throw new Error('no such step');
  return prerequisites(game.workflow, game.state, step);
};

describe('the next step', () => {
  it('can be gone to while the current one is in progress', () => {
    const { workflow, state } = generating();
    expect(nextStep(workflow, state, NOON)).toEqual({
      can_proceed: true,
      current_step: 1,
      current_step_name: 'File Check',
      current_status: 'in_progress',
      blocking_reason: null,
      required_action: 'complete_step',
      next_step: 2,
      next_step_name: 'Blueprint Validation',
      prerequisites_met: false,
    });
  });

  it('waits for a person where an approval is asked for', () => {
    const { workflow, state } = generating().done().done().done();
    expect(nextStep(workflow, state, NOON)).toEqual({
      can_proceed: false,
      current_step: 3,
      current_step_name: 'Verification Plan',
      current_status: 'waiting_approval',
      blocking_reason: 'Step 3 "Verification Plan" waits for a person\'s approval.',
      required_action:
        'A person must approve "Verification Plan", with modifications if need be, or reject it with feedback.',
      next_step: 4,
      next_step_name: 'Generation',
      prerequisites_met: false,
    });
    expect(workflowStatus(workflow, state)).toEqual({
      workflow_id: 'i-1',
      workflow_type: 'generation',
      status: 'waiting_approval',
      current_step: 3,
      current_step_name: 'Verification Plan',
      waiting_for_approval: true,
      progress_percentage: 42,
      artifacts: { secret_field_file_check: 3, secret_field_blueprint: 3 },
    });
  });

  it('is held up while an attempt backs off, and no longer than that', () => {
    const game = new Game(
      load({
        id: 'tries',
        steps: [
          { id: 'write', agents: ['writer'], attempts: { max: 2, backoff_seconds: 60, backoff_jitter: 0 } },
          { id: 'print', agents: ['writer'] },
        ],
      }),
    );
    game.send('signal', { action: 'complete_step', outcome: 'fail' });
    const { workflow, state } = game;
    expect(nextStep(workflow, state, '2026-03-01T12:01:09.999Z')).toMatchObject({
      can_proceed: false,
      current_status: 'in_progress',
      blocking_reason: 'Attempt 2 opens at 2026-03-01T12:01:10.000Z.',
    });
    expect(nextStep(workflow, state, '2026-03-01T12:01:10.000Z')).toMatchObject({
      can_proceed: true,
      blocking_reason: null,
    });
    const context = agentContext(workflow, state, writer, {}, game.now);
    expect(context).toMatchObject({
      can_complete: false,
      missing_criteria: [{ type: 'attempt', opens_at: '2026-03-01T12:01:10.000Z' }],
      not_before: '2026-03-01T12:01:10.000Z',
    });
    expect(agentContext(workflow, state, writer, {}, '2026-03-01T12:01:10.000Z').can_complete).toBe(true);
  });

  it('has no name in a strict workflow', () => {
    const { workflow, state } = generating('strict');
    expect(nextStep(workflow, state, NOON)).toMatchObject({ next_step: 2, next_step_name: null });
  });

  it('is the one on which work comes to rest, behind automatic steps', () => {
    const { workflow, state } = new Game(delivery);
    expect(nextStep(workflow, state, NOON)).toMatchObject({ next_step: 3, required_action: 'COMMIT_CODE' });
  });

  it('does not exist once the instance is cancelled', () => {
    const { workflow, state } = generating().send('cancel', { reason: 'No more.' });
    expect(nextStep(workflow, state, NOON)).toMatchObject({
      can_proceed: false,
      blocking_reason: 'The instance was cancelled: No more.',
      next_step: null,
    });
  });
});

describe('prerequisites', () => {
  it('are answered all the way up, with a sentence for each that is missing', () => {
    const game = generating().done().done().done();
    expect(prerequisitesOf(game, 4)).toEqual({
      prerequisites_met: false,
      required_steps: [1, 2, 3],
      completed_steps: [1, 2],
      missing_steps: [3],
      can_start_step: false,
      blocking_issues: ['Step 3 "Verification Plan" waits for a person\'s approval.'],
    });
    expect(prerequisitesOf(game, 'fast_check').blocking_issues).toEqual([
      'Step 3 "Verification Plan" waits for a person\'s approval.',
      'Step 4 "Generation" has not been started.',
    ]);
    game.send('approve', { approved: true }, boss);
    expect(prerequisitesOf(game, 4)).toEqual({
      prerequisites_met: true,
      required_steps: [1, 2, 3],
      completed_steps: [1, 2, 3],
      missing_steps: [],
      can_start_step: true,
      blocking_issues: [],
    });
  });

  it('of the entry are none', () => {
    expect(prerequisitesOf(generating(), 1)).toMatchObject({ required_steps: [], can_start_step: true });
  });
});
