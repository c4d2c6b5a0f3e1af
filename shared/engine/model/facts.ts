// What a criterion needs to know from outside the instance, gathered before the engine is asked.
import * as z from 'zod';

export const Facts = z.strictObject({
  /** How many facts about the owner the memory holds, by category. */
  memory: z.record(z.string(), z.int().nonnegative()).optional(),
  /** The version that new instances start on: where an instance may be moved by its owner. */
  current_version: z.string().optional(),
  /** Where the classifier takes a person's message to belong; `failed` if it threw. */
  intent: z
    .strictObject({
      step: z.string().nullable(),
      confidence: z.number().min(0).max(1),
      failed: z.literal(true).optional(),
    })
    .optional(),
  /** Whatever checkers from outside asked for, under their own names. */
  custom: z.record(z.string(), z.unknown()).optional(),
});
export type Facts = z.infer<typeof Facts>;

export const NO_FACTS: Facts = Object.freeze({});
