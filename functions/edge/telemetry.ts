// Logs and metrics, written once. No token, no answer text and no feedback is ever logged: only names, ids and results.
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Observation } from '../../shared/app/app.ts';
import type { Finished } from '../../shared/app/measure-finished.ts';

const NAMESPACE = 'Stepgate';

export const logger = new Logger({ serviceName: 'stepgate' });
const metrics = new Metrics({ namespace: NAMESPACE, serviceName: 'stepgate' });
/** On a laptop nobody collects them, and making them costs as much as deciding. */
export const COUNTED = process.env['POWERTOOLS_METRICS_DISABLED'] !== 'true';

/** One line and one number for each HTTP request. */
export function observeRequest({ latency_ms, ...request }: ObservedRequest): void {
  logger.info('http', { ...request, latency_ms: Math.round(latency_ms) });
  if (!COUNTED) return;
  metrics.addMetric('Latency', MetricUnit.Milliseconds, latency_ms);
  metrics.publishStoredMetrics();
}

export interface ObservedRequest {
  readonly route: string;
  readonly status: number;
  readonly latency_ms: number;
  readonly request_id: string;
  readonly lambda_request_id: string | undefined;
}

/** One line and one set of numbers for everything that was said to an instance. */
export function observe({ notes, conflicts, ...told }: Observation): void {
  logger.info('told', { ...told, conflicts });
  for (const { level, message } of notes) logger[level](message, { instance_id: told.instance_id });
  if (!COUNTED) return;
  const one = metrics.singleMetric();
  one.addDimension('workflow', told.workflow_id);
  one.addDimension('result', told.result);
  one.addMetric('Signals', MetricUnit.Count, 1);
  if (conflicts > 0) metrics.addMetric('Conflicts', MetricUnit.Count, conflicts);
}

/** The metrics of instances that are finished. A record that comes again counts again: AWS promises no better. */
export function observeFinished({ instance_id, workflow_id, status, measured }: Finished): void {
  const { workflow_id: _instance, step_times: _times, ...numbers } = measured;
  logger.info('finished', { instance_id, workflow_id, status, ...numbers });
  const whole = metricsOf({ workflow: workflow_id, status });
  whole.addMetric('InstancesFinished', MetricUnit.Count, 1);
  whole.addMetric('WorkflowDuration', MetricUnit.Seconds, measured.total_time_seconds);
  whole.addMetric('ApprovalTime', MetricUnit.Seconds, measured.human_approval_time_seconds);
  whole.addMetric('Retries', MetricUnit.Count, measured.retry_count);
  whole.addMetric('AgentCalls', MetricUnit.Count, measured.agent_calls);
  whole.addMetric('ParallelExecutions', MetricUnit.Count, measured.parallel_executions);
  whole.publishStoredMetrics();
  for (const { step, duration_seconds } of measured.step_times) {
    const one = metricsOf({ workflow: workflow_id, step: String(step) });
    one.addMetric('StepDuration', MetricUnit.Seconds, duration_seconds);
    one.publishStoredMetrics();
  }
}

function metricsOf(dimensions: Readonly<Record<string, string>>): Metrics {
  const some = new Metrics({ namespace: NAMESPACE, serviceName: 'stepgate' });
  some.addDimensions(dimensions);
  return some;
}
