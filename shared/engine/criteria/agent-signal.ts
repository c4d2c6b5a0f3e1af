// agent_signal: it is enough that someone who may act says the step is done.
import { strict } from '../model/strict.ts';
import { defineChecker, MET, unmet } from './checker.ts';

export const agentSignal = defineChecker({
  type: 'agent_signal',
  params: strict({}),
  check: ({ signalled }) => (signalled ? MET : unmet('The step is completed by a complete_step signal.')),
});
