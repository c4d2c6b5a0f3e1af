// The criteria there are, through the engine; and those that come from outside.
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import { defineChecker, MET, unmet } from '../../../shared/engine/criteria/checker.ts';
import type { DecisionFunction } from '../../../shared/engine/handlers/decision-function.ts';
import type { EvidenceField } from '../../../shared/engine/model/evidence.ts';
import type { Json } from '../../../shared/engine/model/json.ts';
import { steps } from '../../support/definitions.ts';
import { play, unmarked } from '../../support/play.ts';

describe('evidence', () => {
  it.each<[string, EvidenceField, Json | undefined, string | null]>([
    ['absent', { type: 'integer' }, undefined, 'required: integer'],
    ['null', { type: 'string' }, null, 'required: string'],
    [
      'absent, with a description',
      { type: 'list', description: 'all of them' },
      undefined,
      'required: all of them',
    ],
    ['absent, but optional', { type: 'integer', required: false }, undefined, null],
    [
      'wrong, though optional',
      { type: 'integer', required: false },
      'x',
      'wrong type: expected integer, got string',
    ],
    ['a fraction for an integer', { type: 'integer' }, 1.5, 'wrong type: expected integer, got number'],
    ['a fraction for a number', { type: 'number' }, 1.5, null],
    ['text for a boolean', { type: 'boolean' }, 'true', 'wrong type: expected boolean, got string'],
    ['false is an answer', { type: 'boolean' }, false, null],
    ['zero is an answer', { type: 'integer' }, 0, null],
    ['a list for an object', { type: 'object' }, [], 'wrong type: expected object, got list'],
    ['an object for a list', { type: 'list' }, {}, 'wrong type: expected list, got object'],
    ['below the minimum', { type: 'integer', min: 1 }, 0, 'validation failed: must be at least 1'],
    ['at the minimum', { type: 'integer', min: 1 }, 1, null],
    ['above the maximum', { type: 'number', max: 1 }, 1.01, 'validation failed: must be at most 1'],
    ['not above', { type: 'integer', above: 0 }, 0, 'validation failed: must be greater than 0'],
    [
      'zero where it must not be',
      { type: 'integer', not_zero: true },
      0,
      'validation failed: must not be zero',
    ],
    ['blank text', { type: 'string', min_length: 1 }, '  ', 'validation failed: must not be empty'],
    [
      'too few entries',
      { type: 'list', min_length: 2 },
      [1],
      'validation failed: must have at least 2 entries',
    ],
    [
      'too long',
      { type: 'string', max_length: 2 },
      'abc',
      'validation failed: must have at most 2 characters',
    ],
    [
      'without what it must contain',
      { type: 'string', contains: ['ok'] },
      'no',
      'validation failed: must contain "ok"',
    ],
    [
      'not one of the choices',
      { type: 'string', choices: ['a', 'b'] },
      'c',
      'validation failed: must be one of a, b',
    ],
    ['several of the choices', { type: 'list', choices: ['a', 'b'] }, ['b', 'a'], null],
    [
      'an item that is none of the choices',
      { type: 'list', choices: ['a', 'b'] },
      ['a', 'c'],
      'validation failed: must hold only a, b',
    ],
  ])('%s', (_, field, value, wrong) => {
    const game = play(steps({ id: 'a', evidence: { n: field } }));
    game.done(value === undefined ? {} : { evidence: { n: value } });
    expect(game.outcome).toBe(wrong === null ? 'completed' : 'blocked');
    expect(game.missing.map(({ reason }) => reason)).toEqual(wrong === null ? [] : [`n (${wrong})`]);
  });
});

describe('outputs', () => {
  it.each<[string, Json, string]>([
    ['null', null, 'blocked'],
    ['empty text', '', 'blocked'],
    ['zero', 0, 'completed'],
    ['false', false, 'completed'],
    ['an empty list', [], 'completed'],
  ])('%s is %s', (_, x, outcome) => {
    expect(play(steps({ id: 'a', outputs: ['x'] })).done({ artifacts: { x } }).outcome).toBe(outcome);
  });

  it('of an earlier step do not count as one’s own', () => {
    const game = play(steps({ id: 'a' }, { id: 'b', outputs: ['x'] })).done({ artifacts: { x: 1 } });
    expect(game.done().outcome).toBe('blocked');
  });
});

describe('guard', () => {
  it('may say in its own words what is missing', () => {
    const game = play(
      steps({ id: 'a', criteria: [{ type: 'guard', expression: 'data.n > 2', message: 'Count higher.' }] }),
    );
    expect(game.done({ data: { n: 2 } }).missing).toMatchObject([{ type: 'guard', reason: 'Count higher.' }]);
    expect(game.done({ data: { n: 3 } }).outcome).toBe('completed');
  });
});

