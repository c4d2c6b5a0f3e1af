// A document of one phase around the lines under test.
import { type Phase, type PhaseDocument, readPhases } from '../../../shared/reading/markdown/read-phases.ts';

export function inPhase(body: string): PhaseDocument {
  return readPhases(`# Method\n\n## Phase 1: Try\n\n${body}\n`);
}

/** The same below a checkpoint heading. */
export function inCheckpoint(body: string): PhaseDocument {
  return inPhase(`### Checkpoint\n\n${body}`);
}

/** The phase's fields without their descriptions, which have a test of their own. */
export function rulesOf({ phases }: PhaseDocument): Record<string, unknown> {
  return withoutDescriptions(phases[0]?.evidence ?? {});
}

export function withoutDescriptions(evidence: Phase['evidence']): Record<string, unknown> {
  const rules = structuredClone(evidence);
  for (const field of Object.values(rules)) delete field.description;
  return rules;
}
