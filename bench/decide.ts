// decide() from the first step to the end, beside XState's pure transition on the same machine.
import { createMachine, initialTransition, transition } from 'xstate';
import {
  type Actor,
  begin,
  decide,
  NO_FACTS,
  readSignal,
  type State,
  type Workflow,
} from '../shared/engine/index.ts';
import type { Contender } from './measure.ts';
import { linear } from './workflows.ts';

const AT = '2026-01-01T00:00:00.000Z';
const WORKER: Actor = { sub: 'worker-1', kind: 'agent', roles: ['worker'] };
const DONE = readSignal('signal', { action: 'complete_step' });

export function stepgate(name: string, steps: number): Contender {
  const workflow = linear(steps);
  const start = begin(workflow, { instance_id: 'i', workflow_id: workflow.id, owner: 'o' }, WORKER, AT).state;
  return { name, run: () => walk(workflow, start) };
}

function walk(workflow: Workflow, start: State): number {
  let state = start;
  let signals = 0;
  while (state.status === 'in_progress') {
    const decision = decide(workflow, state, DONE, WORKER, NO_FACTS, AT);
    if (decision.kind !== 'commit') throw new Error(`refused at ${state.current_step}`);
    state = decision.state;
    signals++;
  }
  if (state.status !== 'completed' || signals !== workflow.steps.length) throw new Error('did not complete');
  return signals;
}

export function xstate(name: string, steps: number): Contender {
  const states: Record<string, object> = { end: { type: 'final' } };
  for (let i = 1; i <= steps; i++)
    states[`s${i}`] = { on: { complete_step: i < steps ? `s${i + 1}` : 'end' } };
  const machine = createMachine({ id: `linear-${steps}`, initial: 's1', states });
  const [start] = initialTransition(machine);
  const event = { type: 'complete_step' };
  return {
    name,
    run: () => {
      let snapshot = start;
      let events = 0;
      while (snapshot.status === 'active') {
        [snapshot] = transition(machine, snapshot, event);
        events++;
      }
      if (snapshot.status !== 'done' || events !== steps) throw new Error('did not complete');
      return events;
    },
  };
}
