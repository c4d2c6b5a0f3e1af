// approve_step: a person's decision at a checkpoint. Agents are refused, and the attempt is on record.
import * as z from 'zod';
import { after } from '../../../shared/app/after.ts';
import type { App } from '../../../shared/app/app.ts';
import { tell } from '../../../shared/app/tell.ts';
import {
  type Actor,
  type Answer,
  currentStep,
  findStep,
  isFinished,
  JsonRecord,
  recordOf,
  strict,
} from '../../../shared/engine/index.ts';
import { defineTool } from '../tool.ts';
import { OF_WORKFLOW, Short, StepName, Turn, WorkflowId } from './arguments.ts';

export const ApprovalOutcome = z.object({
  success: z.boolean(),
  workflow_id: z.string(),
  step: z.int(),
  status: z.string().describe('Of the step.'),
  next_step: z.int().nullable(),
  next_step_name: z.string().nullable(),
  reason: z.string().optional(),
});

export const approval = {
  approved: z.boolean().describe('False sends the work back with your feedback.'),
  modifications: JsonRecord.optional().describe(
    'Changes to artifacts or evidence, by name; they are approved with it.',
  ),
  feedback: z.string().max(20_000).optional().describe('What to change, when it is sent back.'),
  selected_variant: Short.optional().describe('Where variants are offered: the one to go on with.'),
  turn: Turn,
};

export const approveStep = defineTool({
  name: 'approve_step',
  title: 'Approve a step',
  description:
    'Approves or rejects what waits for a person at a checkpoint, with modifications if need be. For people only, and not for whoever asked for the approval.',
  kind: 'writes',
  input: strict({ workflow_id: WorkflowId, step: StepName, ...approval }),
  aliases: OF_WORKFLOW,
  output: ApprovalOutcome,
  run: ({ workflow_id, ...body }, { app, caller, key }) => approve(app, workflow_id, body, caller, key),
});

export async function approve(
  app: App,
  instance_id: string,
  body: object,
  caller: Actor,
  key: string | undefined,
) {
  const answer = await tell(app, { instance_id, type: 'approve', body, caller, key });
  return outcomeOf(app, answer);
}

async function outcomeOf(app: App, answer: Answer): Promise<z.infer<typeof ApprovalOutcome>> {
  const { entry, workflow } = await after(app, answer);
  const { state } = entry.commit;
  const now = currentStep(workflow, state);
  const decided = findStep(workflow, answer.previous_step ?? now.id) ?? now;
  const over = isFinished(state) || now.final !== null;
  return {
    success: answer.result !== 'blocked',
    workflow_id: answer.instance_id,
    step: decided.number,
    status: recordOf(state, decided)?.status ?? 'pending',
    next_step: over ? null : now.number,
    next_step_name: over ? null : now.title,
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
  };
}
