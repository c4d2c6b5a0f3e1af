// What an agent needs to know to do the current step well.
import * as z from 'zod';
import { context } from '../../../shared/app/read-instance.ts';
import { AgentContext } from '../../../shared/app/schemas-views.ts';
import { agentPrompt, strict } from '../../../shared/engine/index.ts';
import { defineTool } from '../tool.ts';
import { InstanceId, OF_INSTANCE } from './arguments.ts';

export const getAgentContext = defineTool({
  name: 'get_agent_context',
  title: 'Agent context',
  description:
    'The current step with its instructions, what is still missing, artifacts, feedback, answers and the protocol by which the work goes on. `prompt` is the same as text for a system prompt.',
  kind: 'reads',
  input: strict({
    instance_id: InstanceId,
    format: z.enum(['json', 'prompt']).default('json').describe('prompt: with the same as text.'),
  }),
  aliases: OF_INSTANCE,
  output: AgentContext.extend({ prompt: z.string().optional() }),
  run: async ({ instance_id, format }, { app, caller }) => {
    const found = await context(app, instance_id, caller);
    return format === 'prompt' ? { ...found, prompt: agentPrompt(found) } : found;
  },
});
