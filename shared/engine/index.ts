// The engine's public surface: everything else under shared/engine is its own business.
export {
  type ClockSignal,
  clocksOf,
  hasClocks,
  isSameWait,
  isSignOfLife,
  lastClocksOf,
  nextWait,
  signalAfter,
  waitOf,
} from './clock.ts';
export { type Compiled, compile, type CompileOptions, load } from './compile/compile.ts';
export {
  type CheckContext,
  type Checker,
  defineChecker,
  MET,
  type Missing,
  type Need,
  unmet,
  type Verdict as CheckVerdict,
} from './criteria/checker.ts';
export { whatIsWrong } from './criteria/evidence.ts';
export { artifactsOf } from './decide/artifacts.ts';
export { assignees } from './decide/assign.ts';
export { liveClaim } from './decide/claims.ts';
export { decide } from './decide/decide.ts';
export { fork } from './decide/fork.ts';
export { KEPT_KEYS } from './decide/key-ring.ts';
export { actingAnyhow, allowedActions } from './decide/legal.ts';
export { isKeeper, mayRead, seesLocked } from './decide/permissions.ts';
export { begin } from './decide/start.ts';
export { defineWorkflow, type TypedDefinition } from './define-workflow.ts';
export { canonical, sha256 } from './digest.ts';
export type { DecisionFunction } from './handlers/decision-function.ts';
export { type Misfit, misfits } from './migration.ts';
export { Actor, ADMIN, isAdmin, SYSTEM } from './model/actor.ts';
export { NextWait, Wait } from './model/clock.ts';
export { commitText, readCommitText } from './model/commit-text.ts';
export { type Answer, Commit, type Decision, type Note, Verdict } from './model/decision.ts';
export type { StepListDefinition } from './model/definition.ts';
export { EVENT_TYPES, type EventType, type Progress, WorkflowEvent } from './model/event.ts';
export { Facts, NO_FACTS } from './model/facts.ts';
export type { FsmDefinition } from './model/fsm.ts';
export { type Json, type JsonObject, JsonRecord, JsonValue, plainJson } from './model/json.ts';
export {
  bodies,
  IdempotencyKey,
  invalidRequest,
  readSignal,
  type Signal,
  type SignalOf,
  type SignalType,
} from './model/signal.ts';
export { isFinished, State, type Status, STATUSES, type StepRecord } from './model/state.ts';
export { strict } from './model/strict.ts';
export { findStep, type Step, stepAt, type Transition, type Workflow } from './model/workflow.ts';
export { knownTo, needsOf } from './needs.ts';
export { noStep } from './no-step.ts';
export { progressOf } from './progress.ts';
export { replay, type Replayed, type Versions } from './replay.ts';
export { type AgentContext, agentContext } from './views/agent-context.ts';
export { answerOf } from './views/answer.ts';
export { definitionView } from './views/definition-view.ts';
export { instanceDetails } from './views/details.ts';
export { inCharge, type InCharge } from './views/in-charge.ts';
export { type LegalAction, type LegalMoves, legalMoves } from './views/legal-moves.ts';
export { currentStep, isUnlocked, recordOf } from './views/locks.ts';
export { mermaid } from './views/mermaid.ts';
export { Meter, metrics, type WorkflowMetrics } from './views/metrics.ts';
export { nextStep, prerequisites, workflowStatus } from './views/next-step.ts';
export { outputsByPhase } from './views/phase-artifacts.ts';
export { phaseVerdict } from './views/phase-verdict.ts';
export { agentPrompt } from './views/prompt.ts';
export {
  type SequenceViolation,
  type StepContent,
  stepContent,
  type StepReading,
} from './views/step-content.ts';
export { CHARACTERS_PER_TOKEN, evidenceFormat, tokensIn } from './views/step-parts.ts';
