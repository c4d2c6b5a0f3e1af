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

const { signal, claim } = bodies;
const { params, session_name, subject, instance_id, user_id } = StartRequest.shape;
const EXPECTED_VERSION = 'Refused unless the instance is at this version.';
const ROLE = 'One of your roles, where you hold several.';
const TURN = 'The turn this answers: refused if the step has moved on since.';

/** What can be said with a signal, for agents that know it from here alone. */
const SIGNAL = {
  action: signal.shape.action.describe(
    'complete_step, stay, need_input or an action of the workflow; stay if left out.',
  ),
  step: signal.shape.step.describe(
    'The step this is for, by id or number: refused unless it is the current one.',
  ),
  outcome: signal.shape.outcome.describe('Of complete_step: ok if left out, else fail, skip, iterate …'),
  data: signal.shape.data.describe('Anything to keep with the step; `shared` in it is for all steps.'),
  evidence: signal.shape.evidence.describe('Evidence the step asks for, by field.'),
  artifacts: signal.shape.artifacts.describe(
    'What the step has produced, by name: content or a reference to it.',
  ),
  feedback: signal.shape.feedback.describe('Why: a rejection or a failure needs it.'),
  reply: signal.shape.reply.describe('What to tell the person.'),
  role: signal.shape.role.describe(ROLE),
  agent: signal.shape.agent.describe('The agent of the step for whom you report, where it has several.'),
  turn: signal.shape.turn.describe(TURN),
  questions: signal.shape.questions.describe('For need_input: 1 to 3 questions, with 2 or 3 options each.'),
  widget_type: signal.shape.widget_type.describe('For need_input: a widget for the person to fill in.'),
  expected_version: signal.shape.expected_version.describe(EXPECTED_VERSION),
};

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
    params: params.describe('The parameters the definition declares, by name; fixed from then on.'),
    session_name: session_name.describe(
      'An open session: the instance is only seen in it until that is committed.',
    ),
    subject: subject.describe('What it is about, as a part of its id.'),
    instance_id: instance_id.describe('An id of your own choice; made up if left out.'),
    user_id: user_id.describe('Whose instance it is, if not your own.'),
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
  input: strict({ instance_id: InstanceId, ...SIGNAL }),
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
  input: strict({
    instance_id: InstanceId,
    role: claim.shape.role.describe(ROLE),
    agent: claim.shape.agent.describe('The agent of the step for whom you take it.'),
    lease_seconds: claim.shape.lease_seconds.describe('For how long; as the definition says if left out.'),
    turn: claim.shape.turn.describe(TURN),
    expected_version: claim.shape.expected_version.describe(EXPECTED_VERSION),
  }),
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
