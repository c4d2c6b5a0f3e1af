// The seed's workflow_metrics, counted from the log alone.
import type { Commit } from '../model/decision.ts';
import { isFinished } from '../model/state.ts';
import { findStep, type Workflow } from '../model/workflow.ts';

export function metrics(workflow: Workflow, commits: readonly Commit[]) {
  const spent = new Map<number, number>();
  let total = 0;
  let approval = 0;
  let retry_count = 0;
  let agent_calls = 0;
  const parallel = new Set<string>();
  commits.forEach((commit, i) => {
    const { state, events } = commit;
    for (const record of state.steps) {
      const step = record && findStep(workflow, record.id);
      if (step && step.final === null && !spent.has(step.number)) spent.set(step.number, 0);
    }
    const next = commits[i + 1];
    if (next && !isFinished(state)) {
      const duration = Date.parse(next.at) - Date.parse(commit.at);
      total += duration;
      if (state.status === 'waiting_approval') approval += duration;
      const number = findStep(workflow, state.current_step)?.number;
      if (number !== undefined) spent.set(number, (spent.get(number) ?? 0) + duration);
    }
    for (const { type, data } of events) {
      if (type === 'workflow.retried' || (type === 'workflow.attempt.failed' && data.last === false))
        retry_count++;
      const { step: id, assigned_to_role: role } = data;
      if (type !== 'workflow.task.assigned' || typeof id !== 'string' || typeof role !== 'string') continue;
      const step = findStep(workflow, id);
      if (!step || step.human || role === 'owner') continue;
      agent_calls++;
      if (step.teamwork === 'all' && step.agents.includes(role))
        parallel.add(`${step.id} ${state.steps[step.index]?.entered} ${role}`);
    }
  });
  return {
    workflow_id: commits[0]?.state.instance_id ?? '',
    total_time_seconds: seconds(total),
    step_times: [...spent]
      .sort(([a], [b]) => a - b)
      .map(([step, duration]) => ({ step, duration_seconds: seconds(duration) })),
    retry_count,
    human_approval_time_seconds: seconds(approval),
    agent_calls,
    parallel_executions: parallel.size,
  };
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000);
