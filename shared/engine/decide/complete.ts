// complete_step: the criteria, then the way out that the outcome, or the step's own handler, decides.
import { isOutcome } from '../compile/transitions.ts';
import type { Decision } from '../model/decision.ts';
import type { SignalOf } from '../model/signal.ts';
import type { Step, Transition } from '../model/workflow.ts';
import { judge } from './check.ts';
import type { Draft } from './draft.ts';
import { allowedActions } from './legal.ts';
import { decided, fail, guardsMissing, type Mover, openWay, take } from './move.ts';
import { block, refuse, settle, violate } from './outcome.ts';
import { onlyApproval, requestApproval } from './request-approval.ts';
import { reportOf } from './team.ts';

type StepSignal = SignalOf<'signal'>;
const SIGNALLED_OUTCOMES = ['ok', 'fail', 'skip', 'iterate'];

/** complete_step: the criteria, then the outcome's way out. */
export function complete(draft: Draft, signal: StepSignal, agent: string | null, by: Mover): Decision {
  const { step } = draft;
  const outcome = outcomeOf(step, signal.body.outcome);
  if (outcome === null) {
    return refuse(
      draft,
      'invalid_request',
      `"${signal.body.outcome}" is not an outcome; send ok, fail, skip or iterate.`,
      { issues: [{ path: 'outcome', message: 'must be ok, fail, skip or iterate' }] },
    );
  }
  if (outcome === 'fail') {
    fail(draft, signal.body.feedback ?? 'The agent reported a failure.', by);
    return settle(draft, signal, null, { reason: draft.last_error ?? undefined });
  }
  const decides = step.handler.kind === 'decide' || step.handler.kind === 'function';
  const ways = by.only;
  if (!decides && !ways) {
    const message =
      outcome === 'skip'
        ? `Step "${step.id}" is required and cannot be skipped.`
        : `Step "${step.id}" has no way on for the outcome "${outcome}".`;
    return violate(draft, signal, 'invalid_transition', message, {
      allowed_actions: allowedActions(draft.workflow, draft.from, draft.actor),
      allowed_outcomes: [...step.by_on.keys()].filter(isOutcome),
      current_step: step.id,
    });
  }
  const free = outcome === 'skip' && !step.required;
  if (!decides && ways && (free || !ways.some(({ completes }) => completes))) {
    if (outcome === 'iterate')
      draft.patch({
        state: { ...draft.record.state, iteration: Number(draft.record.state.iteration ?? 1) + 1 },
      });
    return leave(draft, signal, ways, by);
  }
  const team = reportOf(draft, agent);
  if (team === 'out of turn') {
    const first = step.agents.find((name) => !draft.record.agents_done.includes(name));
    return block(draft, signal, [
      {
        type: 'all_agents',
        reason: `The agents of "${step.id}" work one after the other; ${first} is next.`,
        waiting_for: [first],
      },
    ]);
  }
  if (team === 'handed over')
    return settle(draft, signal, 'stayed', {
      reason: `Handed on to ${step.agents.find((name) => !draft.record.agents_done.includes(name))}.`,
    });
  const { missing, failed } = judge(draft, step, draft.record);
  if (missing.length > 0) {
    if (onlyApproval(missing)) return requestApproval(draft, signal, by);
    // Whoever joins the reports is to act now.
    if (team === 'joined' && step.lead !== null) draft.reassign();
    if (team === 'reported' || team === 'joined')
      return settle(draft, signal, 'stayed', {
        reason: missing.map(({ reason }) => reason).join(' '),
        missing,
      });
    return block(draft, signal, missing);
  }
  if (failed !== null) {
    fail(draft, failed, { ...by, only: undefined, feedback: signal.body.feedback ?? failed });
    return settle(draft, signal, null, { reason: failed });
  }
  if (!decides) return leave(draft, signal, ways ?? [], by);
  const way = decided(draft, step, null);
  return way
    ? leave(draft, signal, [way], by)
    : block(draft, signal, [
        { type: 'decision', reason: `The decision of "${step.id}" led nowhere; tell an operator.` },
      ]);
}

/** Takes the first way whose guard holds, or says which guards do not. */
function leave(
  draft: Draft,
  signal: SignalOf<'signal' | 'approve'>,
  ways: readonly Transition[],
  by: Mover,
): Decision {
  const way = openWay(draft, ways);
  if (!way) return block(draft, signal as StepSignal, guardsMissing(draft, ways));
  take(draft, way, by);
  return settle(draft, signal as StepSignal, null);
}

/** The ways an outcome may lead; none if the step's own handler decides where to go. */
export function waysOnOutcome(step: Step, given: string | undefined): readonly Transition[] {
  const outcome = outcomeOf(step, given);
  const decides = step.handler.kind === 'decide' || step.handler.kind === 'function';
  if (outcome === null || (decides && outcome !== 'fail')) return [];
  return step.by_on.get(outcome) ?? step.by_on.get('_default') ?? [];
}

function outcomeOf(step: Step, given: string | undefined): string | null {
  if (given === undefined) return 'ok';
  if (SIGNALLED_OUTCOMES.includes(given)) return given;
  const mapped =
    step.handler.kind === 'dispatch'
      ? Object.entries(step.handler.outcomes).find(([name]) => name.toLowerCase() === given.toLowerCase())
      : undefined;
  return mapped?.[1] ?? null;
}
