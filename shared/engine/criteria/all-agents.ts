// all_agents: every agent of a step that works in parallel has reported.
import * as z from 'zod';
import { strict } from '../model/strict.ts';
import { defineChecker, MET, unmet } from './checker.ts';

export const allAgents = defineChecker({
  type: 'all_agents',
  params: strict({ agents: z.array(z.string()).optional() }),
  check: ({ step, record }, { agents }) => {
    const waiting = (agents ?? step.agents).filter((agent) => !record.agents_done.includes(agent));
    if (waiting.length === 0) return MET;
    return unmet(
      `Waiting for ${waiting.length} of ${(agents ?? step.agents).length} agents: ${waiting.join(', ')}.`,
      {
        waiting_for: waiting,
      },
    );
  },
});