describe('the quality gate', () => {
  const gate = steps(
    { id: 'review', criteria: ['qr_gate'], next: { ok: null, fail: 'revise' } },
    { id: 'revise', required: false, next: 'review' },
  );
  const visit = (number: number) => {
    const game = play(gate);
    for (let i = 1; i < number; i++) game.done({ evidence: { findings: [{ severity: 'MUST' }] } }).done();
    expect(game.record('review').visits).toBe(number);
    return game;
  };

  it.each<[number, string, string]>(
    [1, 2, 3, 4, 5, 6].flatMap((number) => [
      [number, 'MUST', 'revise'],
      [number, 'SHOULD', number < 5 ? 'revise' : 'passes'],
      [number, 'COULD', number < 3 ? 'revise' : 'passes'],
      [number, 'could', number < 3 ? 'revise' : 'passes'],
      [number, 'UNHEARD_OF', 'revise'],
    ]),
  )('visit %i, %s: %s', (number, severity, result) => {
    const game = visit(number).done({ evidence: { findings: [{ severity }] } });
    expect(game.state.status === 'completed' ? 'passes' : game.state.current_step).toBe(result);
  });

  it.each<[string, Json | undefined]>([
    ['no findings at all', undefined],
    ['findings that are no list', 'none'],
    ['a finding without a severity', [{ text: 'x' }]],
  ])('%s block', (_, findings) => {
    const game = play(gate).done(findings === undefined ? {} : { evidence: { findings } });
    expect(game.missing).toMatchObject([{ type: 'qr_gate', field: 'findings' }]);
  });

  it('an empty list passes, and blocking findings are handed on as feedback', () => {
    expect(play(gate).done({ evidence: { findings: [] } }).outcome).toBe('completed');
    const game = play(gate).done({ evidence: { findings: [{ severity: 'MUST' }] } });
    expect(game.state.feedback).toBe('Review 1: 1 blocking findings (MUST).');
  });
});

describe('a criterion from outside', () => {
  const weekday = defineChecker({
    type: 'weekday',
    params: z.strictObject({ day: z.string() }),
    needs: ({ day }) => [{ kind: 'custom', name: day }],
    check: ({ facts }, { day }) =>
      facts.custom?.['today'] === day ? MET : unmet(`Come back on ${day}.`, { day }),
  });
  const source = { id: 'w', steps: [{ id: 'a', criteria: [{ type: 'weekday', day: 'Monday' }] }] };

  it('needs no change to the engine', () => {
    const game = play(load(source, { checkers: [weekday] }))
      .knowing({ custom: { today: 'Sunday' } })
      .done();
    expect(game.missing).toEqual([{ type: 'weekday', reason: 'Come back on Monday.', day: 'Monday' }]);
    expect(game.knowing({ custom: { today: 'Monday' } }).done().outcome).toBe('completed');
  });

  it('has its parameters checked when the definition is loaded', () => {
    const wrong = { id: 'w', steps: [{ id: 'a', criteria: [{ type: 'weekday', day: 7 }] }] };
    expect(() => load(wrong, { checkers: [weekday] })).toThrow('The criterion weekday of "a" does not fit');
    expect(() => load(source)).toThrow('unknown type "weekday"');
  });

  it('that throws is noted and counts as not met', () => {
    const broken = defineChecker({
      type: 'broken',
      params: z.strictObject({}),
      check: () => {
        throw new Error('out of order');
      },
    });
    const workflow = load({ id: 'w', steps: [{ id: 'a', criteria: ['broken'] }] }, { checkers: [broken] });
    const game = play(workflow).done();
    expect(game.outcome).toBe('blocked');
    expect(game.missing).toMatchObject([{ type: 'broken' }]);
    expect(game.missing[0]?.reason).not.toContain('out of order');
    expect(unmarked(game.state)).toEqual(unmarked(game.before));
    expect(game.decision).toMatchObject({
      notes: [{ level: 'error', message: 'The checker broken of step "a" threw: out of order' }],
    });
  });
});

describe('a decision function from outside', () => {
  const workflowWith = (run: DecisionFunction) =>
    load(
      {
        id: 'w',
        params: { limit: { type: 'integer', default: 2 } },
        steps: [
          {
            id: 'a',
            agents: ['bot'],
            handler: { function: 'count' },
            next: { ok: null, iterate: 'a', fail: 'mend' },
          },
          { id: 'mend', required: false, next: 'a' },
        ],
      },
      { functions: { count: run } },
    );

  it('decides the outcome and keeps its state', () => {
    const workflow = workflowWith(({ step_state, workflow_params, data }) => {
      const sum = Number(step_state['sum'] ?? 0) + Number(data['n']);
      return [sum >= Number(workflow_params['limit']) ? 'ok' : 'iterate', { sum }];
    });
    const game = play(workflow).done({ data: { n: 1 } });
    expect([game.outcome, game.record().state, game.record().visits]).toEqual([
      'advanced',
      { iteration: 1, sum: 1 },
      2,
    ]);
    expect(game.done({ data: { n: 1 } }).outcome).toBe('completed');
  });

  it('that throws is noted and fails the step', () => {
    const game = play(
      workflowWith(() => {
        throw new Error('no idea');
      }),
    ).done();
    expect(game.state.current_step).toBe('mend');
    expect(game.decision).toMatchObject({ notes: [{ level: 'error' }] });
  });

  it('is missed when the definition is loaded without it', () => {
    const source = { id: 'w', steps: [{ id: 'a', handler: { function: 'count' } }] };
    expect(() => load(source)).toThrow('not registered');
  });
});

describe('confidence', () => {
  const workflow = steps({
    id: 'a',
    agents: ['bot'],
    handler: { function: 'confidence' },
    next: { ok: null, iterate: 'a' },
  });

  it('iterates until the agent is certain', () => {
    const game = play(workflow).done({ data: { confidence: 'low' } });
    expect(game.record().state).toEqual({ iteration: 2, confidence: 'low' });
    game.done({ data: { confidence: 'certain' } });
    expect([game.outcome, game.record('a').state]).toEqual([
      'completed',
      { iteration: 2, confidence: 'certain' },
    ]);
  });

  it('is capped at the fifth iteration', () => {
    const game = play(workflow);
    for (let i = 0; i < 4; i++) expect(game.done({ data: { confidence: 'low' } }).outcome).toBe('advanced');
    game.done({ data: { confidence: 'low' } });
    expect([game.outcome, game.record('a').state]).toEqual([
      'completed',
      { iteration: 5, confidence: 'capped' },
    ]);
  });
});
