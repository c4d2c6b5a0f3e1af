// update_workflow_state: an agent's report on the current step, under the names of the state schema.
//   MC1  It cannot bypass a gate: `in_progress` is `stay`, `completed` is `complete_step`, `failed` is the outcome
//       `fail`, each judged as that signal; there is no other status to set.
import * as z from 'zod';
import { after } from '../../../shared/app/after.ts';
import { Missing } from '../../../shared/app/schemas-answers.ts';
import { tell } from '../../../shared/app/tell.ts';
import { JsonRecord, strict, Verdict } from '../../../shared/engine/index.ts';
import { defineTool } from '../tool.ts';
import { OF_WORKFLOW, StepName, Turn, WorkflowId } from './arguments.ts';

const SIGNAL_FOR = {
  in_progress: { action: 'stay' },
  completed: { action: 'complete_step' },
  failed: { action: 'complete_step', outcome: 'fail' },
} as const;

export const updateWorkflowState = defineTool({
  name: 'update_workflow_state',
  title: 'Report on a step',
  description:
    'Reports on the current step: "in_progress" saves what you send, "completed" asks for the step to be completed (its criteria are checked), "failed" reports a failure. No other status can be set, and no step but the current one.',
  kind: 'writes',
  input: strict({
    workflow_id: WorkflowId,
    step: StepName,
    status: z
      .enum(['in_progress', 'completed', 'failed'], {
        error: 'must be in_progress, completed or failed; what is legal is decided by the workflow',
      })
      .describe('in_progress saves, completed asks for completion, failed reports a failure.'),
    artifacts: JsonRecord.optional().describe('What the step has produced, by name.'),
    evidence: JsonRecord.optional().describe('Evidence the step asks for, by field.'),
    data: JsonRecord.optional().describe('Anything to keep with the step.'),
    feedback: z.string().max(20_000).optional().describe('Why, when it failed.'),
    turn: Turn,
  }),
  aliases: OF_WORKFLOW,
  output: z.object({
    success: z.boolean().describe('False if the step is blocked: see missing_criteria.'),
    workflow_id: z.string(),
    updated_at: z.iso.datetime(),
    result: Verdict.shape.result,
    current_step: z.int(),
    reason: z.string().optional(),
    missing_criteria: z.array(Missing).optional(),
  }),
  run: async ({ workflow_id: instance_id, status, ...rest }, { app, caller, key }) => {
    const body = { ...SIGNAL_FOR[status], ...rest };
    const answer = await tell(app, { instance_id, type: 'signal', body, caller, key });
    const { entry, workflow } = await after(app, answer);
    const { result, reason, missing_criteria, current_step } = answer;
    return {
      success: result !== 'blocked',
      workflow_id: instance_id,
      updated_at: entry.commit.at,
      result,
      current_step: (workflow.index.get(current_step) ?? 0) + 1,
      ...(reason === undefined ? {} : { reason }),
      ...(missing_criteria === undefined ? {} : { missing_criteria }),
    };
  },
});
