// The engine's public surface: everything else under shared/engine is its own business.
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
export { decide } from './decide/decide.ts';
export { allowedActions } from './decide/legal.ts';
export { mayRead, seesLocked } from './decide/permissions.ts';
export { begin } from './decide/start.ts';
export { defineWorkflow, type TypedDefinition } from './define-workflow.ts';
export type { DecisionFunction } from './handlers/decision-function.ts';
export { Actor, ADMIN, SYSTEM } from './model/actor.ts';
export { type Answer, Commit, type Decision, type Note, Verdict } from './model/decision.ts';
export type { StepListDefinition } from './model/definition.ts';
export { type EventType, type Progress, WorkflowEvent } from './model/event.ts';
export { Facts, NO_FACTS } from './model/facts.ts';
export type { FsmDefinition } from './model/fsm.ts';
export type { Json, JsonObject } from './model/json.ts';
export {
  type IdempotencyKey,
  readSignal,
  type Signal,
  type SignalOf,
  type SignalType,
} from './model/signal.ts';
export { isFinished, State, type Status, type StepRecord } from './model/state.ts';
export { findStep, type Step, stepAt, type Transition, type Workflow } from './model/workflow.ts';
export { progressOf } from './progress.ts';
export { replay, type Replayed } from './replay.ts';
