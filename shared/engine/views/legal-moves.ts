// What a caller may do with an instance as it rests now: the engine's rules asked the other way round.
//   V3  What is listed is legal now for this caller; an action that is not listed would be refused.
//   V4  It tells of the current step alone. An action that passes through to a later step says nothing of what that
//       step will ask for.
import { receives } from '../decide/act.ts';
import { backingOff } from '../decide/attempts.ts';
import { liveClaim } from '../decide/claims.ts';
import { waysOnOutcome } from '../decide/complete.ts';
import { actingAnyhow, allowedActions, pathsOn, roleAlong } from '../decide/legal.ts';
import { isKeeper, isOwner } from '../decide/permissions.ts';
import { type Actor, holds, isAdmin } from '../model/actor.ts';
import { isFinished, type State } from '../model/state.ts';
import type { Step, Transition, Workflow } from '../model/workflow.ts';
import { currentStep, isDone, recordOf } from './locks.ts';

export interface LegalAction {
  readonly action: string;
  /** For complete_step: what it may be completed with. */
  readonly outcomes: readonly string[];
  readonly feedback_required: boolean;
  /** Leaving this way asks for what the current step asks for. */
  readonly completes: boolean;
  /** To claim the task says the same: the step asks for nothing that a claim could not bring. */
  readonly same_as_claim: boolean;
  readonly description: string;
}

export interface LegalMoves {
  readonly actions: readonly LegalAction[];
  /** Agents of the step for whom the caller may speak. */
  readonly agents: readonly string[];
  readonly claim: boolean;
  /** The caller holds the claim: it may be extended or given back. */
  readonly holds_claim: boolean;
  readonly approve: boolean;
  readonly answer: boolean;
  /** Widgets whose result the step takes from this caller. */
  readonly widgets: readonly string[];
  readonly override: boolean;
  readonly cancel: boolean;
  /** Steps from which it may be resumed; none while it runs. */
  readonly resume_from: readonly string[];
}

const OUTCOMES = ['ok', 'skip', 'iterate'];

export function legalMoves(workflow: Workflow, state: State, actor: Actor, now: string): LegalMoves {
  const step = currentStep(workflow, state);
  const claim = liveClaim(state, now);
  const mine = claim?.by === actor.sub;
  const shut = step.human && actor.kind !== 'human';
  const acts =
    step.final === null && !shut && !isFinished(state) && actingAnyhow(workflow, state, step, actor) !== null;
  const free = acts && state.status === 'in_progress' && (claim === null || mine);
  const person = actor.kind === 'human';
  return {
    actions: free ? actionsOf(workflow, state, step, actor, now) : [],
    agents: agentsOf(state, step, actor),
    claim: free && !mine && step.teamwork !== 'all',
    holds_claim: mine,
    approve: state.status === 'waiting_approval' && person && mayApprove(state, step, actor),
    answer:
      state.status === 'waiting_input' && state.input.questions.length > 0 && mayAnswer(state, step, actor),
    widgets: isFinished(state) || !(acts || isOwner(state, actor)) ? [] : widgetsOf(state, step),
    override: !isFinished(state) && person && isAdmin(actor),
    cancel: !isFinished(state) && isKeeper(state, actor),
    resume_from: isKeeper(state, actor) ? resumable(workflow, state, step) : [],
  };
}

