// What must hold of every answer, whoever asked for whatever. Each sentence is a broken promise.
import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../engine/model/decision.ts';
import type { WorkflowEvent } from '../engine/model/event.ts';
import { State } from '../engine/model/state.ts';
import type { Workflow } from '../engine/model/workflow.ts';
import { mayAct } from './actors.ts';
import type { Move } from './moves.ts';

export function brokenBy(workflow: Workflow, before: State, move: Move, decision: Decision): string[] {
  if (decision.kind === 'repeat') return ['A first signal was answered as a repeat.'];
  if (decision.kind === 'refuse') {
    const { record } = decision;
    return record && !sameButSeq(before, record.state) ? ['A refusal changed more than "seq".'] : [];
  }
  const { state, verdict } = decision;
  const broken: string[] = [];
  const parsed = State.safeParse(state);
  if (!parsed.success) broken.push(`The next state is not valid: ${parsed.error.issues[0]?.message ?? ''}.`);
  if (state.seq !== before.seq + 1) broken.push(`"seq" went from ${before.seq} to ${state.seq}.`);
  if (verdict.result === 'blocked') {
    if (!sameButSeq(before, state)) broken.push('A blocked signal changed more than "seq".');
    return broken;
  }
  if (!move.may) broken.push(`"${move.caller.name}" has no right to this, but it was carried out.`);
  else if (tookForbidden(workflow, before, move, decision.events))
    broken.push(`"${move.caller.name}" took a way that another role's transition alone opens.`);
  return [...broken, ...skippedIn(workflow, state)];
}

/** Of several transitions on one word, the one taken must be one of the caller's. */
function tookForbidden(
  workflow: Workflow,
  before: State,
  move: Move,
  events: readonly WorkflowEvent[],
): boolean {
  const step = workflow.steps[workflow.index.get(before.current_step) ?? -1];
  const first = events.find(({ type }) => type === 'workflow.state.changed');
  if (!step || !first || move.aim === null || move.aim.auto || step.handler.kind !== 'wait') return false;
  const nameOf = (to: number | null) => (to === null ? 'end' : workflow.steps[to]?.id);
  const same = (step.by_on.get(move.aim.on) ?? []).filter(({ to }) => nameOf(to) === first.data['to_state']);
  return same.length > 0 && !same.some((way) => mayAct(move.caller, step, way));
}

function sameButSeq(before: State, after: State): boolean {
  return isDeepStrictEqual({ ...before, seq: 0 }, { ...after, seq: 0 });
}

/** Steps that had to come first and did not; at a successful end, required steps that were not completed. */
function skippedIn(workflow: Workflow, state: State): string[] {
  const broken: string[] = [];
  const current = workflow.index.get(state.current_step) ?? -1;
  for (let at = workflow.dominator[current] ?? -1; at >= 0; at = workflow.dominator[at] ?? -1)
    if (!state.steps[at]?.completed_at)
      broken.push(`"${state.current_step}" was entered although "${workflow.steps[at]?.id}" was not left.`);
  if (state.status !== 'completed') return broken;
  for (const { required, final, index, id } of workflow.steps)
    if (required && final === null && state.steps[index]?.status !== 'completed')
      broken.push(`The workflow completed without its required step "${id}".`);
  return broken;
}
