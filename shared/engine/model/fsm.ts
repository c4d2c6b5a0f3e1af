// The seed's `states/transitions/guards` form: transitions stand apart from the states and carry `from`.
import * as z from 'zod';
import { header, Identifier, Name, StepInput, Transition } from './definition.ts';
import { strict } from './strict.ts';

const { next: _next, transitions: _transitions, final: _final, ...stepShape } = StepInput.shape;

const StateInput = strict({
  ...stepShape,
  allowed_roles: z.array(Name).optional(),
  entry_action: Name.optional(),
  exit_action: Name.optional(),
  entry_notification: z.union([Name, z.array(Name)]).optional(),
  initial: z.boolean().optional(),
  terminal: z.union([z.boolean(), z.enum(['success', 'failure'])]).optional(),
});

const { on: _on, role: _role, ...transitionShape } = Transition.shape;

const FsmTransition = strict({
  ...transitionShape,
  from: z.union([Identifier, z.array(Identifier)]),
  action: Name.optional(),
  role_required: z.union([Name, z.array(Name)]).optional(),
});

export const FsmDefinition = strict({
  ...header,
  initial: Name.optional(),
  states: z.array(StateInput).min(1).max(20_000),
  transitions: z.array(FsmTransition),
});
export type FsmDefinition = z.infer<typeof FsmDefinition>;
