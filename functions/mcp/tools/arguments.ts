// Arguments that many tools share. In the eight tools of the state schema `workflow_id` is the instance; elsewhere it
// is called `instance_id`, as over HTTP. Either name is understood, and so are the phase engine's and the inbox's.
import * as z from 'zod';

export const Short = z.string().min(1).max(200);

export const WorkflowId = Short.describe(
  'The id of the instance, as start_workflow and list_workflows give it.',
);
export const InstanceId = Short.describe(
  'The id of the instance, as start_workflow and list_workflows give it.',
);
export const StepName = z.union([z.int().positive(), Short]).describe('A step, by its number or its id.');
export const Turn = z
  .int()
  .nonnegative()
  .optional()
  .describe('The turn this answers, from the context or the task: refused if the step has moved on since.');

export const OF_WORKFLOW = { workflow_id: ['instance_id', 'session_id', 'task_id'] };
export const OF_INSTANCE = { instance_id: ['workflow_id', 'session_id', 'task_id'] };
