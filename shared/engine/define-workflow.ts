// A definition written in TypeScript: what it names as a step must be one of its steps, or it does not compile.
import type { StepInput, StepListDefinition } from './model/definition.ts';

type Target<Id extends string> = Id | 'end' | null;
type TransitionInput = NonNullable<StepInput['transitions']>[number];

type TypedTransition<Id extends string> = Omit<TransitionInput, 'to'> & { to: Target<Id> };

type TypedStep<Id extends string> = Omit<
  StepInput,
  'id' | 'next' | 'transitions' | 'triggers_retry' | 'prerequisites'
> & {
  id: Id;
  next?: Target<NoInfer<Id>> | Record<string, Target<NoInfer<Id>>>;
  transitions?: TypedTransition<NoInfer<Id>>[];
  triggers_retry?: boolean | NoInfer<Id>;
  /** Ids or numbers. */
  prerequisites?: (NoInfer<Id> | number)[];
};

export type TypedDefinition<Id extends string> = Omit<StepListDefinition, 'steps' | 'entry' | 'document'> & {
  entry?: NoInfer<Id>;
  steps: TypedStep<Id>[];
};

/** The plain definition, for `load` or `compile`. */
export function defineWorkflow<const Id extends string>(definition: TypedDefinition<Id>): StepListDefinition {
  return definition;
}
