// guard: an expression over params, state, data, artifacts and evidence holds.
import * as z from 'zod';
import { absent, type CompiledExpression, holds } from '../expressions/expression.ts';
import { variablesOf } from '../expressions/variables.ts';
import { strict } from '../model/strict.ts';
import { defineChecker, MET, unmet } from './checker.ts';

export const guard = defineChecker({
  type: 'guard',
  params: strict({
    expression: z.string(),
    message: z.string().optional(),
    /** Put in by the compiler. */
    compiled: z.custom<CompiledExpression>().optional(),
  }),
  check: (context, { expression, message, compiled }) => {
    const variables = variablesOf(context.state, context.record, context.artifacts);
    if (compiled && holds(compiled, variables)) return MET;
    return unmet(message ?? guardReason(expression, compiled ? absent(compiled, variables) : []), {
      expression,
    });
  },
});

/** Why a guard does not hold, with what to send. */
export function guardReason(source: string, missing: readonly string[]): string {
  const what = missing.length > 0 ? `; not there yet: ${missing.join(', ')}` : '';
  return `The guard \`${source}\` does not hold${what}.`;
}
