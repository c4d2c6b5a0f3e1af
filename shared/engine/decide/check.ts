// Judges a step's criteria. A checker that throws is noted and counts as not met.
import type { Missing } from '../criteria/checker.ts';
import type { StepRecord } from '../model/state.ts';
import type { Step } from '../model/workflow.ts';
import { artifactsOf } from './artifacts.ts';
import type { Draft } from './draft.ts';

export interface Judgement {
  readonly missing: readonly Missing[];
  /** Set when a criterion settles the outcome instead of blocking. */
  readonly failed: string | null;
}

export function judge(draft: Draft, step: Step, record: StepRecord, signalled = true): Judgement {
  const missing: Missing[] = [];
  let failed: string | null = null;
  if (step.criteria.length === 0) return { missing, failed };
  const context = {
    workflow: draft.workflow,
    step,
    state: { ...draft.from, artifacts: draft.artifacts, shared: draft.shared },
    record,
    artifacts: artifactsOf(draft, record),
    facts: draft.facts,
    actor: draft.actor,
    signalled,
  };
  for (const { type, params, checker } of step.criteria) {
    try {
      const verdict = checker.check(context, params as never); // parsed by this checker's own schema when compiled
      if (!verdict.met)
        for (const item of verdict.missing) missing.push({ type, ...item } as Missing); // a Missing without its type
      else if ('outcome' in verdict) failed ??= verdict.reason;
    } catch (error) {
      draft.note(
        'error',
        `The checker ${type} of step "${step.id}" threw: ${error instanceof Error ? error.message : String(error)}`,
      );
      missing.push({
        type,
        reason: `The check ${type} could not be made; it counts as not met. Tell an operator.`,
      });
    }
  }
  return { missing, failed };
}
