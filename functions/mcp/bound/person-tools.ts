// What only a person may do in the bound instance: decide on an approval, answer questions. Where the client can show
// a form, the call may leave the decision out and the person is asked.
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { findInstance } from '../../../shared/app/find-instance.ts';
import { currentStep, legalMoves, strict } from '../../../shared/engine/index.ts';
import { Fault } from '../../../shared/faults.ts';
import { askApproval, filledIn } from '../ask-person.ts';
import type { JsonSchema } from '../json-schema.ts';
import { type Asking, bindTool, defineTool, type Tool } from '../tool.ts';
import { answerQuestions } from '../tools/answer-questions.ts';
import { approval, ApprovalOutcome, approve } from '../tools/approve-step.ts';
import type { Bound } from './instance.ts';

export function approveTool({ instance_id, workflow, state }: Bound): Tool {
  const { approval: asked, title, number } = currentStep(workflow, state);
  const variants = asked?.variants ?? [];
  const [first, ...others] = variants;
  const { approved, selected_variant, ...rest } = approval;
  return defineTool({
    name: 'approve_step',
    title: `Approve "${title}"`,
    description: `${asked?.prompt || `Approves or rejects step ${number}, "${title}".`} Leave "approved" out to be asked in a form.`,
    kind: 'writes',
    input: strict({
      approved: approved.optional(),
      ...rest,
      ...(asked?.type === 'select_variant'
        ? { selected_variant: first === undefined ? selected_variant : z.enum([first, ...others]).optional() }
        : {}),
    }),
    output: ApprovalOutcome,
    run: (body, asking) =>
      body.approved === undefined
        ? approveByForm(instance_id, asking)
        : approve(asking.app, instance_id, body, asking.caller, asking.key),
  });
}

/** Shows the form, or takes what was filled in. */
async function approveByForm(instance_id: string, asking: Asking): Promise<object | InputRequiredResult> {
  const { app, caller, key, elicits } = asking;
  const filled = filledIn('approval', asking);
  if (filled?.said.kind === 'elicit' && filled.said.action === 'accept')
    return approve(
      app,
      instance_id,
      { ...withoutBlanks(filled.said.content), turn: filled.turn },
      caller,
      key,
    );
  const { workflow, state } = await findInstance(app, instance_id, caller);
  const asks = elicits && filled === null && legalMoves(workflow, state, caller, app.chance.now()).approve;
  const form = asks ? askApproval(workflow, state) : null;
  if (form) return form;
  const message = filled ? 'is still needed: the person has not decided' : 'is needed: true or false';
  throw new Fault('invalid_request', `approved: ${message}.`, { issues: [{ path: 'approved', message }] });
}

/** A field that was left empty was not said. */
const withoutBlanks = (content: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => value !== ''));

export function answerTool({ instance_id, state }: Bound): Tool {
  const tool = bindTool(answerQuestions, 'instance_id', instance_id);
  const questions = state.status === 'waiting_input' ? state.input.questions : [];
  return {
    name: tool.name,
    title: tool.title,
    description: `Answers what the step asked: ${questions.map(({ question }) => question).join(' ')} Leave "answers" out to be asked in a form.`,
    kind: tool.kind,
    get inputSchema() {
      const { properties, ...rest } = tool.inputSchema;
      return { ...rest, properties: { ...(properties as object), answers: answersSchema(questions) } }; // an object's
    },
    get outputSchema() {
      return tool.outputSchema;
    },
    call: (args, asking) => tool.call(args, asking),
  };
}

interface Asked {
  readonly id: string;
  readonly question: string;
  readonly options: readonly (string | { readonly label: string })[];
}

const answersSchema = (questions: readonly Asked[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    questions.map(({ id, question, options }) => [
      id,
      {
        type: 'string',
        description: question,
        examples: options.map((option) => (typeof option === 'string' ? option : option.label)),
      },
    ]),
  ),
  required: questions.map(({ id }) => id),
});
