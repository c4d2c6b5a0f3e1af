import { describe, expect, it } from 'vitest';
import { answerOf } from '../../../shared/engine/views/answer.ts';
import { delivery, Game, generating } from './sample.ts';

describe('an answer', () => {
  const verdict = { result: 'advanced', previous_step: null } as const;
  it('names the agent, the role or the person who is next', () => {
    const game = generating();
    expect(answerOf(game.workflow, game.state, verdict)).toMatchObject({
      ...verdict,
      version: 1,
      current_step: 'file_check',
      next: { role: null, action: 'complete_step', agent: 'coordinator' },
    });
    const { workflow, state } = new Game(delivery);
    expect(answerOf(workflow, state, verdict).next).toEqual({
      role: 'developer',
      action: 'COMMIT_CODE',
      agent: null,
    });
    game.done().done().done();
    expect(answerOf(game.workflow, game.state, verdict).next?.action).toBe('approve');
  });

  it('names no one once the instance is finished', () => {
    const game = generating().send('cancel', { reason: 'x' });
    expect(answerOf(game.workflow, game.state, verdict)).not.toHaveProperty('next');
  });
});
