// The phase engine's two tools: the content of a phase that is open, and handing a phase in.
import * as z from 'zod';
import { completePhase } from '../../../shared/app/complete-phase.ts';
import { findInstance } from '../../../shared/app/find-instance.ts';
import { step as readStep } from '../../../shared/app/read-instance.ts';
import { Status } from '../../../shared/app/schemas-answers.ts';
import { StepContent } from '../../../shared/app/schemas-views.ts';
import { JsonRecord, strict } from '../../../shared/engine/index.ts';
import { defineTool } from '../tool.ts';
import { InstanceId, OF_INSTANCE, StepName } from './arguments.ts';

export const getPhaseContent = defineTool({
  name: 'get_phase_content',
  title: 'Content of a phase',
  description:
    'What a phase says, what it asks for as evidence (with examples), and what the phases before it left behind. Only the current phase and completed ones are open; asking for a later one is refused and recorded.',
  kind: 'reads',
  input: strict({
    instance_id: InstanceId,
    phase: StepName.optional().describe('By number or id; the current one if left out.'),
  }),
  aliases: { ...OF_INSTANCE, phase: ['requested_phase', 'step'] },
  output: StepContent,
  run: async ({ instance_id, phase }, { app, caller }) => {
    const name = phase ?? (await findInstance(app, instance_id, caller)).state.current_step;
    return readStep(app, instance_id, caller, String(name));
  },
});

const Artifacts = z.record(z.string(), JsonRecord).describe('By the number of the phase.');

export const completePhaseTool = defineTool({
  name: 'complete_phase',
  title: 'Complete a phase',
  description:
    'Hands in the evidence of the current phase. If it passes, the answer holds the next phase; if not, what is missing and in which format.',
  kind: 'writes',
  input: strict({
    instance_id: InstanceId,
    phase: StepName.describe('The current phase, by number or id.'),
    evidence: JsonRecord.default({}).describe('By field, as the evidence format of the phase says.'),
    artifacts: JsonRecord.optional().describe('Outputs that the phase asks for, by name.'),
  }),
  aliases: { ...OF_INSTANCE, phase: ['step'] },
  output: z.object({
    checkpoint_passed: z.boolean(),
    phase_completed: z.int().optional(),
    next_phase: z.int().optional(),
    next_phase_content: StepContent.optional(),
    artifacts_available: Artifacts.optional(),
    workflow_complete: z.literal(true).optional(),
    error: z.string().optional(),
    phase: z.int().optional(),
    current_phase: z.int().optional(),
    missing_evidence: z.array(z.string()).optional(),
    required_format: JsonRecord.optional(),
    examples: JsonRecord.optional(),
    current_phase_content: StepContent.optional(),
    message: z.string().optional(),
    session_id: z.string(),
    status: Status,
    version: z.int(),
  }),
  run: (args, { app, caller, key }) => completePhase(app, { ...args, caller, key }),
});
