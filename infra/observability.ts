// What is watched, and the one page that shows it.
import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { Alarms } from './alarms.ts';
import type { FunctionName } from './functions/catalogue.ts';
import type { ServiceFunction } from './functions/service-function.ts';
import type { ServiceHttpApi } from './http-api.ts';
import type { ServiceWebSocketApi } from './websocket-api.ts';

export interface Watched {
  readonly http: ServiceHttpApi;
  readonly websocket: ServiceWebSocketApi;
  readonly functions: Readonly<Record<FunctionName, ServiceFunction>>;
  /** Those of them that read the stream. */
  readonly consumers: Readonly<Record<string, ServiceFunction>>;
  readonly machine: StateMachine;
  readonly queues: Readonly<Record<string, Queue>>;
  readonly tables: Readonly<Record<string, Table>>;
}

export interface ObservabilityProps {
  readonly watched: Watched;
  readonly topic: ITopic | undefined;
  readonly dashboard: boolean;
}

/** A metric that functions/edge/telemetry.ts writes, over all values of its dimensions. */
const written = (name: string, dimensions: string, statistic: string, minutes: number): MathExpression =>
  new MathExpression({
    expression: `SEARCH('{Stepgate,${dimensions}} MetricName="${name}"', '${statistic}', ${minutes * 60})`,
    label: '',
    period: Duration.minutes(minutes),
    usingMetrics: {},
  });

const SIGNALS = written('Signals', 'result,service,workflow', 'Sum', 1);
/** Of instances that are finished: the numbers of GET /metrics. */
const finished = (name: string, statistic: string): MathExpression =>
  written(name, 'service,status,workflow', statistic, 5);
const STEP_TIMES = written('StepDuration', 'service,step,workflow', 'Average', 5);

const WIDE = 24;
const HALF = 12;

export class Observability extends Construct {
  readonly alarms: Alarms;

  constructor(scope: Construct, id: string, { watched, topic, dashboard }: ObservabilityProps) {
    super(scope, id);
    this.alarms = new Alarms(this, 'Alarms', watched, topic);
    if (dashboard) this.createDashboard(watched);
  }

  private createDashboard({ http, websocket, functions, consumers, machine, tables }: Watched): void {
    const lambdas = Object.entries(functions);
    const each = (metric: (one: ServiceFunction) => IMetric): IMetric[] =>
      lambdas.map(([, one]) => metric(one));
    const sum = { statistic: 'Sum', period: Duration.minutes(1) };
    const p99 = { statistic: 'p99', period: Duration.minutes(1) };
    const named = (label: string) => ({ ...sum, label });
    const dashboard = new Dashboard(this, 'Dashboard');
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: this.alarms.all, width: WIDE }));
    dashboard.addWidgets(
      graph('HTTP requests', [
        http.stage.metricCount(sum),
        http.stage.metricClientError(sum),
        http.stage.metricServerError(sum),
      ]),
      graph('HTTP latency', [
        http.stage.metricLatency({ ...p99, statistic: 'p50' }),
        http.stage.metricLatency(p99),
      ]),
    );
    dashboard.addWidgets(
      graph('Signals by result', [SIGNALS]),
      graph(
        'WebSocket',
        ['ConnectCount', 'MessageCount', 'IntegrationError'].map((name) => websocket.stage.metric(name, sum)),
      ),
    );
    dashboard.addWidgets(
      graph('Instances finished, by status', [finished('InstancesFinished', 'Sum')]),
      graph('Time to finish, and of it for approvals (s)', [
        finished('WorkflowDuration', 'Average'),
        finished('ApprovalTime', 'Average'),
      ]),
    );
    dashboard.addWidgets(
      graph('Time on each step (s)', [STEP_TIMES]),
      graph('Retries, agent calls and parallel executions', [
        finished('Retries', 'Sum'),
        finished('AgentCalls', 'Sum'),
        finished('ParallelExecutions', 'Sum'),
      ]),
    );
    dashboard.addWidgets(
      graph(
        'Function errors',
        each(({ lambda, node }) => lambda.metricErrors(named(node.id))),
      ),
      graph(
        'Function duration, p99',
        each(({ lambda, node }) => lambda.metricDuration({ ...p99, label: node.id })),
      ),
    );
    dashboard.addWidgets(
      graph(
        'Behind the log',
        Object.entries(consumers).map(([label, { lambda }]) =>
          lambda.metric('IteratorAge', { ...sum, statistic: 'Maximum', label }),
        ),
      ),
      graph(
        'Table units',
        Object.entries(tables).flatMap(([label, table]) => [
          table.metricConsumedReadCapacityUnits(named(`${label} reads`)),
          table.metricConsumedWriteCapacityUnits(named(`${label} writes`)),
        ]),
      ),
    );
    dashboard.addWidgets(
      graph('Clocks', [
        machine.metricStarted(sum),
        machine.metricSucceeded(sum),
        machine.metricAborted(sum),
        machine.metricFailed(sum),
      ]),
    );
  }
}

const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: HALF });
