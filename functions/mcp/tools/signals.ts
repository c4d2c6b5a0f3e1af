// Starting an instance, and saying something to one.
import { after } from '../../../shared/app/after.ts';
import type { App } from '../../../shared/app/app.ts';
import { Answer } from '../../../shared/app/schemas-answers.ts';
import { StepContent } from '../../../shared/app/schemas-views.ts';
import { StartRequest } from '../../../shared/app/schemas.ts';
import { startInstance } from '../../../shared/app/start-instance.ts';
import { tell } from '../../../shared/app/tell.ts';
import {
  type Actor,
  type Answer as Answered,
  bodies,
  strict,
  stepContent,
} from '../../../shared/engine/index.ts';
import { defineTool } from '../tool.ts';
import { InstanceId, OF_INSTANCE } from './arguments.ts';

/** An answer with the content of the step it has led to. */
export const AnswerWithContent = Answer.extend({
  content: StepContent.optional().describe('The step the instance is at now, where that has changed.'),
});

export const startWorkflow = defineTool({
  name: 'start_workflow',
  title: 'Start a workflow',
  description:
    'Starts an instance of a workflow definition and gives its instance_id, with the content of its first step.',
  kind: 'writes',
  input: StartRequest.extend({
    workflow_id: StartRequest.shape.workflow_id.describe(
      'The definition: generation, test-generation, delivery …',
    ),
    user_id: StartRequest.shape.user_id.describe('Whose instance it is, if not your own.'),
  }),
  aliases: { workflow_id: ['workflow_type'] },
  output: AnswerWithContent,
  run: async (body, { app, caller, key }) => {
    const answer = await startInstance(app, { body, caller, key });
    return { ...answer, ...(await contentAfter(app, answer, caller)) };
  },
});

export const sendSignal = defineTool({
  name: 'send_signal',
  title: 'Send a signal',
  description:
    'Says something to the current step: complete_step, stay (saves what you send), need_input (asks a person), or an action of the workflow such as COMMIT_CODE. A signal that is blocked changes nothing and says what is missing.',
  kind: 'writes',
  input: strict({ instance_id: InstanceId, ...bodies.signal.shape }),
  aliases: OF_INSTANCE,
  output: Answer,
  run: ({ instance_id, ...body }, { app, caller, key }) =>
    tell(app, { instance_id, type: 'signal', body, caller, key }),
});

export const claimTask = defineTool({
  name: 'claim_task',
  title: 'Claim a task',
  description:
    'Takes a pending task with a lease: while it runs, nobody else can act on it. The answer holds what the step says.',
  kind: 'writes',
  input: strict({ instance_id: InstanceId, ...bodies.claim.shape }),
  aliases: OF_INSTANCE,
  output: AnswerWithContent,
  run: async ({ instance_id, ...body }, { app, caller, key }) => {
    const answer = await tell(app, { instance_id, type: 'claim', body, caller, key });
    return { ...answer, ...(await contentAfter(app, answer, caller)) };
  },
});

export async function contentAfter(app: App, answer: Answered, caller: Actor) {
  const { entry, workflow } = await after(app, answer);
  const reading = stepContent(workflow, entry.commit.state, caller, entry.commit.state.current_step);
  return reading.kind === 'content' ? { content: reading.content } : {};
}
