// A document of one phase around the lines under test.
import { type PhaseDocument, readPhases } from '../../../shared/reading/markdown/read-phases.ts';

export function inPhase(body: string): PhaseDocument {
  return readPhases(`# Method\n\n## Phase 1: Try\n\n${body}\n`);
}

/** The same below a checkpoint heading. */
export function inCheckpoint(body: string): PhaseDocument {
  return inPhase(`### Checkpoint\n\n${body}`);
}

/** The phase's fields without their descriptions, which have a test of their own. */
export function rulesOf({ phases }: PhaseDocument): Record<string, unknown> {
  const fields = Object.entries(phases[0]?.evidence ?? {});
  return Object.fromEntries(fields.map(([name, { description: _, ...rules }]) => [name, rules]));
}
