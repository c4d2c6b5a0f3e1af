import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import { instanceDetails } from '../../../shared/engine/views/details.ts';
import { boss, Game, generating, olga } from './sample.ts';

describe('the details of an instance', () => {
  it('tell where it is, what was done and who is to act', () => {
    const game = generating().done({ data: { size: 3 }, artifacts: { blueprint_path: 'a.md' } });
    const details = instanceDetails(game.workflow, game.state, olga);
    expect(details).toMatchObject({
      instance_id: 'i-1',
      workflow_id: 'generation',
      version: 2,
      definition_version: game.workflow.version,
      status: 'in_progress',
      current_step: 'blueprint',
      current_step_name: 'Blueprint Validation',
      turn: 2,
      owner: 'olga',
      role_in_charge: 'validator',
      required_action: 'complete_step',
      allowed_actions: ['stay', 'need_input', 'complete_step'],
      artifacts: { blueprint_path: 'a.md' },
    });
    expect(details.progress).toMatchObject({ completed: 1, total: 7, percent: 14 });
    expect(details.context).toEqual({
      workflow_id: 'generation',
      current_step: 'blueprint',
      started_at: '2026-03-01T12:00:00.000Z',
      steps_completed: ['file_check'],
      step_data: {
        file_check: {
          size: 3,
          started_at: '2026-03-01T12:00:00.000Z',
          completed_at: '2026-03-01T12:00:10.000Z',
        },
        blueprint: { started_at: '2026-03-01T12:00:10.000Z' },
      },
      shared: {},
    });
    expect(details.steps[2]).toMatchObject({
      step: 3,
      id: 'plan',
      name: 'Verification Plan',
      started_at: null,
    });
  });

  it("carry the state schema's block field by field", () => {
    const game = generating().done().done().done();
    const details: Record<string, unknown> = instanceDetails(game.workflow, game.state, olga);
    expect(details).toMatchObject({
      approval: { type: 'approve', requested_by: 'olga', approved: false },
      role_in_charge: 'owner',
      required_action: 'approve',
      allowed_actions: [],
    });
    const pending = { status: 'pending', started_at: null, completed_at: null, artifacts: {} };
    expect(details.generation).toEqual({
      scene_id: '0204',
      current_step: 3,
      total_steps: 7,
      steps: [
        {
          step: 1,
          name: 'File Check',
          status: 'completed',
          started_at: '2026-03-01T12:00:00.000Z',
          completed_at: '2026-03-01T12:00:10.000Z',
          artifacts: {},
        },
        {
          step: 2,
          name: 'Blueprint Validation',
          status: 'completed',
          started_at: '2026-03-01T12:00:10.000Z',
          completed_at: '2026-03-01T12:00:20.000Z',
          artifacts: {},
        },
        {
          step: 3,
          name: 'Verification Plan',
          status: 'waiting_approval',
          started_at: '2026-03-01T12:00:20.000Z',
          completed_at: null,
          artifacts: {},
          human_approval: { required: true, approved: false, approved_at: null },
        },
        { step: 4, name: 'Generation', ...pending, attempts: { current: 0, max: 3, history: [] } },
        { step: 5, name: 'Fast Check', ...pending },
        { step: 6, name: 'Full Validation', ...pending },
        { step: 7, name: 'Final Output', ...pending },
      ],
      artifacts: {},
    });
  });

  it('speak of phases where the block does, with agents and the chosen variant', () => {
    const workflow = load({
      id: 'planning',
      params: { level: { type: 'choice', choices: ['scene', 'act'] }, act: { type: 'integer' } },
      state_block: { name: 'planning', unit: 'phase', include: { level: 'level', context: { act: 'act' } } },
      steps: [
        { id: 'scenarios', agents: ['a', 'b'], approval: { type: 'select_variant', variants: ['A', 'B'] } },
        { id: 'path', agents: ['c'] },
      ],
    });
    const game = new Game(workflow, { level: 'scene', act: 1 });
    game.send('signal', { action: 'complete_step', agent: 'a' }, olga);
    if (game.state.status !== 'waiting_approval')
      game.send('signal', { action: 'complete_step', agent: 'b' });
    game.send('approve', { approved: true, selected_variant: 'A' }, boss);
    const details: Record<string, unknown> = instanceDetails(workflow, game.state, olga);
    expect(details.planning).toMatchObject({
      level: 'scene',
      context: { act: 1 },
      current_phase: 2,
      total_phases: 2,
      phases: [
        {
          phase: 1,
          agents: ['a', 'b'],
          human_approval: { required: true, approved: true, selected_variant: 'A' },
        },
        { phase: 2, agents: ['c'], status: 'in_progress' },
      ],
    });
  });
});
