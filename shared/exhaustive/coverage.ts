// The tally of a walk: per transition how often it was taken, blocked and refused, and per case what came of it.
import type { WorkflowEvent } from '../engine/model/event.ts';
import type { State } from '../engine/model/state.ts';
import type { Step, Transition, Workflow } from '../engine/model/workflow.ts';
import type { Move } from './moves.ts';

export type Result = 'taken' | 'held' | 'blocked' | 'refused';

export interface Row {
  readonly step: string;
  readonly on: string;
  readonly to: string;
  taken: number;
  blocked: number;
  refused: number;
  status: 'taken' | 'skipped' | 'never';
  reason: string | null;
}

export interface Case {
  readonly id: string;
  readonly counts: Record<Result, number>;
  readonly failures: string[];
}

export class Coverage {
  readonly rows = new Map<Transition, Row>();
  readonly cases = new Map<string, Case>();
  readonly unsolved = new Map<Transition, string>();
  readonly entered = new Set<string>();

  constructor(readonly workflow: Workflow) {
    for (const step of workflow.steps)
      for (const way of step.transitions)
        this.rows.set(way, {
          step: step.id,
          on: way.on,
          to: this.#nameOf(way.to),
          taken: 0,
          blocked: 0,
          refused: 0,
          status: 'never',
          reason: null,
        });
  }

  /** Iterations are told apart only at steps that iterate. */
  count(
    step: Step,
    state: State,
    move: Move,
    params: string,
    result: Result,
    failures: readonly string[],
  ): void {
    const record = state.steps[step.index];
    const iteration = step.by_on.has('iterate') ? `-iteration${Number(record?.state['iteration'] ?? 1)}` : '';
    const id = `${this.workflow.id}-${step.id}-${move.action}-${move.caller.name}-${params}${iteration}`;
    const found = this.cases.get(id) ?? {
      id,
      counts: { taken: 0, held: 0, blocked: 0, refused: 0 },
      failures: [],
    };
    this.cases.set(id, found);
    found.counts[result]++;
    for (const failure of failures) if (!found.failures.includes(failure)) found.failures.push(failure);
    if (move.aim === null) return;
    const row = this.rows.get(move.aim);
    if (row && result === 'blocked') row.blocked++;
    if (row && result === 'refused') row.refused++;
    if (move.unsolved !== null) this.unsolved.set(move.aim, move.unsolved);
  }

  /** Reads from the events which transitions a commit took. */
  take(events: readonly WorkflowEvent[], after: State, move: Move | null): boolean {
    let any = false;
    for (const { type, data } of events) {
      if (type !== 'workflow.state.changed') continue; // from_state and to_state are ids of steps
      const from = this.workflow.steps[this.workflow.index.get(data['from_state'] as string) ?? -1];
      const ways = from?.transitions.filter(({ to }) => this.#nameOf(to) === data['to_state']) ?? [];
      const outcome = from && after.steps[from.index]?.outcome;
      const row = this.rows.get(
        (ways.find((way) => way === move?.aim && (outcome === null || way.on === outcome)) ??
          ways.find(({ on }) => on === data['triggered_by_action']) ??
          ways.find(({ on }) => on === outcome) ??
          ways[0]) as Transition, // undefined is no key of the map
      );
      this.entered.add(data['to_state'] as string);
      any = true;
      if (row) row.taken++;
    }
    return any;
  }

  #nameOf(to: number | null): string {
    return to === null ? 'end' : (this.workflow.steps[to]?.id ?? 'end');
  }
}
