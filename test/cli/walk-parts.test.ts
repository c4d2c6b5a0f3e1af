import { describe, expect, it } from 'vitest';
import { begin } from '../../shared/engine/decide/start.ts';
import { decide } from '../../shared/engine/decide/decide.ts';
import { callersOf, mayAct, OWNER } from '../../shared/exhaustive/actors.ts';
import { combinations } from '../../shared/exhaustive/combinations.ts';
import { brokenBy } from '../../shared/exhaustive/invariants.ts';
import { movesIn } from '../../shared/exhaustive/moves.ts';
import { STRAIGHT, workflowOf } from './files.ts';

const withParams = (params: string) => workflowOf(`{params: ${params}, steps: [{id: a, agent: w}]}`);

describe('parameter combinations', () => {
  it('are the product of the domains', () => {
    const workflow = withParams(
      '{n: {type: integer, min: 1, max: 3}, on: {type: boolean}, kind: {constant: x}, pick: {choices: [p, q]}}',
    );
    const { combinations: found, skipped } = combinations(workflow, 200);
    expect(found).toHaveLength(12);
    expect(new Set(found.map(({ label }) => label)).size).toBe(12);
    expect(found[0]).toEqual({
      label: 'n=1,on=true,kind=x,pick=p',
      params: { n: 1, on: true, kind: 'x', pick: 'p' },
    });
    expect(skipped).toEqual([]);
  });

  it('take the ends and the middle of wide ranges, and text both present and absent', () => {
    const { combinations: found, skipped } = combinations(
      withParams(
        '{n: {type: integer, min: 1, max: 100}, t: {type: text}, must: {type: text, required: true}}',
      ),
      200,
    );
    expect(found.map(({ label }) => label)).toEqual([
      'n=1,t=sample,must=sample',
      'n=50,t=sample,must=sample',
      'n=100,t=sample,must=sample',
      'n=1,must=sample',
      'n=50,must=sample',
      'n=100,must=sample',
    ]);
    expect(skipped).toHaveLength(3);
  });

  it('are capped, spread over the whole, and say what is left out', () => {
    const range = '{type: integer, min: 1, max: 20}';
    const { combinations: found, skipped } = combinations(
      withParams(`{a: ${range}, b: ${range}, c: ${range}}`),
      50,
    );
    expect(found).toHaveLength(50);
    expect(found.at(0)?.params).toEqual({ a: 1, b: 1, c: 1 });
    expect(found.at(-1)?.params).toEqual({ a: 20, b: 20, c: 20 });
    expect(skipped).toEqual(['7950 of 8000 parameter combinations: the limit is 50 (see --max).']);
  });
});

describe('the promises', () => {
  const workflow = workflowOf(STRAIGHT);
  const { state } = begin(
    workflow,
    { instance_id: 'i', workflow_id: workflow.id },
    OWNER.actor,
    '2026-01-01T00:00:00.000Z',
  );
  const moves = movesIn(workflow, state, callersOf(workflow));
  const move = moves.find(({ action, caller }) => action === 'ok' && caller === OWNER);
  if (!move) throw new Error('The owner can complete the first step.');
  const decision = decide(workflow, state, move.signal, OWNER.actor, {}, state.updated_at);
  if (decision.kind !== 'commit') throw new Error('The first step is completed.');

  it('hold of what the engine answers', () => {
    expect(brokenBy(workflow, state, move, decision)).toEqual([]);
  });

  it.each([
    ['a caller without the right', { ...move, may: false }, decision, 'has no right'],
    ['a wrong seq', move, { ...decision, state: { ...decision.state, seq: 9 } }, '"seq" went from'],
    ['an invalid state', move, { ...decision, state: { ...decision.state, turn: -1 } }, 'not valid'],
    ['a repeat', move, { kind: 'repeat' as const, seq: 1 }, 'repeat'],
    [
      'a step entered too early',
      move,
      { ...decision, state: { ...decision.state, steps: [null, decision.state.steps[1] ?? null] } },
      'was not left',
    ],
    [
      'a block that changes something',
      move,
      { ...decision, verdict: { ...decision.verdict, result: 'blocked' as const } },
      'A blocked signal changed',
    ],
    [
      'a refusal that changes something',
      move,
      {
        kind: 'refuse' as const,
        refusal: { code: 'role_not_allowed' as const, message: '' },
        record: { state: decision.state, events: [] },
        notes: [],
      },
      'A refusal changed',
    ],
  ])('notice %s', (_, sent, answer, sentence) => {
    expect(brokenBy(workflow, state, sent, answer).join(' ')).toContain(sentence);
  });

  it('notice a required step that was left out at the end', () => {
    const { claim: _, ...rest } = { claim: null, ...decision.state };
    const ended = { ...rest, status: 'completed' as const, completed_at: state.updated_at };
    expect(
      brokenBy(workflow, state, move, { ...decision, state: ended as typeof state }).join(' '),
    ).toContain('without its required step "second"');
  });

  it('read rights from the definition', () => {
    const names = (step: number) => {
      const at = workflow.steps[step];
      return callersOf(workflow).filter((caller) => at && mayAct(caller, at, at.transitions[0] ?? null));
    };
    expect(names(0).map(({ name }) => name)).toEqual(['writer', 'owner']);
    expect(names(1).map(({ name }) => name)).toEqual(['reader', 'owner']);
  });
});
