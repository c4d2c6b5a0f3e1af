// Whatever state a walk has led to, it can be forked and moved to a version that only reads differently.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decide,
  fork,
  type JsonObject,
  load,
  misfits,
  readSignal,
  replay,
  State,
  type Workflow,
} from '../../../shared/engine/index.ts';
import { type Ground, GROUNDS } from './definitions.ts';
import { moves, OWNER, walk } from './walk.ts';

const RUNS = 60;
const LATER = '2027-01-01T00:00:00.000Z';

/** Fails with the shortest script that leads to a state for which `holds` is false. */
const expectEveryState = (ground: Ground, holds: (state: State) => boolean): void =>
  fc.assert(
    fc.property(moves, (script) => walk(ground, script).commits.every(({ state }) => holds(state))),
    { numRuns: RUNS },
  );

const relabelled = ({ source, id }: Workflow): Workflow =>
  load({ ...(source as JsonObject), title: 'The same in other words' }, { name: id }); // definitions are objects

describe.each(GROUNDS)('any state of $name', (ground) => {
  const { workflow } = ground;

  it('F1: forks into a state that its own log recomputes', () => {
    expectEveryState(ground, (state) => {
      const { type, body } = readSignal('fork', {
        instance_id: 'i2',
        source: state.instance_id,
        at: state.seq,
        source_hash: 'hash',
        state,
      });
      const made = fork(workflow, body, OWNER, LATER);
      const signal = { type, body: body as JsonObject }; // as it was read
      const { state: forked, events, verdict } = made;
      const commit = { seq: 1, at: LATER, actor: OWNER, signal, facts: {}, state: forked, events, verdict };
      return State.safeParse(forked).success && replay(workflow, [commit]).ok;
    });
  });

  it('MG1: fits a version with the same steps, and is nowhere else for having moved', () => {
    const to = relabelled(workflow);
    expect(to.version).not.toBe(workflow.version);
    expectEveryState(ground, (state) => {
      if (misfits(workflow, to, state).length > 0) return false;
      const signal = readSignal('migrate', { to: to.version });
      const facts = { ...ground.facts, current_version: to.version };
      const decision = decide(workflow, state, signal, OWNER, facts, LATER, to);
      if (decision.kind !== 'commit') return state.status === 'completed';
      const still =
        decision.verdict.result !== 'stayed' || decision.state.current_step === state.current_step;
      return still && State.safeParse(decision.state).success && decision.state.definition === to.version;
    });
  });
});
