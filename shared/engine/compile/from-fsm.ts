// The FSM form, turned into the step list: each state takes its outgoing transitions with it.
import { MOST_TRANSITIONS, type StepInput, type StepListDefinition } from '../model/definition.ts';
import type { FsmDefinition } from '../model/fsm.ts';
import type { ProofProblem } from '../prove/problem.ts';

type FsmTransition = FsmDefinition['transitions'][number];

export function stepsFromFsm(
  fsm: FsmDefinition,
  workflow: string,
  problems: ProofProblem[],
): StepListDefinition {
  const { states, transitions, initial, ...shared } = fsm;
  const leaving = new Map<string, FsmTransition[]>(states.map(({ id }) => [id, []]));
  for (const transition of transitions) {
    for (const from of [transition.from].flat()) {
      const list = leaving.get(from);
      if (list && list.length < MOST_TRANSITIONS) list.push(transition);
      else if (list)
        problems.push({
          check: 2,
          workflow,
          step: from,
          message: `More than ${MOST_TRANSITIONS} transitions leave "${from}".`,
          fix: 'Split the state.',
        });
      else
        problems.push({
          check: 2,
          workflow,
          step: from,
          message: `A transition leaves "${from}", which is not a state.`,
          fix: `Add a state with id "${from}", or correct the transition's "from".`,
        });
    }
  }
  const entry = fsm.entry ?? initial ?? states.find((state) => state.initial)?.id;
  const roles = fsm.roles ?? declaredRoles(fsm);
  const steps = states.map((state): StepInput => {
    const {
      allowed_roles,
      entry_action,
      exit_action,
      entry_notification: _,
      initial: __,
      terminal,
      ...step
    } = state;
    return {
      ...step,
      required: step.required ?? false,
      ...(step.roles || allowed_roles ? { roles: step.roles ?? allowed_roles } : {}),
      ...(terminal === undefined ? {} : { final: terminal }),
      transitions: (leaving.get(state.id) ?? []).map(({ from: ___, action, role_required, ...rest }) => ({
        ...rest,
        on: action ?? (rest.auto ? (exit_action ?? 'AUTO') : undefined),
        ...(role_required === undefined ? {} : { role: role_required }),
      })),
      ...((step.required_action ?? requiredAction(leaving.get(state.id) ?? [], entry_action))
        ? {
            required_action:
              step.required_action ?? requiredAction(leaving.get(state.id) ?? [], entry_action),
          }
        : {}),
    };
  });
  return { ...shared, ...(entry === undefined ? {} : { entry }), roles, steps };
}

/** The first thing somebody has to do to leave the state. */
function requiredAction(
  leaving: readonly FsmTransition[],
  entryAction: string | undefined,
): string | undefined {
  return leaving.find(({ auto }) => !auto)?.action ?? entryAction;
}

/** `allowed_roles`, `role_required` and `entry_notification` declare the roles they name. */
function declaredRoles({ states, transitions }: FsmDefinition): string[] {
  const named = [
    ...states.flatMap(({ allowed_roles = [], roles = [], entry_notification = [] }) => [
      ...allowed_roles,
      ...roles,
      ...[entry_notification].flat(),
    ]),
    ...transitions.flatMap(({ role_required = [] }) => [role_required].flat()),
  ];
  return [...new Set(named)];
}
