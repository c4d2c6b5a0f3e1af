import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../shared/engine/model/actor.ts';
import { NO_FACTS } from '../../../shared/engine/model/facts.ts';
import { agentContext } from '../../../shared/engine/views/agent-context.ts';
import { agentPrompt } from '../../../shared/engine/views/prompt.ts';
import { boss, delivery, Game, generating, olga, writer } from './sample.ts';

const contextOf = (game: Game, actor: Actor) =>
  agentContext(game.workflow, game.state, actor, NO_FACTS, game.now);
const developer: Actor = { sub: 'd1', kind: 'agent', roles: ['developer'] };
const architect: Actor = { sub: 'a1', kind: 'agent', roles: ['architect'] };

describe("an agent's context", () => {
  it('tells the developer what happens to the work, as the graph has it', () => {
    const context = contextOf(new Game(delivery), developer);
    expect(context).toMatchObject({
      current_step: 'implementing',
      role: 'developer',
      required_action: 'COMMIT_CODE',
      your_responsibilities: 'Implement the feature, then commit it.',
      next_validator: 'architect',
      can_complete: true,
      previous_feedback: null,
      turn: 1,
    });
    expect(context.coordination_protocol).toEqual([
      'Implement the feature, then commit it.',
      'When it is done, send COMMIT_CODE.',
      'Your work then goes to architect at step "pending_arch_review".',
      'They answer with APPROVE_DESIGN or REJECT_DESIGN.',
      'On REJECT_DESIGN it comes back from architect to you with feedback; go on with REVISE_CODE.',
      'On APPROVE_DESIGN the work goes on to qa at step "pending_qa".',
    ]);
  });

  it('tells the architect both answers, and the developer the feedback', () => {
    const game = new Game(delivery).send('signal', { action: 'COMMIT_CODE' }, developer);
    expect(contextOf(game, architect).coordination_protocol).toEqual([
      'Do the work of step "arch_reviewing".',
      'When it is done, send APPROVE_DESIGN.',
      'Instead you may send REJECT_DESIGN with feedback; the work goes to developer at step "arch_rejected".',
      'Your work then goes to qa at step "pending_qa".',
    ]);
    game.send('signal', { action: 'REJECT_DESIGN', feedback: 'Too coupled.' }, architect);
    const context = contextOf(game, developer);
    expect(context).toMatchObject({ required_action: 'REVISE_CODE', previous_feedback: 'Too coupled.' });
    expect(agentPrompt(context)).toContain('Previous Feedback:\nToo coupled.');
  });

  it('says what is missing before the step can be completed', () => {
    const context = contextOf(generating(), olga);
    expect(context.can_complete).toBe(false);
    expect(context.missing_criteria).toMatchObject([{ type: 'evidence' }]);
    const game = generating().send('signal', { action: 'stay', evidence: { secret_field_file_check: 3 } });
    expect(contextOf(game, olga)).toMatchObject({ can_complete: true, missing_criteria: [] });
  });

  it('does not count the approval, which comes afterwards', () => {
    const game = generating().done().done();
    game.send('signal', { action: 'stay', evidence: { secret_field_plan: 3 } });
    const context = contextOf(game, olga);
    expect(context.can_complete).toBe(true);
    expect(context.coordination_protocol.join(' ')).toContain('A person must then approve it');
  });

  it('hands on what a person decided at the checkpoints on the way, as the assignment does', () => {
    const game = generating().done().done().done();
    const modifications = { tone: 'darker' };
    game.send('approve', { approved: true, modifications, feedback: 'Short, please.' }, boss);
    const approvals = [
      {
        step: 'plan',
        by: 'boss',
        at: '2026-03-01T12:00:40.000Z',
        modifications,
        feedback: 'Short, please.',
      },
    ];
    const context = contextOf(game, writer);
    expect(context.approvals).toEqual(approvals);
    const assigned = game.commits
      .flatMap(({ events }) => events)
      .filter(({ type }) => type === 'workflow.task.assigned');
    expect(assigned.at(-1)?.data).toMatchObject({ step: 'generate', approvals });
    expect(agentPrompt(context)).toContain(
      'Approved:\n- plan, by boss; modifications: {"tone":"darker"}; they said: Short, please.',
    );
  });

  it('forgets a decision about work that is done again', () => {
    const game = generating().done().done().done().send('approve', { approved: true }, boss);
    expect(contextOf(game, writer).approvals).toHaveLength(1);
    game.send('cancel', {}).send('resume', { from_step: 'plan' });
    expect(contextOf(game, olga).approvals).toEqual([]);
  });

  it('carries the attempt with its emphasis and the failures before it', () => {
    const game = generating().done().done().done().send('approve', { approved: true }, boss).done();
    game.done({ outcome: 'fail', feedback: 'Off the plan.' });
    const context = contextOf(game, writer);
    expect(context).toMatchObject({
      role: 'writer',
      attempt: 2,
      max_attempts: 3,
      emphasis: 'Keep to the plan, really.',
      failures: [{ attempt: 1, result: 'failed' }],
    });
    expect(agentPrompt(context)).toContain(
      'This is attempt 2 of 3.\nKeep to the plan, really.\n- Attempt 1 failed',
    );
    expect(agentPrompt(context)).toContain(
      'Previous Feedback:\nNone but what ended the earlier attempts, below.\n',
    );
  });

  it('says what the instance is about, and puts it into the prompt', () => {
    const context = contextOf(generating(), olga);
    expect(context).toMatchObject({ params: { scene_id: '0204' }, subject: null });
    expect(agentPrompt(context)).toContain('Parameters:\n- scene_id: "0204"\n');
  });

  it('puts into the prompt what there is to work with: artifacts and what the step has saved, in bounds', () => {
    const game = generating().done({ artifacts: { blueprint_path: 'b.md', long: 'x'.repeat(5_000) } });
    game.send('signal', { action: 'stay', data: { draft: ['one'], shared: { tone: 'dark' } } });
    const prompt = agentPrompt(contextOf(game, olga));
    expect(prompt).toContain('- blueprint_path: "b.md"\n');
    expect(prompt).toMatch(/- long: "x{1,2000}… \(5002 characters in all\)\n/);
    expect(prompt).toContain('Saved in This Step:\n- draft: ["one"]\n');
    expect(prompt).toContain('Shared:\n- tone: "dark"\n');
  });

  it('hands over what was deferred to the step', () => {
    const game = generating().send('defer', { text: 'Use blue ink.', step: 'blueprint' }).done();
    expect(contextOf(game, olga).deferred).toMatchObject([{ text: 'Use blue ink.' }]);
    expect(agentPrompt(contextOf(game, olga))).toContain('- Use blue ink. (said during "file_check")');
  });

  it('ends when the instance does', () => {
    const game = generating().send('cancel', { reason: 'x' });
    expect(contextOf(game, olga)).toMatchObject({ can_complete: false, next_validator: null });
  });

  it('reads as a prompt', () => {
    expect(agentPrompt(contextOf(new Game(delivery), developer))).toBe(`WORKFLOW CONTEXT

Your Role in Workflow:
- You act as: developer
- Your work goes next to: architect
- Current State: implementing, in_progress
- Required Action: COMMIT_CODE
- Turn: 1

Coordination Protocol:
1. Implement the feature, then commit it.
2. When it is done, send COMMIT_CODE.
3. Your work then goes to architect at step "pending_arch_review".
4. They answer with APPROVE_DESIGN or REJECT_DESIGN.
5. On REJECT_DESIGN it comes back from architect to you with feedback; go on with REVISE_CODE.
6. On APPROVE_DESIGN the work goes on to qa at step "pending_qa".

Previous Feedback:
None: this is the first time.
`);
  });
});
