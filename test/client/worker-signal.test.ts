// What a handler may return, and what is said of what it may not.
import { describe, expect, it } from 'vitest';
import { readHandled } from '../../client/worker-signal.ts';

const question = { question: 'Which?', options: ['a', 'b'] };
const asks = (questions: unknown) => ({ workflow_signal: { action: 'need_input', questions } });

describe('what a handler returns', () => {
  it.each<[string, unknown, unknown]>([
    ['an action', { workflow_signal: { action: 'complete_step' } }, { action: 'complete_step' }],
    ['an action of its own', { workflow_signal: { action: 'COMMIT_CODE' } }, { action: 'COMMIT_CODE' }],
    ['no action, which is stay', { workflow_signal: {} }, {}],
    [
      'a reply beside it',
      { workflow_signal: { action: 'stay' }, reply: 'Hello' },
      { action: 'stay', reply: 'Hello' },
    ],
    ['an empty reply', { workflow_signal: { action: 'stay' }, reply: ' ' }, { action: 'stay' }],
    ['questions', asks([question]), { action: 'need_input', questions: [question] }],
    [
      'a widget',
      { workflow_signal: { action: 'need_input', widget_type: 'w' } },
      { action: 'need_input', widget_type: 'w' },
    ],
    [
      'data',
      { workflow_signal: { action: 'stay', data: { a: [1] }, artifacts: {}, evidence: {} } },
      { action: 'stay', data: { a: [1] }, artifacts: {}, evidence: {} },
    ],
  ])('is fine with %s', (_, returned, signal) => {
    expect(readHandled(returned)).toEqual({ signal });
  });

  it.each<[unknown, string]>([
    [undefined, 'nothing was returned'],
    [null, 'nothing was returned'],
    ['complete_step', 'nothing was returned'],
    [{}, 'there is no workflow_signal'],
    [{ action: 'complete_step' }, 'there is no workflow_signal'],
    [{ workflow_signal: 'complete_step' }, 'workflow_signal is not an object'],
    [{ workflow_signal: [] }, 'workflow_signal is not an object'],
    [{ workflow_signal: { action: 'do it' } }, '"do it" is not an action'],
    [{ workflow_signal: { action: 7 } }, 'action is not a text'],
    [{ workflow_signal: { actoin: 'stay' } }, 'actoin is not known'],
    [{ workflow_signal: { data: [] } }, 'data is not an object'],
    [{ workflow_signal: { feedback: {} } }, 'feedback is not a text'],
    [{ workflow_signal: { action: 'need_input' } }, 'need_input asks questions or names a widget_type'],
    [asks([]), 'questions are 1 to 3, each with a question and 2 or 3 options'],
    [
      asks([{ question: 'Which?', options: ['a'] }]),
      'questions are 1 to 3, each with a question and 2 or 3 options',
    ],
    [
      asks([question, question, question, question]),
      'questions are 1 to 3, each with a question and 2 or 3 options',
    ],
  ])('%j is a problem: %s', (returned, problem) => {
    expect(readHandled(returned)).toEqual({ problem });
  });

  it('what cannot be written is a problem', () => {
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    for (const data of [{ big: 1n }, circle])
      expect(readHandled({ workflow_signal: { action: 'stay', data } })).toEqual({
        problem: expect.stringContaining('workflow_signal is no JSON') as string,
      });
  });

  it('a reply is kept beside a problem', () => {
    expect(readHandled({ reply: 'Hello' })).toEqual({
      problem: 'there is no workflow_signal',
      reply: 'Hello',
    });
  });
});
