// POST /mcp: the tools of all instances, each of which says which instance it means.
import { prompt as promptOf } from '../../shared/app/read-instance.ts';
import { Fault } from '../../shared/faults.ts';
import { readResource } from './resources.ts';
import type { Surface } from './surface.ts';
import { TOOLS } from './tools/all.ts';

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

export const PROMPT = {
  name: 'workflow_context',
  title: 'Workflow context',
  description: 'What an agent needs to do the current step: role, instructions, protocol, what is missing.',
};

export const generalSurface: Surface = {
  instructions:
    'Stepgate moves work through steps that cannot be skipped. Start with start_workflow or get_pending_tasks. Do what get_agent_context says and send complete_phase, send_signal or update_workflow_state; a blocked answer says what is missing. Later steps open by themselves. To be offered only what is legal in one instance, connect to /mcp/{instance_id}.',
  list: () => Promise.resolve(TOOLS),
  find: (name) => Promise.resolve(BY_NAME.get(name)),
  resources: () => Promise.resolve([]),
  read: (uri, asking) => readResource(uri, asking),
  prompts: [
    {
      ...PROMPT,
      arguments: [{ name: 'workflow_id', description: 'The id of the instance.', required: true }],
    },
  ],
  prompt: (name, { workflow_id, instance_id = workflow_id }, { app, caller }) => {
    if (name !== PROMPT.name) return Promise.resolve(undefined);
    if (instance_id === undefined)
      throw new Fault('invalid_request', 'workflow_id: is needed, the id of the instance.', {
        issues: [{ path: 'workflow_id', message: 'is needed' }],
      });
    return promptOf(app, instance_id, caller);
  },
};
