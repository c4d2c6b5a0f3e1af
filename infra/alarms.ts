// Alarms on what a user would notice: answers that fail, work that is turned away, news that is late, work set aside.
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type Table, Operation } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Watched } from './observability.ts';

const MINUTE = { period: Duration.minutes(1), statistic: 'Sum' };
const WRITES_AND_READS = [
  Operation.PUT_ITEM,
  Operation.QUERY,
  Operation.GET_ITEM,
  Operation.TRANSACT_WRITE_ITEMS,
];

interface Limit {
  readonly atLeast: number;
  /** Minutes in a row. */
  readonly minutes?: number;
  readonly says: string;
}

export class Alarms extends Construct {
  readonly all: Alarm[] = [];
  private readonly topic: ITopic | undefined;

  constructor(scope: Construct, id: string, watched: Watched, topic: ITopic | undefined) {
    super(scope, id);
    this.topic = topic;
    const { http, websocket, functions, queues, tables, consumers, machine } = watched;
    this.add('http-5xx', http.stage.metricServerError(MINUTE), {
      atLeast: 5,
      minutes: 2,
      says: 'The HTTP API answers with 5xx.',
    });
    this.add('websocket-errors', websocket.stage.metric('IntegrationError', MINUTE), {
      atLeast: 5,
      minutes: 2,
      says: 'The WebSocket API fails to hand messages over.',
    });
    for (const [name, { lambda }] of Object.entries(functions)) {
      this.add(`${name}-errors`, lambda.metricErrors(MINUTE), {
        atLeast: 3,
        minutes: 2,
        says: `${name} fails.`,
      });
      this.add(`${name}-throttles`, lambda.metricThrottles(MINUTE), {
        atLeast: 1,
        minutes: 3,
        says: `${name} is turned away: the account has no concurrency left.`,
      });
    }
    for (const [name, { lambda }] of Object.entries(consumers))
      this.add(`${name}-late`, lambda.metric('IteratorAge', { ...MINUTE, statistic: 'Maximum' }), {
        atLeast: 60_000,
        minutes: 5,
        says: `${name} is more than a minute behind the log.`,
      });
    this.add('clocks-failed', machine.metricFailed(MINUTE), {
      atLeast: 1,
      says: 'A clock has given up: mend the cause, then redrive its execution.',
    });
    this.add('clocks-timed-out', machine.metricTimedOut(MINUTE), {
      atLeast: 1,
      says: 'A clock has run for a year, the most there is: resume its instance, or leave the step it waits on.',
    });
    for (const [name, queue] of Object.entries(queues))
      this.add(
        `${name}-dead-letters`,
        queue.metricApproximateNumberOfMessagesVisible({ ...MINUTE, statistic: 'Maximum' }),
        { atLeast: 1, says: `Something was set aside by ${name}: look into its queue.` },
      );
    for (const [name, table] of Object.entries(tables)) {
      this.add(`${name}-throttled`, throttled(table), {
        atLeast: 1,
        minutes: 3,
        says: `The table ${name} turns requests away.`,
      });
      this.add(
        `${name}-system-errors`,
        table.metricSystemErrorsForOperations({ operations: WRITES_AND_READS, ...MINUTE }),
        { atLeast: 1, minutes: 2, says: `DynamoDB fails on the table ${name}.` },
      );
    }
  }

  private add(name: string, metric: IMetric, { atLeast, minutes = 1, says }: Limit): void {
    const alarm = new Alarm(this, name, {
      alarmDescription: `Stepgate: ${says}`,
      metric,
      threshold: atLeast,
      evaluationPeriods: minutes,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (this.topic) {
      alarm.addAlarmAction(new SnsAction(this.topic));
      alarm.addOkAction(new SnsAction(this.topic));
    }
    this.all.push(alarm);
  }
}

const throttled = (table: Table): MathExpression =>
  new MathExpression({
    expression: 'reads + writes',
    label: 'throttled',
    period: MINUTE.period,
    usingMetrics: {
      reads: table.metric('ReadThrottleEvents', MINUTE),
      writes: table.metric('WriteThrottleEvents', MINUTE),
    },
  });
