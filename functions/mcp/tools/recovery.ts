// Ending an instance, and bringing one back that has failed or was cancelled.
import * as z from 'zod';
import { after } from '../../../shared/app/after.ts';
import { Status } from '../../../shared/app/schemas-answers.ts';
import { tell } from '../../../shared/app/tell.ts';
import { findStep, strict } from '../../../shared/engine/index.ts';
import { defineTool } from '../tool.ts';
import { OF_WORKFLOW, StepName, WorkflowId } from './arguments.ts';

export const resumeWorkflow = defineTool({
  name: 'resume_workflow',
  title: 'Resume a workflow',
  description:
    'Brings a failed or cancelled instance back: from where it stopped, or from a completed step, undoing what came after it. For its owner.',
  kind: 'writes',
  input: strict({ workflow_id: WorkflowId, from_step: StepName.optional() }),
  aliases: OF_WORKFLOW,
  output: z.object({
    success: z.literal(true),
    workflow_id: z.string(),
    resumed_from_step: z.int(),
    current_status: Status,
  }),
  run: async ({ workflow_id: instance_id, ...body }, { app, caller, key }) => {
    const answer = await tell(app, { instance_id, type: 'resume', body, caller, key });
    const { entry, workflow } = await after(app, answer);
    const { events, state } = entry.commit;
    const from = events.find(({ type }) => type === 'workflow.resumed')?.data['from_step'];
    return {
      success: true,
      workflow_id: instance_id,
      resumed_from_step: findStep(workflow, typeof from === 'string' ? from : state.current_step)?.number,
      current_status: state.status,
    };
  },
});

export const cancelWorkflow = defineTool({
  name: 'cancel_workflow',
  title: 'Cancel a workflow',
  description: 'Ends an instance. Claims and waiting attempts end with it; it can be resumed. For its owner.',
  kind: 'destroys',
  input: strict({
    workflow_id: WorkflowId,
    reason: z.string().max(20_000).optional().describe('Why; kept in the audit trail.'),
  }),
  aliases: OF_WORKFLOW,
  output: z.object({
    success: z.literal(true),
    workflow_id: z.string(),
    status: z.literal('cancelled'),
    cleanup_performed: z.boolean(),
  }),
  run: async ({ workflow_id: instance_id, ...body }, { app, caller, key }) => {
    await tell(app, { instance_id, type: 'cancel', body, caller, key });
    return { success: true, workflow_id: instance_id, status: 'cancelled', cleanup_performed: true };
  },
});
