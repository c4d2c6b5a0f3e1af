import { describe, expect, it } from 'vitest';
import { walk } from '../../shared/exhaustive/walk.ts';
import { DELIVERY, workflowOf } from './files.ts';

const rowsOf = (yaml: string) =>
  Object.fromEntries(
    walk(workflowOf(yaml)).coverage.map(({ step, on, status }) => [`${step} ${on}`, status]),
  );

describe('the exhaustive walk', () => {
  it('takes every transition of a delivery, each by its role alone', () => {
    const report = walk(workflowOf(DELIVERY));
    expect(report).toMatchObject({ ok: true, combinations: 1, failures: [], skipped: [] });
    expect(report.coverage.every(({ taken, refused }) => taken > 0 && refused > 0)).toBe(true);
    const counts = Object.fromEntries(report.cases.map(({ id, counts: found }) => [id, found]));
    expect(counts['inline-testing-PASS-qa-none']).toMatchObject({ refused: 0 });
    expect(counts['inline-testing-PASS-qa-none']?.taken).toBeGreaterThan(0);
    for (const other of ['developer', 'owner', 'stranger'])
      expect(counts[`inline-testing-PASS-${other}-none`]).toMatchObject({ taken: 0, blocked: 0, held: 0 });
  });

  it('gives the same report each time, with a unique id per case', () => {
    const report = walk(workflowOf(DELIVERY));
    expect(walk(workflowOf(DELIVERY))).toEqual(report);
    expect(new Set(report.cases.map(({ id }) => id)).size).toBe(report.cases.length);
  });

  it('meets evidence, outputs, widgets, memory, reviews, teams and approvals', () => {
    const report = walk(
      workflowOf(`
roles: [lead]
artifacts: [folder]
steps:
  - {id: widget, agent: w, criteria: [{type: widget_completed, widget_type: list_input, min_items: 3}]}
  - {id: memory, agent: w, criteria: [{type: memory_check, min_facts: 5000, category: goals}]}
  - id: proof
    agent: w
    outputs: [plan]
    evidence:
      count: {type: integer, above: 3, max: 5}
      share: {type: number, min: 0.5, max: 0.6}
      text: {type: string, min_length: 30, contains: [needle]}
      names: {type: list, min_length: 2, contains: [one]}
      kind: {type: string, choices: [a, b]}
      done: {type: boolean}
      notes: {type: object, required: false}
  - {id: review, agent: w, criteria: [qr_gate], next: {ok: team, fail: proof}}
  - {id: team, agent: boss, agents: [t1, t2, t3], parallel: true}
  - {id: relay, agents: [r1, r2], parallel: false}
  - {id: person, human: true, agent: w}
  - {id: variant, agent: w, approval: {type: select_variant, variants: [A, B], roles: [lead]}}
  - {id: tries, agent: w, attempts: {max: 3, backoff_seconds: 10}, deadline: 30}
  - {id: extra, agent: w, required: false}
`),
    );
    expect(report.failures).toEqual([]);
    expect(report.coverage.filter(({ status }) => status !== 'taken')).toEqual([]);
    expect(report.completed).toBeGreaterThan(0);
    const approving = report.cases.filter(({ id }) => /-variant-approve-/.test(id));
    expect(approving.map(({ id, counts }) => [id.split('-approve-')[1], counts.taken > 0])).toEqual([
      ['approver-none', true],
      ['agent-approver-none', false],
      ['stranger-none', false],
    ]);
  });

  it('tells iterations apart at iterating steps only, up to the last', () => {
    const { cases, ok } = walk(
      workflowOf(
        'steps: [{id: think, agent: w, handler: {function: confidence}, next: {ok: tell, iterate: think}}, {id: tell, agent: w}]',
      ),
    );
    expect(ok).toBe(true);
    const ids = cases.map(({ id }) => id).filter((id) => /-(ok|iterate)-w-/.test(id));
    expect(ids.filter((id) => id.includes('-think-ok-'))).toEqual(
      [1, 2, 3, 4, 5].map((n) => `inline-think-ok-w-none-iteration${n}`),
    );
    expect(ids.filter((id) => id.includes('-tell-'))).toEqual(['inline-tell-ok-w-none']);
  });

  it('finds what automatic steps look at, in parameters and in what came before', () => {
    expect(
      rowsOf(`
params: {mode: {choices: [quick, deep]}}
steps:
  - {id: draft, agent: w, outputs: [size]}
  - {id: sizing, required: false, handler: {decide: 'artifacts.size == "long" ? "fail" : "ok"'}, next: {ok: mode, fail: cut, skip: mode}}
  - {id: cut, agent: w, required: false, next: mode}
  - {id: mode, required: false, handler: {decide: 'params.mode == "quick" ? "skip" : "ok"'}, next: {ok: deep, skip: last}}
  - {id: deep, agent: w, required: false}
  - {id: last, agent: w}
`),
    ).toEqual({
      'draft ok': 'taken',
      'sizing ok': 'taken',
      'sizing fail': 'taken',
      'sizing skip': 'skipped',
      'cut ok': 'taken',
      'cut skip': 'taken',
      'mode ok': 'taken',
      'mode skip': 'taken',
      'deep ok': 'taken',
      'deep skip': 'taken',
      'last ok': 'taken',
    });
  });

  it('lists a way it cannot open as skipped, with what lies behind it', () => {
    const report = walk(
      workflowOf(`
steps:
  - {id: a, agent: w, next: {ok: end}, transitions: [{on: SIDE, to: b, guard: 'data.x > 5 && data.x < 4'}]}
  - {id: b, required: false, agent: w, next: {ok: a}}
`),
    );
    expect(report.ok).toBe(true);
    expect(report.coverage.map(({ step, on, status, reason }) => [step, on, status, reason])).toEqual([
      ['a', 'ok', 'taken', null],
      ['a', 'SIDE', 'skipped', 'no values were found for `data.x > 5 && data.x < 4`'],
      ['b', 'ok', 'skipped', 'every way to its step was skipped'],
      ['b', 'skip', 'skipped', 'every way to its step was skipped'],
    ]);
  });

  it('says when a limit cut it short', () => {
    const report = walk(workflowOf(DELIVERY), { maxSituations: 3 });
    expect(report.skipped).toEqual(['Situations beyond 3 with none: that is the limit.']);
    expect(report.coverage.some(({ reason }) => reason === 'the limit of situations was reached first')).toBe(
      true,
    );
  });
});
