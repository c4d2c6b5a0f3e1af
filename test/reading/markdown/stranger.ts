// Reads a whole document and shows what a test compares: title, problems, and the rules of each phase by its heading.
import { readPhases } from '../../../shared/reading/markdown/read-phases.ts';
import { withoutDescriptions } from './one-phase.ts';

/** Documents are template literals; in them § stands for a backtick. */
export function readStranger(text: string) {
  const source = text.trimStart().replaceAll('§', '`');
  const { title, problems, phases } = readPhases(source);
  const rules: Record<string, unknown> = {};
  for (const { heading, evidence } of phases)
    rules[heading.replace(/^[^\p{L}]+/u, '')] = withoutDescriptions(evidence);
  return { title, problems, phases: rules };
}
