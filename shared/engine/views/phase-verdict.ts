// What came of handing in a phase, in the words of the phase engine: passed, with the next phase, or what is missing.
import type { Answer } from '../model/decision.ts';
import type { EvidenceField } from '../model/evidence.ts';
import type { JsonObject } from '../model/json.ts';
import type { State } from '../model/state.ts';
import { findStep, type Workflow } from '../model/workflow.ts';
import { currentStep, isDone, recordOf } from './locks.ts';
import { outputsByPhase } from './phase-artifacts.ts';
import { contentOf, type StepContent } from './step-content.ts';
import { evidenceFormat } from './step-parts.ts';

export type PhaseVerdict =
  | {
      readonly checkpoint_passed: true;
      readonly phase_completed: number;
      readonly next_phase: number;
      readonly next_phase_content: StepContent;
      readonly artifacts_available: Readonly<Record<number, JsonObject>>;
    }
  | {
      readonly checkpoint_passed: true;
      readonly phase_completed: number;
      readonly workflow_complete: true;
      readonly message: string;
    }
  | {
      readonly checkpoint_passed: false;
      /** Only where something is missing: a phase may also wait for a person or for other agents. */
      readonly error?: 'incomplete_checkpoint';
      readonly phase: number;
      readonly current_phase: number;
      readonly missing_evidence: readonly string[];
      readonly required_format: Readonly<Record<string, EvidenceField>>;
      readonly examples: Readonly<Record<string, unknown>>;
      readonly current_phase_content: StepContent;
      readonly message: string;
    };

/** `state` is the one after the answer's commit. */
export function phaseVerdict(workflow: Workflow, state: State, answer: Answer): PhaseVerdict {
  const before = findStep(workflow, answer.previous_step ?? state.current_step);
  const current = currentStep(workflow, state);
  const phase_completed = before?.number ?? current.number;
  if (answer.result === 'completed')
    return {
      checkpoint_passed: true,
      phase_completed,
      workflow_complete: true,
      message: `All phases of "${workflow.title}" are complete.`,
    };
  if (answer.result === 'advanced' && before && isDone(recordOf(state, before)))
    return {
      checkpoint_passed: true,
      phase_completed,
      next_phase: current.number,
      next_phase_content: contentOf(workflow, state, current),
      artifacts_available: outputsByPhase(workflow, state),
    };
  const blocked = answer.result === 'blocked';
  const required_format = evidenceFormat(current);
  const examples = Object.entries(required_format).map(([name, { example }]) => [name, example] as const);
  return {
    checkpoint_passed: false,
    ...(blocked ? { error: 'incomplete_checkpoint' as const } : {}),
    phase: phase_completed,
    current_phase: current.number,
    missing_evidence: (answer.missing_criteria ?? []).map(({ reason }) => reason),
    required_format,
    examples: Object.fromEntries(examples),
    current_phase_content: contentOf(workflow, state, current),
    message: blocked
      ? `Complete checkpoint requirements to proceed: ${answer.reason ?? 'something is missing'}`
      : (answer.reason ?? `Phase ${current.number} is not complete yet.`),
  };
}
