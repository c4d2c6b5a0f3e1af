// A legal action as a tool: named after it, with a schema of its own, judged by the engine when it is called.
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { after } from '../../../shared/app/after.ts';
import { parseBody } from '../../../shared/app/schemas.ts';
import { tell } from '../../../shared/app/tell.ts';
import {
  type Answer,
  currentStep,
  type JsonObject,
  type LegalAction,
  legalMoves,
  type Step,
  whatIsWrong,
} from '../../../shared/engine/index.ts';
import { Fault } from '../../../shared/faults.ts';
import { askQuestions } from '../ask-person.ts';
import { outputSchemaOf } from '../json-schema.ts';
import { type Asking, keyOf, type Tool } from '../tool.ts';
import { AnswerWithContent, contentAfter } from '../tools/signals.ts';
import { ActionArguments, actionSchema } from './action-schema.ts';
import type { Bound } from './instance.ts';
import { toolNames } from './names.ts';

export const BoundAnswer = AnswerWithContent.extend({
  tools: z.array(z.string()).describe('The tools there are now: tools/list has their schemas.'),
});

export function actionTool(bound: Bound, legal: LegalAction, name: string): Tool {
  const { instance_id, workflow, state } = bound;
  const { action } = legal;
  const step = currentStep(workflow, state);
  return {
    name,
    title: action,
    description: descriptionOf(step, legal),
    kind: 'writes',
    get inputSchema() {
      return actionSchema(bound, legal);
    },
    get outputSchema() {
      return outputSchemaOf(BoundAnswer);
    },
    call: async (given, asking) => {
      const { idempotency_key, ...args } = parseBody(ActionArguments, given, `call of ${name}`);
      if (args.evidence) checkTypes(step, args.evidence);
      const { app, caller } = asking;
      const key = keyOf(idempotency_key, asking.key);
      const answer = await tell(app, { instance_id, type: 'signal', body: { ...args, action }, caller, key });
      return action === 'need_input' ? askedOrTold(answer, asking) : boundAnswer(answer, asking);
    },
  };
}

function descriptionOf(
  { id, title, approval }: Step,
  { action, completes, description }: LegalAction,
): string {
  const where = title === id ? `"${id}"` : `"${id}" (${title})`;
  if (action === 'stay') return `Saves what you send with the step ${where}, and stays on it.`;
  if (action === 'need_input') return `Asks a person for input; the step ${where} waits until it is there.`;
  const does =
    action === 'complete_step' ? `Completes the step ${where}.` : `${action} on the step ${where}.`;
  const then = approval !== null && completes ? 'A person then has to approve it.' : '';
  return [description, does, 'If something is missing it is blocked, and says what.', then]
    .filter(Boolean)
    .join(' ');
}

/** Of what the schema declares, the engine judges what is missing; what has the wrong type is not let through to it. */
function checkTypes(step: Step, evidence: JsonObject): void {
  const issues = Object.entries(step.evidence).flatMap(([name, { type }]) => {
    const wrong = whatIsWrong(
      { type, required: false },
      Object.hasOwn(evidence, name) ? evidence[name] : null,
    );
    return wrong === null ? [] : [{ path: `evidence.${name}`, message: wrong }];
  });
  if (issues.length === 0) return;
  const summary = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new Fault('invalid_request', `The evidence is not as the schema says: ${summary}`, { issues });
}

/** Where the person who uses the client is the one to answer, they are asked at once. */
async function askedOrTold(answer: Answer, asking: Asking): Promise<object | InputRequiredResult> {
  const { app, caller, elicits } = asking;
  if (elicits && answer.result === 'waiting') {
    const { entry, workflow } = await after(app, answer);
    const { state } = entry.commit;
    const form =
      legalMoves(workflow, state, caller, app.chance.now()).answer && askQuestions(workflow, state);
    if (form) return form;
  }
  return boundAnswer(answer, asking);
}

/** With the step it has led to, and the tools there are now. */
export async function boundAnswer(answer: Answer, { app, caller }: Asking): Promise<object> {
  const { entry, workflow } = await after(app, answer);
  const { state } = entry.commit;
  const moved = answer.result === 'advanced' || answer.previous_step !== answer.current_step;
  return {
    ...answer,
    ...(moved ? await contentAfter(app, answer, caller) : {}),
    tools: toolNames(legalMoves(workflow, state, caller, app.chance.now())),
  };
}
