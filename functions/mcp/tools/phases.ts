// The phase engine's two tools: the content of a phase that is open, and handing a phase in.
import { completePhase } from '../../../shared/app/complete-phase.ts';
import { findInstance } from '../../../shared/app/find-instance.ts';
import { step as readStep } from '../../../shared/app/read-instance.ts';
import { PhaseVerdict, StepContent } from '../../../shared/app/schemas-views.ts';
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
  output: PhaseVerdict,
  run: (args, { app, caller, key }) => completePhase(app, { ...args, caller, key }),
});
