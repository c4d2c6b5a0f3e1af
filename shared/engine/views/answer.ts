// The answer to a signal: what the verdict says, where the instance is, and who is next.
import type { Answer, Verdict } from '../model/decision.ts';
import type { State } from '../model/state.ts';
import type { Workflow } from '../model/workflow.ts';
import { progressOf } from '../progress.ts';
import { inCharge } from './in-charge.ts';

export function answerOf(workflow: Workflow, state: State, verdict: Verdict): Answer {
  const next = inCharge(workflow, state);
  return {
    ...verdict,
    instance_id: state.instance_id,
    workflow_id: state.workflow_id,
    version: state.seq,
    current_step: state.current_step,
    progress: progressOf(workflow, state),
    ...(next === null ? {} : { next }),
  };
}