function actionsOf(
  workflow: Workflow,
  state: State,
  step: Step,
  actor: Actor,
  now: string,
): readonly LegalAction[] {
  const allowed = allowedActions(workflow, state, actor);
  const record = recordOf(state, step);
  const waits = record !== null && backingOff(record, now) !== null;
  return allowed
    .filter((action) => action === 'stay' || !waits)
    .map((action): LegalAction => {
      const ways =
        action === 'complete_step'
          ? []
          : pathsOn(workflow, step, action)
              .filter((path) => roleAlong(workflow, state, step, path, actor) !== null)
              .flatMap((path) => path.slice(-1));
      const feedback_required = ways.length > 0 && ways.every((way) => wantsFeedback(state, step, way));
      return {
        action,
        outcomes: action === 'complete_step' ? outcomesOf(workflow, state, step, actor) : [],
        feedback_required,
        completes: action === 'complete_step' || ways.some((way) => isOwn(step, way) && way.completes),
        same_as_claim:
          !feedback_required &&
          ways.some((way) => isOwn(step, way) && way.claims) &&
          step.criteria.every(({ type }) => type === 'agent_signal'),
        description: ways.find((way) => isOwn(step, way))?.description ?? '',
      };
    })
    .filter(({ action, outcomes }) => action !== 'complete_step' || outcomes.length > 0);
}

/** Feedback that was given on the way here will do for whoever revises. */
const wantsFeedback = (state: State, step: Step, way: Transition): boolean =>
  way.feedback_required && !(state.feedback !== null && isOwn(step, way) && receives(step, way));

const isOwn = (step: Step, way: Transition): boolean => step.transitions.includes(way);

/** Where no way is marked for it, a failure can still be reported, and a step that decides by itself still be completed. */
function outcomesOf(workflow: Workflow, state: State, step: Step, actor: Actor): readonly string[] {
  const { handler } = step;
  const decides = handler.kind === 'decide' || handler.kind === 'function';
  const named = handler.kind === 'dispatch' ? Object.keys(handler.outcomes) : [];
  return [...new Set([...OUTCOMES, ...named, 'fail'])].filter((outcome) => {
    if (decides && outcome !== 'ok' && outcome !== 'fail') return false;
    const ways = waysOnOutcome(step, outcome);
    if (ways.length === 0) return outcome === 'fail' || decides;
    return ways.some((way) => roleAlong(workflow, state, step, [way], actor) !== null);
  });
}

function agentsOf(state: State, step: Step, actor: Actor): readonly string[] {
  const all = step.lead === null ? step.agents : [...step.agents, step.lead];
  const any = isOwner(state, actor) || step.roles.some((role) => holds(actor, role));
  return all.filter((agent) => any || holds(actor, agent));
}

function mayApprove(state: State, step: Step, actor: Actor): boolean {
  const asked = recordOf(state, step)?.approval?.requested_by === actor.sub;
  if (asked && !step.approval?.allow_self) return false;
  return (
    isAdmin(actor) ||
    isOwner(state, actor) ||
    (step.approval?.roles.some((role) => holds(actor, role)) ?? false)
  );
}

const mayAnswer = (state: State, step: Step, actor: Actor): boolean =>
  actor.kind === 'human' &&
  (isOwner(state, actor) || isAdmin(actor) || step.roles_in_charge.some((role) => holds(actor, role)));

function widgetsOf(state: State, step: Step): readonly string[] {
  const asked = state.status === 'waiting_input' ? state.input.widget_type : null;
  const wanted = step.criteria.flatMap(({ type, params }) =>
    type === 'widget_completed' && typeof params.widget_type === 'string' ? [params.widget_type] : [],
  );
  return [...new Set([...(asked === null ? [] : [asked]), ...wanted])];
}

function resumable(workflow: Workflow, state: State, current: Step): readonly string[] {
  if (state.status !== 'failed' && state.status !== 'cancelled') return [];
  const stopped = current.final === null ? current : lastEntered(workflow, state);
  return workflow.steps
    .filter((step) => step.final === null && (step === stopped || isDone(recordOf(state, step))))
    .map(({ id }) => id);
}

/** Where a final step was reached from. */
function lastEntered(workflow: Workflow, state: State): Step | undefined {
  const turnOf = (step: Step): number => {
    const record = recordOf(state, step);
    return step.final !== null || record === null || record.status === 'pending' ? 0 : record.entered;
  };
  return workflow.steps.reduce<Step | undefined>(
    (last, step) => (turnOf(step) > (last ? turnOf(last) : 0) ? step : last),
    undefined,
  );
}
