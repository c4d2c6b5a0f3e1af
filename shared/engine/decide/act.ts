// An action of the workflow's own: one transition, or several where the first ones are implied.
//   V6  What a step asks for that the action has not got past is told once the step is entered, not by trying.
import type { Missing } from '../criteria/checker.ts';
import type { Decision } from '../model/decision.ts';
import type { SignalOf } from '../model/signal.ts';
import type { Step, Transition } from '../model/workflow.ts';
import { requiredAction } from './assign.ts';
import { judge } from './check.ts';
import { leaseOn } from './claims.ts';
import type { Draft } from './draft.ts';
import { merge } from './merge.ts';
import { guardsMissing, type Mover, openWay, take } from './move.ts';
import { block, settle } from './outcome.ts';
import { onlyApproval, requestApproval } from './request-approval.ts';

type StepSignal = SignalOf<'signal'>;

/** An action of the workflow: the first permitted path whose guards hold, all of it in one commit. */
export function act(draft: Draft, signal: StepSignal, paths: readonly Transition[][], by: Mover): Decision {
  const start = draft.step;
  const path = paths.find(([first]) => first !== undefined && openWay(draft, [first]) !== undefined);
  if (!path)
    return block(
      draft,
      signal,
      guardsMissing(
        draft,
        paths.flatMap((way) => way.slice(0, 1)),
      ),
    );
  for (const [position, transition] of path.entries()) {
    const last = position === path.length - 1;
    if (!draft.step.transitions.includes(transition)) {
      const reason = `On the way to ${transition.on} the workflow goes on to "${draft.step.id}" by itself, where ${transition.on} is not possible.`;
      return block(draft, signal, [{ type: 'transition', reason }]);
    }
    if (
      transition.feedback_required &&
      !signal.body.feedback?.trim() &&
      !(draft.feedback !== null && receives(draft.step, transition))
    ) {
      return block(draft, signal, [
        { type: 'feedback', reason: `${transition.on} needs feedback that says why; send it in "feedback".` },
      ]);
    }
    const refused = position > 0 && last ? merge(draft, signal.body) : null;
    if (refused) return refused;
    if (position > 0 && openWay(draft, [transition]) === undefined)
      return block(draft, signal, guardsMissing(draft, [transition]));
    const { missing } = transition.completes ? judge(draft, draft.step, draft.record) : { missing: [] };
    if (missing.length > 0) {
      if (last && onlyApproval(missing)) return requestApproval(draft, signal, by);
      return block(draft, signal, position === 0 ? missing : untold(draft.step, path, missing));
    }
    take(draft, transition, { ...by, action: transition.on, feedback: last ? by.feedback : undefined });
    if (transition.claims && last) leaseOn(draft, { role: by.role, agent: null });
  }
  validated(draft, signal, start, by);
  return settle(draft, signal, null);
}

/** V6: the step that the action would have passed into is still locked, and so is what it asks for. */
function untold(
  { id }: Step,
  [enter, ...rest]: readonly Transition[],
  missing: readonly Missing[],
): Missing[] {
  const reason = `${rest.at(-1)?.on} asks for more in step "${id}". Send ${enter?.on} first: the step is then open and says what.`;
  return [...new Set(missing.map(({ type }) => type))].map((type) => ({ type, step: id, reason }));
}

/** Whoever revises was given feedback; whoever rejects has to give it. */
export const receives = (step: Step, { implied, roles }: Transition): boolean =>
  implied || (roles.length > 0 && !roles.some((role) => step.roles.includes(role)));

/** The seed's validation answer, as an event. */
function validated(draft: Draft, signal: StepSignal, start: Step, by: Mover): void {
  draft.emit('workflow.validation.completed', {
    task_id: draft.from.instance_id,
    action: signal.body.action,
    actor_role: by.role,
    status: 'accepted',
    previous_state: start.id,
    current_state: draft.step.id,
    next_role: draft.step.roles_in_charge[0] ?? null,
    next_action: draft.step.final === null ? requiredAction(draft.step) : null,
  });
}
