import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '../../../shared/engine/model/facts.ts';
import { agentContext } from '../../../shared/engine/views/agent-context.ts';
import { agentPrompt } from '../../../shared/engine/views/prompt.ts';
import { answerOf } from '../../../shared/engine/views/answer.ts';
import { definitionView } from '../../../shared/engine/views/definition-view.ts';
import { instanceDetails } from '../../../shared/engine/views/details.ts';
import { frontendOf } from '../../../shared/engine/views/frontend.ts';
import { metrics } from '../../../shared/engine/views/metrics.ts';
import { nextStep, prerequisites, workflowStatus } from '../../../shared/engine/views/next-step.ts';
import { phaseArtifacts } from '../../../shared/engine/views/phase-artifacts.ts';
import { stepContent } from '../../../shared/engine/views/step-content.ts';
import type { Actor } from '../../../shared/engine/model/actor.ts';
import { boss, type Game, generating, olga, robotAdmin, writer } from './sample.ts';

const everyView = (game: Game, actor: Actor): Record<string, unknown> => {
  const { workflow, state, commits } = game;
  const context = agentContext(workflow, state, actor, NO_FACTS, game.now);
  return {
    details: instanceDetails(workflow, state, actor),
    context,
    prompt: agentPrompt(context),
    definition: definitionView(workflow, actor),
    answer: answerOf(workflow, state, { result: 'stayed', previous_step: null }),
    frontend: frontendOf(workflow, state),
    metrics: metrics(workflow, commits),
    next: nextStep(workflow, state, game.now),
    status: workflowStatus(workflow, state),
    artifacts: phaseArtifacts(workflow, state),
    prerequisites: workflow.steps.map((step) => prerequisites(workflow, state, step)),
    contents: workflow.steps.map((step) => stepContent(workflow, state, actor, step.id)),
  };
};

const LOCKED = ['blueprint', 'plan', 'generate', 'fast_check', 'validation', 'output'];
const TITLES = ['Blueprint Validation', 'Verification Plan', 'Fast Check', 'Full Validation', 'Final Output'];

describe('a locked step gives nothing away (V2, G1)', () => {
  for (const visibility of ['open', 'strict'] as const) {
    for (const actor of [olga, writer, robotAdmin]) {
      it(`on any view of a ${visibility} workflow for ${actor.sub}`, () => {
        for (const [name, view] of Object.entries(everyView(generating(visibility), actor))) {
          const text = `${name}: ${JSON.stringify(view)}`;
          for (const id of LOCKED) {
            expect(text).not.toMatch(new RegExp(`SECRET [a-z]+ of ${id}`));
            expect(text).not.toContain(`secret_field_${id}`);
          }
          for (const title of visibility === 'strict' ? TITLES : []) expect(text).not.toContain(title);
        }
      });
    }
  }

  it('but the current step is told, and a person who is an admin sees all', () => {
    const game = generating('strict');
    expect(JSON.stringify(everyView(game, olga))).toContain('SECRET content of file_check');
    const all = JSON.stringify(everyView(game, boss));
    for (const id of LOCKED) expect(all).toContain(`SECRET content of ${id}`);
    for (const title of TITLES) expect(all).toContain(title);
  });

  it('and a step undone by a way back locks again', () => {
    const game = generating().done().done();
    game.done().send('approve', { approved: true }, boss).done();
    expect(stepContent(game.workflow, game.state, olga, 'fast_check').kind).toBe('content');
    game.done({ outcome: 'fail' });
    expect(game.state.current_step).toBe('generate');
    expect(stepContent(game.workflow, game.state, olga, 'fast_check').kind).toBe('violation');
  });
});
