// Long instances are not counted anew for each commit. Nobody can tell: the same again, without anything to
// remember it by, gives the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { artifactsOf } from '../../shared/engine/decide/artifacts.ts';
import { begin, decide, load, progressOf, readSignal, type State } from '../../shared/engine/index.ts';
import { human, NOON } from '../support/play.ts';
import type { Ground } from './properties/definitions.ts';
import { moves, walk } from './properties/walk.ts';

const SIDES = Array.from({ length: 40 }, (_, i) => `side${i + 1}`);

/** Forty side branches before the main line, so that its records are far down the list; ways back to each part. */
const long: Ground = {
  name: 'long',
  workflow: load({
    id: 'long',
    recovery: 'restart',
    roles: ['dev', 'lead'],
    states: [
      { id: 'hub', allowed_roles: ['dev'] },
      ...SIDES.map((id) => ({ id, allowed_roles: ['dev'] })),
      { id: 'make', allowed_roles: ['dev'] },
      { id: 'sign', allowed_roles: ['dev'], approval: { roles: ['lead'], allow_self: true } },
      { id: 'check', allowed_roles: ['lead'] },
      { id: 'done', terminal: true },
    ],
    transitions: [
      ...SIDES.map((id) => ({ from: 'hub', to: id, action: id.toUpperCase(), role_required: 'dev' })),
      ...SIDES.map((id) => ({ from: id, to: 'make', action: 'ok', role_required: 'dev' })),
      ...SIDES.map((id) => ({ from: id, to: 'hub', action: 'HOME', role_required: 'dev' })),
      { from: 'hub', to: 'make', action: 'ok', role_required: 'dev' },
      { from: 'make', to: 'sign', action: 'ok', role_required: 'dev' },
      { from: 'make', to: 'hub', action: 'HOME', role_required: 'dev', completes: false },
      { from: 'sign', to: 'check', action: 'ok', role_required: 'dev' },
      { from: 'check', to: 'done', action: 'ok', role_required: 'lead' },
      { from: 'check', to: 'make', action: 'REJECT', role_required: 'lead', completes: false },
      { from: 'check', to: 'hub', action: 'HOME', role_required: 'lead', completes: false },
    ],
  }),
  supply: { data: {}, evidence: {}, artifacts: { commit_sha: 'abc' } },
  facts: {},
  actions: ['SIDE1', 'SIDE20', 'SIDE40', 'HOME', 'REJECT'],
};
const { workflow } = long;

/** As it comes from the store: nothing about it is remembered. */
const unknown = (state: State): State => structuredClone(state);

describe('the tally of a long instance', () => {
  it('Y1: whatever was said, progress and decisions are those of an instance never seen before', () => {
    let far = 0;
    let ends = 0;
    fc.assert(
      fc.property(moves, (script) => {
        for (const { before, signal, actor, facts, now, decision, after } of walk(long, script).said) {
          expect(decision).toEqual(decide(workflow, unknown(before), signal, actor, facts, now));
          expect(progressOf(workflow, after)).toEqual(progressOf(workflow, unknown(after)));
          if (after.steps.length > 40) far++;
          if (after.status === 'completed') ends++;
        }
      }),
      { numRuns: 200 },
    );
    expect(far).toBeGreaterThan(500);
    expect(ends).toBeGreaterThan(0);
  });

  it('lists what is done in the order of the definition, however it was reached', () => {
    const dev = human('d', 'dev');
    let { state } = begin(workflow, { instance_id: 'i', workflow_id: 'long' }, dev, NOON);
    const seen: (readonly string[])[] = [];
    for (const action of ['SIDE40', 'complete_step', 'HOME', 'SIDE20', 'complete_step', 'complete_step']) {
      const artifacts = { [`from_${state.current_step}`]: state.seq };
      const decision = decide(workflow, state, readSignal('signal', { action, artifacts }), dev, {}, NOON);
      if (decision.kind !== 'commit') throw new Error(`${action} was refused`);
      state = decision.state;
      seen.push(progressOf(workflow, state).completed_steps);
      expect(artifactsOf(state)).toEqual(artifactsOf(unknown(state)));
    }
    expect(seen).toEqual([
      ['hub'],
      ['hub', 'side40'],
      [],
      ['hub'],
      ['hub', 'side20'],
      ['hub', 'side20', 'make'],
    ]);
    expect(Object.keys(artifactsOf(state))).toEqual(['from_hub', 'from_side20', 'from_make']);
  });

  it('Y2: what one definition makes of the records says nothing about another', () => {
    const dev = human('d', 'dev');
    const { state } = begin(workflow, { instance_id: 'i', workflow_id: 'long' }, dev, NOON);
    const next = decide(workflow, state, readSignal('signal', { action: 'SIDE40' }), dev, {}, NOON);
    if (next.kind !== 'commit') throw new Error('was refused');
    expect(progressOf(workflow, next.state)).toMatchObject({ completed: 1, completed_steps: ['hub'] });
    const other = { ...workflow, milestones: [], is_milestone: workflow.steps.map(() => false) };
    expect(progressOf(other, next.state)).toMatchObject({ completed: 0, total: 0, completed_steps: ['hub'] });
    expect(progressOf(workflow, next.state)).toMatchObject({ completed: 1 });
  });
});
