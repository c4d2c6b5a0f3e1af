// memory_check: the owner's memory holds enough facts of a category.
import * as z from 'zod';
import { strict } from '../model/strict.ts';
import { defineChecker, MET, unmet } from './checker.ts';

export const memoryCheck = defineChecker({
  type: 'memory_check',
  params: strict({ min_facts: z.int().positive(), category: z.string().min(1) }),
  needs: ({ category }) => [{ kind: 'memory', name: category }],
  check: ({ facts }, { min_facts, category }) => {
    const found = facts.memory?.[category] ?? 0;
    if (found >= min_facts) return MET;
    return unmet(
      `${found} of ${min_facts} facts about "${category}" are known; collect ${min_facts - found} more.`,
      {
        category,
        required: min_facts,
        found,
      },
    );
  },
});
