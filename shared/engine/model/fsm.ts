// The seed's `states/transitions/guards` form: transitions stand apart from the states and carry `from`.
import * as z from 'zod';
import { header, Identifier, StepInput, Transition } from './definition.ts';
import { strict } from './strict.ts';

const { next: _next, transitions: _transitions, final: _final, ...stepShape } = StepInput.shape;

const StateInput = strict({
  ...stepShape,
  allowed_roles: z.array(z.string()).optional(),
  entry_action: z.string().optional(),
  exit_action: z.string().optional(),
  entry_notification: z.union([z.string(), z.array(z.string())]).optional(),
  initial: z.boolean().optional(),
  terminal: z.union([z.boolean(), z.enum(['success', 'failure'])]).optional(),
});

const { on: _on, role: _role, ...transitionShape } = Transition.shape;

const FsmTransition = strict({
  ...transitionShape,
  from: z.union([Identifier, z.array(Identifier)]),
  action: z.string().min(1).optional(),
  role_required: z.union([z.string(), z.array(z.string())]).optional(),
});

export const FsmDefinition = strict({
  ...header,
  initial: z.string().optional(),
  states: z.array(StateInput).min(1).max(20_000),
  transitions: z.array(FsmTransition),
});
export type FsmDefinition = z.infer<typeof FsmDefinition>;
