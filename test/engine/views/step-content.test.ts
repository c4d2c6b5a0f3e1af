import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import { phaseArtifacts } from '../../../shared/engine/views/phase-artifacts.ts';
import { stepContent } from '../../../shared/engine/views/step-content.ts';
import { definitionView } from '../../../shared/engine/views/definition-view.ts';
import { evidenceFormat } from '../../../shared/engine/views/step-parts.ts';
import { whatIsWrong } from '../../../shared/engine/criteria/evidence.ts';
import { agentContext } from '../../../shared/engine/views/agent-context.ts';
import { instanceDetails } from '../../../shared/engine/views/details.ts';
import { boss, Game, generating, olga } from './sample.ts';

describe('reading a step', () => {
  it('gives the content of the current one with what came before', () => {
    const game = generating().done();
    expect(stepContent(game.workflow, game.state, olga, 2)).toMatchObject({
      kind: 'content',
      content: {
        phase_number: 2,
        id: 'blueprint',
        title: 'Blueprint Validation',
        phase_content: 'SECRET content of blueprint',
        instructions: 'SECRET instructions of blueprint',
        actions: ['SECRET action of blueprint'],
        evidence_format: { secret_field_blueprint: { type: 'integer', required: true, example: 2 } },
        artifacts_from_previous: { 1: { secret_field_file_check: 3 } },
        next_command:
          'POST /api/workflows/i-1/signal {"action":"complete_step","step":"blueprint","evidence":{}}',
      },
    });
  });

  it('gives a completed one for review, without a next command', () => {
    const game = generating().done();
    expect(stepContent(game.workflow, game.state, olga, 'file_check')).toMatchObject({
      kind: 'content',
      content: { status: 'completed', artifacts_from_previous: {}, next_command: null },
    });
  });

  it('refuses a locked one and gives the current one instead', () => {
    const game = generating().done();
    expect(stepContent(game.workflow, game.state, olga, 'generate')).toMatchObject({
      kind: 'violation',
      violation: {
        error: 'phase_sequence_violation',
        message: 'Cannot access Step 4 (generate): complete Step 2 (blueprint) first.',
        reason: 'Currently on Step 2, "Blueprint Validation".',
        required_action: 'Complete Step 2 checkpoint first: meet what it asks for and send complete_step.',
        violation_type: 'attempted_skip',
        current_phase_content: { id: 'blueprint', phase_content: 'SECRET content of blueprint' },
        artifacts_available: { 1: { secret_field_file_check: 3 } },
        progress: { completed: [1], current: 2, total: 7 },
      },
    });
    expect(stepContent(game.workflow, game.state, boss, 'generate').kind).toBe('content');
  });

  it.each(['nowhere', 0, 99, '99'])('refuses the unknown step %s', (name) => {
    const game = generating();
    expect(stepContent(game.workflow, game.state, olga, name)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'not_found' },
    });
  });
});

describe('what phases leave behind', () => {
  it('is their evidence, outputs, commands and the time', () => {
    const game = generating().done({
      evidence: { secret_field_file_check: 4, commands_run: ['ls', 'cat'], ast_command_output: 'def' },
      artifacts: { report: 'r.md' },
    });
    const { phase_artifacts, checkpoints } = phaseArtifacts(game.workflow, game.state);
    expect(checkpoints).toEqual({ 1: 'passed' });
    expect(phase_artifacts[1]).toMatchObject({
      outputs: { secret_field_file_check: 4, report: 'r.md' },
      commands_executed: ['ls', 'cat', 'def'],
      timestamp: '2026-03-01T12:00:10.000Z',
    });
  });
});

describe('evidence of a completed phase', () => {
  const workflow = load({
    id: 'phases',
    steps: [
      { id: 'count', agent: 'a', evidence: { n_count: { type: 'integer' } } },
      { id: 'use', agent: 'a', criteria: [{ type: 'guard', expression: 'artifacts.n_count > 3' }] },
      { id: 'end', agent: 'a' },
    ],
  });

  it('is an artifact of the later phases: in guards, in the context, in the details', () => {
    const game = new Game(workflow).done({ evidence: { n_count: 5 } });
    expect(agentContext(workflow, game.state, olga, {}, game.now).artifacts).toEqual({ n_count: 5 });
    expect(instanceDetails(workflow, game.state, olga)).toMatchObject({
      artifacts: { n_count: 5 },
      phase_artifacts: { 1: { evidence: { n_count: 5 }, outputs: { n_count: 5 } } },
      checkpoints: { 1: 'passed' },
    });
    expect(game.done({ evidence: {} }).state.current_step).toBe('end');
  });

  it('is none while the phase is still open', () => {
    const game = new Game(workflow).send('signal', { action: 'stay', evidence: { n_count: 5 } });
    expect(agentContext(workflow, game.state, olga, {}, game.now).artifacts).toEqual({});
    expect(instanceDetails(workflow, game.state, olga)).toMatchObject({
      phase_artifacts: {},
      checkpoints: {},
    });
  });
});

describe('an example of evidence', () => {
  const evidence = {
    count: { type: 'integer', above: 4 },
    share: { type: 'number', above: 0, max: 0.5 },
    low: { type: 'integer', max: -2 },
    text: { type: 'string', min_length: 30, contains: ['def', 'class'] },
    kind: { type: 'string', choices: ['unit', 'path'] },
    names: { type: 'list', min_length: 3 },
    kinds: { type: 'list', min_length: 2, choices: ['unit', 'path'] },
    flag: { type: 'boolean' },
    more: { type: 'object' },
  };
  const workflow = load({ id: 'w', steps: [{ id: 'a', agent: 'x', evidence }] });
  const format = workflow.steps[0] ? evidenceFormat(workflow.steps[0]) : {};
  it.each(Object.entries(format))('of %s fits', (_name, field) => {
    expect(whatIsWrong(field, field.example)).toBeNull();
  });
});

describe('a definition', () => {
  it('shows its graph to all, its guards and source to admins', () => {
    const { workflow } = generating();
    const open = definitionView(workflow, olga);
    expect(open).not.toHaveProperty('source');
    expect(open.steps[4]?.transitions).toMatchObject([
      { on: 'ok', to: 'validation', guarded: false },
      { on: 'fail', to: 'generate' },
    ]);
    expect(definitionView(workflow, boss)).toHaveProperty('source');
  });
});
