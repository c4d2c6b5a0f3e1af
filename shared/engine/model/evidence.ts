// What a step asks an agent to show before it counts as done: one typed field per claim.
import * as z from 'zod';
import { strict } from './strict.ts';

const EVIDENCE_TYPES = ['integer', 'number', 'string', 'list', 'boolean', 'object'] as const;

export const EvidenceField = strict({
  type: z.enum(EVIDENCE_TYPES),
  required: z.boolean().optional(),
  description: z.string().optional(),
  /** Inclusive bounds of a number. */
  min: z.number().optional(),
  max: z.number().optional(),
  /** Exclusive lower bound of a number: "greater than N". */
  above: z.number().optional(),
  not_zero: z.boolean().optional(),
  /** Characters of a string, entries of a list. */
  min_length: z.int().nonnegative().optional(),
  max_length: z.int().nonnegative().optional(),
  /** A string holds each text; a list holds each item. */
  contains: z.array(z.string()).optional(),
  choices: z.array(z.string()).min(1).optional(),
  example: z.unknown().optional(),
});
export type EvidenceField = z.infer<typeof EvidenceField>;
