// POST /mcp/{instance_id}: what is legal in one instance, for one caller, now.
//   MC4  What is not legal now does not exist: it is in no list, and calling it is calling an unknown tool,
//       unless a call is repeated under its key.
//   MC5  Nothing here is remembered between requests: after a move the next list is the next step's.
import { prompt as promptOf } from '../../../shared/app/read-instance.ts';
import { nextStep } from '../../../shared/engine/index.ts';
import { Fault } from '../../../shared/faults.ts';
import { filledIn } from '../ask-person.ts';
import { PROMPT } from '../general-surface.ts';
import { listResources, readResource } from '../resources.ts';
import type { Surface } from '../surface.ts';
import { type Asking, bindTool, keyOf, type Tool } from '../tool.ts';
import { answerByForm, answerQuestions } from '../tools/answer-questions.ts';
import { getAgentContext } from '../tools/context.ts';
import { getPhaseContent } from '../tools/phases.ts';
import { searchContentTool } from '../tools/search-content.ts';
import { getNextStep, getWorkflowStatus } from '../tools/status.ts';
import { actionTool } from './action-tool.ts';
import { type Bound, boundWhenHeard, readBound, rememberedBound } from './instance.ts';
import { actionNames, actionsOf } from './names.ts';
import { otherTools } from './other-tools.ts';

export const boundSurface = (instance_id: string): Surface => ({
  instructions:
    'You work on one workflow instance. The tools are what is legal in its current step, for you, now; after each move they change, so list them again (answers name them). Begin with get_agent_context.',
  list: async (asking) => {
    const bound = await readBound(instance_id, asking);
    const held = nextStep(bound.workflow, bound.state, asking.app.chance.now());
    return [...movingTools(bound), ...readingTools(instance_id, held)];
  },
  find: async (name, asking, args) =>
    readingTools(instance_id).find((tool) => tool.name === name) ??
    (await findMoving(instance_id, name, asking, args)),
  resources: (asking) => listResources(instance_id, asking),
  read: (uri, asking) => readResource(uri, asking, instance_id),
  prompts: [PROMPT],
  prompt: (name, _args, { app, caller }) =>
    name === PROMPT.name ? promptOf(app, instance_id, caller) : Promise.resolve(undefined),
});

function movingTools(bound: Bound): readonly Tool[] {
  const names = actionNames(bound.moves);
  const actions = actionsOf(bound.moves).map((legal, i) =>
    actionTool(bound, legal, names[i] ?? legal.action),
  );
  return [...actions, ...otherTools(bound)];
}

/**
 * What was seen last will do to find a tool by, since the engine judges the call. To say that there is none, or that
 * its arguments do not fit, it will not; and whoever repeats a call under its key finds the tool they called.
 */
async function findMoving(
  instance_id: string,
  name: string,
  asking: Asking,
  args: unknown,
): Promise<Tool | undefined> {
  // The call after a form comes under the name of the one that led to it, whose time is over.
  if (filledIn('answers', asking)) return afterForm(instance_id);
  const called = (bound: Bound | null) => bound && movingTools(bound).find((tool) => tool.name === name);
  const fresh = async () => {
    const bound = await readBound(instance_id, asking);
    const before = async () => called(await boundWhenHeard(bound, keyIn(args, asking), asking));
    const tool = called(bound);
    return tool ? orElse(tool, before) : await before();
  };
  const remembered = called(await rememberedBound(instance_id, asking));
  return (remembered ? orElse(remembered, fresh) : await fresh()) ?? undefined;
}

/** Arguments that do not fit one tool of the name may fit another; nothing was done with them yet. */
const orElse = (tool: Tool, find: () => Promise<Tool | null | undefined>): Tool => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  kind: tool.kind,
  get inputSchema() {
    return tool.inputSchema;
  },
  get outputSchema() {
    return tool.outputSchema;
  },
  call: (args, asking) =>
    tool.call(args, asking).catch(async (error: unknown) => {
      const other = error instanceof Fault && error.code === 'invalid_request' ? await find() : null;
      if (!other) throw error;
      return other.call(args, asking);
    }),
});

const keyIn = (args: unknown, { key }: Asking): string | undefined =>
  typeof args === 'object' && args !== null && 'idempotency_key' in args
    ? keyOf(args.idempotency_key, key)
    : key;

const afterForm = (instance_id: string): Tool => ({
  name: answerQuestions.name,
  title: answerQuestions.title,
  description: answerQuestions.description,
  kind: 'writes',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  call: (_args, asking) => answerByForm(instance_id, asking),
});

function readingTools(
  instance_id: string,
  { blocking_reason = null, required_action = null }: Partial<ReturnType<typeof nextStep>> = {},
): readonly Tool[] {
  const now = blocking_reason === null ? '' : ` Now: ${blocking_reason} ${required_action ?? ''}`;
  return [
    bindTool(getWorkflowStatus, 'workflow_id', instance_id),
    bindTool(getNextStep, 'workflow_id', instance_id, `${getNextStep.description}${now}`),
    bindTool(getPhaseContent, 'instance_id', instance_id),
    bindTool(getAgentContext, 'instance_id', instance_id),
    bindTool(searchContentTool, 'instance_id', instance_id),
  ];
}
