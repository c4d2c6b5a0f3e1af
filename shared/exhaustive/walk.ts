// The exhaustive walk: every step × way out × caller × parameter combination, on the engine itself.
//   W1  Deterministic: the same definition and limits give the same report.
//   W2  Bounded: situations that differ in nothing a gate looks at are visited once.
import { decide } from '../engine/decide/decide.ts';
import { begin } from '../engine/decide/start.ts';
import type { Decision } from '../engine/model/decision.ts';
import type { Facts } from '../engine/model/facts.ts';
import { isFinished, type State } from '../engine/model/state.ts';
import { stepAt, type Workflow } from '../engine/model/workflow.ts';
import { Fault } from '../faults.ts';
import { type Caller, callersOf, OWNER } from './actors.ts';
import { type Combination, combinations } from './combinations.ts';
import { type Case, Coverage, type Result, type Row } from './coverage.ts';
import { brokenBy } from './invariants.ts';
import { type Move, movesIn } from './moves.ts';
import { nowIn, START } from './clock.ts';
import { plentyOfFacts } from './samples.ts';
import { situationsOf } from './situation.ts';
import { settleRows } from './verdicts.ts';

export interface WalkOptions {
  readonly maxCombinations?: number;
  /** Per combination. */
  readonly maxSituations?: number;
}

export interface WalkReport {
  readonly workflow: string;
  readonly version: string;
  readonly ok: boolean;
  readonly combinations: number;
  readonly situations: number;
  readonly signals: number;
  readonly completed: number;
  readonly cases: readonly Case[];
  readonly coverage: readonly Row[];
  readonly failures: readonly { readonly id: string; readonly failures: readonly string[] }[];
  readonly skipped: readonly string[];
}

interface Walk {
  readonly workflow: Workflow;
  readonly coverage: Coverage;
  readonly callers: readonly Caller[];
  readonly facts: Facts;
  readonly counts: { situations: number; signals: number; completed: number };
}

export function walk(workflow: Workflow, options: WalkOptions = {}): WalkReport {
  const { maxCombinations = 200, maxSituations = 5_000 } = options;
  const { combinations: chosen, skipped } = combinations(workflow, maxCombinations);
  const coverage = new Coverage(workflow);
  const counts = { situations: 0, signals: 0, completed: 0 };
  const walked: Walk = {
    workflow,
    coverage,
    callers: callersOf(workflow),
    facts: plentyOfFacts(workflow),
    counts,
  };
  const cut = chosen.filter((combination) => !explore(walked, combination, maxSituations));
  const limits = cut.map(
    ({ label }) => `Situations beyond ${maxSituations} with ${label}: that is the limit.`,
  );
  const rows = settleRows(coverage, cut.length > 0);
  const cases = [...coverage.cases.values()];
  const failures = cases
    .filter((one) => one.failures.length > 0)
    .map(({ id, failures: told }) => ({ id, failures: told }));
  return {
    workflow: workflow.id,
    version: workflow.version,
    ok: failures.length === 0 && rows.every(({ status }) => status !== 'never'),
    combinations: chosen.length,
    ...counts,
    cases,
    coverage: rows,
    failures,
    skipped: [...skipped, ...limits],
  };
}

/** Breadth first from the start. False if the limit cut it short. */
function explore(walked: Walk, { label, params }: Combination, limit: number): boolean {
  const { workflow, coverage, counts, callers } = walked;
  const body = { instance_id: `walk-${workflow.id}`, workflow_id: workflow.id, params };
  const first = begin(workflow, body, OWNER.actor, START);
  coverage.entered.add(stepAt(workflow, workflow.entry).id);
  coverage.take(first.events, first.state, null);
  const situationOf = situationsOf(workflow);
  const seen = new Set([situationOf(first.state)]);
  const open: State[] = [first.state];
  for (const state of open) {
    counts.situations++;
    if (state.status === 'completed') counts.completed++;
    if (isFinished(state)) continue;
    const untouched = JSON.stringify(state);
    for (const move of movesIn(workflow, state, callers)) {
      const next = send(walked, state, move, label);
      if (next === null) continue;
      const situation = situationOf(next);
      if (seen.has(situation)) continue;
      if (seen.size >= limit) return false;
      seen.add(situation);
      open.push(next);
    }
    if (JSON.stringify(state) !== untouched)
      throw new Error(`The engine changed a state it was given: ${untouched}`);
  }
  return true;
}

/** Sends one signal, checks the answer, and gives the next state if there is one. */
function send(
  { workflow, coverage, facts, counts }: Walk,
  state: State,
  move: Move,
  label: string,
): State | null {
  const step = stepAt(workflow, workflow.index.get(state.current_step) ?? 0);
  counts.signals++;
  let decision: Decision;
  try {
    decision = decide(workflow, state, move.signal, move.caller.actor, facts, nowIn(state));
  } catch (error) {
    const told =
      error instanceof Fault
        ? []
        : [`The engine threw: ${error instanceof Error ? error.message : String(error)}`];
    coverage.count(step, state, move, label, 'refused', told);
    return null;
  }
  const broken = brokenBy(workflow, state, move, decision);
  if (decision.kind !== 'commit') {
    coverage.count(step, state, move, label, 'refused', broken);
    return null;
  }
  const moved = coverage.take(decision.events, decision.state, move);
  const result: Result = decision.verdict.result === 'blocked' ? 'blocked' : moved ? 'taken' : 'held';
  coverage.count(step, state, move, label, result, broken);
  return result === 'blocked' || broken.length > 0 ? null : decision.state;
}
