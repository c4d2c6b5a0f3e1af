// The seed's workflow_metrics, counted from the log alone, commit by commit, so that a long log need not be held.
//   MT1  Time counts from one commit to the next, on the step that was current in between; while an instance is
//        finished no time passes for it, and clocks that differ take none back.
//   MT2  An agent that was told of an attempt before it may open is called when it opens: told again, or by itself.
import type { Commit } from '../model/decision.ts';
import { isFinished } from '../model/state.ts';
import { findStep, type Workflow } from '../model/workflow.ts';

export interface WorkflowMetrics {
  /** The id of the instance, as the seed has it. */
  readonly workflow_id: string;
  readonly total_time_seconds: number;
  readonly step_times: readonly { readonly step: number; readonly duration_seconds: number }[];
  readonly retry_count: number;
  readonly human_approval_time_seconds: number;
  readonly agent_calls: number;
  readonly parallel_executions: number;
}

type Measured = Pick<Commit, 'at' | 'state' | 'events'>;

export function metrics(workflow: Workflow, commits: readonly Measured[]): WorkflowMetrics {
  const meter = new Meter();
  for (const commit of commits) meter.add(workflow, commit);
  return meter.report();
}

export class Meter {
  readonly #spent = new Map<string, number>();
  readonly #parallel = new Set<string>();
  /** By step, who was told of an attempt that is not open yet. */
  readonly #promised = new Map<string, ReadonlySet<string>>();
  #latest: { readonly workflow: Workflow; readonly commit: Measured } | null = null;
  #total = 0;
  #approval = 0;
  #retries = 0;
  #calls = 0;

  /** The next commit, with the version of the definition that the instance is on since then. */
  add(workflow: Workflow, commit: Measured): void {
    if (this.#latest) this.#count(this.#latest.commit, Date.parse(commit.at));
    this.#latest = { workflow, commit };
    for (const record of commit.state.steps)
      if (record && !this.#spent.has(record.id)) this.#spent.set(record.id, 0);
    for (const event of commit.events) this.#hear(workflow, commit, event);
  }

  /** Steps by their numbers in the latest version; one that is gone from it counts in the total alone. */
  report(): WorkflowMetrics {
    const { workflow, commit } = this.#latest ?? {};
    const times = [...this.#spent].flatMap(([id, duration]) => {
      const step = workflow && findStep(workflow, id);
      return step?.final === null ? [{ step: step.number, duration_seconds: seconds(duration) }] : [];
    });
    return {
      workflow_id: commit?.state.instance_id ?? '',
      total_time_seconds: seconds(this.#total),
      step_times: times.sort((a, b) => a.step - b.step),
      retry_count: this.#retries,
      human_approval_time_seconds: seconds(this.#approval),
      agent_calls: this.#calls,
      parallel_executions: this.#parallel.size,
    };
  }

  /** MT1. */
  #count({ state, at }: Measured, until: number): void {
    if (isFinished(state)) return;
    const duration = Math.max(0, until - Date.parse(at));
    this.#total += duration;
    if (state.status === 'waiting_approval') this.#approval += duration;
    this.#spent.set(state.current_step, (this.#spent.get(state.current_step) ?? 0) + duration);
  }

  #hear(workflow: Workflow, commit: Measured, { type, data }: Measured['events'][number]): void {
    if (type === 'workflow.retried' || (type === 'workflow.attempt.failed' && data.last === false))
      this.#retries++;
    const { step, assigned_to_role: role } = data;
    if (typeof step !== 'string') return;
    if (type === 'workflow.attempt.started') this.#open(workflow, commit, step);
    if (type !== 'workflow.task.assigned' || typeof role !== 'string') return;
    if (data.not_before === undefined) this.#call(workflow, commit, step, role);
    else this.#promised.set(step, new Set([...(this.#promised.get(step) ?? []), role]));
  }

  /** MT2. */
  #open(workflow: Workflow, commit: Measured, step: string): void {
    const told = commit.events.some(
      ({ type, data }) =>
        type === 'workflow.task.assigned' && data.step === step && data.not_before === undefined,
    );
    const promised = told ? [] : (this.#promised.get(step) ?? []);
    for (const role of promised) this.#call(workflow, commit, step, role);
    this.#promised.delete(step);
  }

  #call(workflow: Workflow, { state }: Measured, id: string, role: string): void {
    const step = findStep(workflow, id);
    if (!step || step.human || role === 'owner') return;
    this.#calls++;
    if (step.teamwork === 'all' && step.agents.includes(role))
      this.#parallel.add(`${step.id} ${state.steps[step.index]?.entered} ${role}`);
  }
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000);
