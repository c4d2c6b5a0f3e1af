// GET /workflows/{id}/steps/{step}: what a step says, if it is open to the caller.
//   G1  Not a byte of a locked step's text leaves here, unless the caller is a person who is an admin.
import type { Refusal } from '../../faults.ts';
import { requiredAction } from '../decide/assign.ts';
import { seesLocked } from '../decide/permissions.ts';
import type { Actor } from '../model/actor.ts';
import type { JsonObject } from '../model/json.ts';
import { isFinished, type State } from '../model/state.ts';
import { findStep, type Step, type Workflow } from '../model/workflow.ts';
import { noStep } from '../no-step.ts';
import { countedSteps, currentStep, isUnlocked, recordOf } from './locks.ts';
import { outputsByPhase, phaseArtifacts } from './phase-artifacts.ts';
import { criteriaOf, evidenceFormat, tokensIn } from './step-parts.ts';

export interface StepContent {
  readonly phase_number: number;
  readonly step: number;
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly phase_content: string;
  /** The same text under the phase engine's name, where it came from, and about how long it is. */
  readonly content: string;
  readonly sources: readonly string[];
  readonly total_tokens: number;
  readonly instructions: string;
  readonly actions: readonly string[];
  readonly checkpoint_criteria: readonly Readonly<Record<string, unknown>>[];
  readonly evidence_format: ReturnType<typeof evidenceFormat>;
  readonly outputs: readonly string[];
  readonly artifacts_from_previous: Readonly<Record<number, JsonObject>>;
  readonly next_command: string | null;
}

export interface SequenceViolation {
  readonly error: 'phase_sequence_violation';
  readonly message: string;
  readonly reason: string;
  readonly required_action: string;
  readonly violation_type: 'attempted_skip';
  readonly current_phase_content: StepContent;
  readonly artifacts_available: Readonly<Record<number, JsonObject>>;
  readonly progress: {
    readonly completed: readonly number[];
    readonly current: number;
    readonly total: number;
  };
}

export type StepReading =
  | { readonly kind: 'content'; readonly content: StepContent }
  | { readonly kind: 'violation'; readonly violation: SequenceViolation }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export function stepContent(
  workflow: Workflow,
  state: State,
  actor: Actor,
  stepName: string | number,
): StepReading {
  const step = findStep(workflow, stepName);
  if (!step) {
    return { kind: 'refused', refusal: noStep(workflow, stepName) };
  }
  if (isUnlocked(state, step) || seesLocked(actor))
    return { kind: 'content', content: contentOf(workflow, state, step) };
  return { kind: 'violation', violation: violationOf(workflow, state, step) };
}

/** Of a step that the caller may see: ask `isUnlocked` first. */
export function contentOf(workflow: Workflow, state: State, step: Step): StepContent {
  const current = step.id === state.current_step;
  const content = step.content || step.instructions;
  return {
    phase_number: step.number,
    step: step.number,
    id: step.id,
    title: step.title,
    status: recordOf(state, step)?.status ?? 'pending',
    phase_content: content,
    content,
    sources: [`${workflow.id}#${step.id}`],
    total_tokens: tokensIn(content),
    instructions: step.instructions,
    actions: step.actions,
    checkpoint_criteria: criteriaOf(step),
    evidence_format: evidenceFormat(step),
    outputs: step.outputs,
    artifacts_from_previous: current ? outputsByPhase(workflow, state, step) : {},
    next_command: current ? nextCommand(state, step) : null,
  };
}

function violationOf(workflow: Workflow, state: State, wanted: Step): SequenceViolation {
  const current = currentStep(workflow, state);
  const unit = unitOf(workflow, current);
  return {
    error: 'phase_sequence_violation',
    message: `Cannot access ${nameOf(workflow, wanted)}: complete ${nameOf(workflow, current)} first.`,
    reason: isFinished(state)
      ? `The instance is ${state.status} at ${unit} ${current.number}.`
      : `Currently on ${unit} ${current.number}, "${current.title}".`,
    required_action: isFinished(state)
      ? `Resume the instance if it is to go on; a ${unit.toLowerCase()} opens when those before it are done.`
      : `Complete ${unit} ${current.number} checkpoint first: meet what it asks for and send ${requiredAction(current)}.`,
    violation_type: 'attempted_skip',
    current_phase_content: contentOf(workflow, state, current),
    artifacts_available: outputsByPhase(workflow, state),
    progress: {
      completed: Object.keys(phaseArtifacts(workflow, state).checkpoints).map(Number),
      current: current.number,
      total: countedSteps(workflow).length,
    },
  };
}

/** What its author calls a step. */
const unitOf = ({ state_block }: Workflow, { id }: Step): 'Phase' | 'Step' =>
  state_block?.unit === 'phase' || /^phase[-_. ]?\d/i.test(id) ? 'Phase' : 'Step';

const nameOf = (workflow: Workflow, step: Step): string =>
  `${unitOf(workflow, step)} ${step.number} (${step.id})`;

/** The call that hands the step in. */
function nextCommand(state: State, step: Step): string | null {
  if (step.final !== null || state.status !== 'in_progress') return null;
  const action = step.required_action !== null && !step.by_on.has(step.required_action);
  const body = {
    action: requiredAction(action ? { ...step, required_action: null } : step),
    step: step.id,
    ...(Object.keys(step.evidence).length > 0 ? { evidence: {} } : {}),
    ...(step.outputs.length > 0 ? { artifacts: {} } : {}),
  };
  return `POST /api/workflows/${state.instance_id}/signal ${JSON.stringify(body)}`;
}
