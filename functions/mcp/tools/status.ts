// Where an instance is, what comes next, and what must be done before a step.
import * as z from 'zod';
import { next, prerequisitesOf } from '../../../shared/app/read-instance.ts';
import { status } from '../../../shared/app/read-status.ts';
import { Status } from '../../../shared/app/schemas-answers.ts';
import { NextStep, Prerequisites } from '../../../shared/app/schemas-views.ts';
import { JsonRecord, strict } from '../../../shared/engine/index.ts';
import { defineTool } from '../tool.ts';
import { OF_WORKFLOW, StepName, WorkflowId } from './arguments.ts';

export const getWorkflowStatus = defineTool({
  name: 'get_workflow_status',
  title: 'Workflow status',
  description: 'Where an instance is: its status, its current step, how far it is, and the artifacts so far.',
  kind: 'reads',
  input: strict({ workflow_id: WorkflowId }),
  aliases: OF_WORKFLOW,
  output: z.object({
    workflow_id: z.string(),
    workflow_type: z.string(),
    status: Status,
    current_step: z.int(),
    current_step_name: z.string(),
    waiting_for_approval: z.boolean(),
    progress_percentage: z.int(),
    artifacts: JsonRecord,
  }),
  run: ({ workflow_id }, { app, caller }) => status(app, workflow_id, caller),
});

export const getNextStep = defineTool({
  name: 'get_next_step',
  title: 'Next step',
  description:
    'What comes next, whether the instance can proceed, and if not, what holds it up and who must act.',
  kind: 'reads',
  input: strict({ workflow_id: WorkflowId }),
  aliases: OF_WORKFLOW,
  output: NextStep,
  run: ({ workflow_id }, { app, caller }) => next(app, workflow_id, caller),
});

export const validatePrerequisites = defineTool({
  name: 'validate_prerequisites',
  title: 'Prerequisites of a step',
  description: 'Which steps must be completed before a step, which are, and whether it could start now.',
  kind: 'reads',
  input: strict({ workflow_id: WorkflowId, step: StepName }),
  aliases: OF_WORKFLOW,
  output: Prerequisites,
  run: ({ workflow_id, step }, { app, caller }) => prerequisitesOf(app, workflow_id, caller, String(step)),
});
