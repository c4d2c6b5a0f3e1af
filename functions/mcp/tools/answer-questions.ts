// answer_questions: a person's answers to what a step asked. A client that can show forms may leave the answers out.
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { findInstance } from '../../../shared/app/find-instance.ts';
import { Answer } from '../../../shared/app/schemas-answers.ts';
import { tell } from '../../../shared/app/tell.ts';
import { answerOf, bodies, legalMoves, strict } from '../../../shared/engine/index.ts';
import { Fault } from '../../../shared/faults.ts';
import { askQuestions, filledIn, type FilledIn } from '../ask-person.ts';
import { type Asking, defineTool } from '../tool.ts';
import { InstanceId, OF_INSTANCE, Turn } from './arguments.ts';

export const answerQuestions = defineTool({
  name: 'answer_questions',
  title: 'Answer questions',
  description:
    'Answers the questions a step waits for, by their ids or in their order. For people only: an agent that asked waits until a person has answered.',
  kind: 'writes',
  input: strict({
    instance_id: InstanceId,
    answers: bodies.answer.shape.answers
      .optional()
      .describe('By question id, or in the order of the questions.'),
    turn: Turn,
  }),
  aliases: OF_INSTANCE,
  output: Answer,
  run: async ({ instance_id, answers, turn }, asking) => {
    if (answers === undefined) return answerByForm(instance_id, asking);
    const { app, caller, key } = asking;
    const body = { answers, ...(turn === undefined ? {} : { turn }) };
    return tell(app, { instance_id, type: 'answer', body, caller, key });
  },
});

/** Shows the form, or takes what was filled in. */
export async function answerByForm(
  instance_id: string,
  asking: Asking,
): Promise<object | InputRequiredResult> {
  const filled = filledIn('answers', asking);
  if (filled) return takeAnswers(instance_id, filled, asking);
  const { app, caller, elicits } = asking;
  const { workflow, state } = await findInstance(app, instance_id, caller);
  const { answer } = legalMoves(workflow, state, caller, app.chance.now());
  const form = elicits && answer ? askQuestions(workflow, state) : null;
  if (form) return form;
  throw new Fault('invalid_request', 'answers: is needed, by the ids of the questions or in their order.', {
    issues: [{ path: 'answers', message: 'is needed' }],
    ...(state.status === 'waiting_input' ? { questions: state.input.questions } : {}),
  });
}

async function takeAnswers(instance_id: string, { turn, said }: FilledIn, { app, caller, key }: Asking) {
  if (said.kind === 'elicit' && said.action === 'accept')
    return tell(app, {
      instance_id,
      type: 'answer',
      body: { answers: said.content ?? {}, turn },
      caller,
      key,
    });
  const { workflow, state } = await findInstance(app, instance_id, caller);
  const reason = 'The person has not answered yet; answer_questions takes their answers later.';
  return answerOf(workflow, state, { result: 'waiting', previous_step: state.current_step, reason });
}
