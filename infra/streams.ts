// The consumers of the main table's stream. Each sees every new commit at least once; one that it cannot handle is
// set aside without holding up the others.
import { Duration } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { COMMIT_PREFIX, SK } from '../shared/names.ts';
import { acknowledgeWildcard } from './acknowledge.ts';
import { createDeadLetters } from './dead-letters.ts';
import type { ServiceFunction } from './functions/service-function.ts';

export type StreamFunction = 'broadcast' | 'project' | 'clock';

interface Consumption {
  readonly batchSize: number;
  readonly parallelizationFactor: number;
  readonly retryAttempts: number;
  readonly maxRecordAge: Duration;
}

const CONSUMPTION: Readonly<Record<StreamFunction, Consumption>> = {
  // News that is ten minutes old is read from the history by whoever still wants it.
  broadcast: {
    batchSize: 100,
    parallelizationFactor: 4,
    retryAttempts: 5,
    maxRecordAge: Duration.minutes(10),
  },
  // Listings should not miss anything, but a record that nobody can handle must not hold up its shard for long.
  project: { batchSize: 100, parallelizationFactor: 4, retryAttempts: 10, maxRecordAge: Duration.hours(12) },
  // A clock that is never started is time that never comes: it is tried for as long as the stream remembers.
  clock: { batchSize: 100, parallelizationFactor: 4, retryAttempts: 100, maxRecordAge: Duration.hours(23) },
};

/** Commits only, and only when they appear: projections in the same table are written without being heard. */
const NEW_COMMITS = FilterCriteria.filter({
  eventName: FilterRule.isEqual('INSERT'),
  dynamodb: { Keys: { [SK]: { S: FilterRule.beginsWith(COMMIT_PREFIX) } } },
});

export class Streams extends Construct {
  readonly deadLetters: Readonly<Record<StreamFunction, Queue>>;

  constructor(
    scope: Construct,
    id: string,
    table: Table,
    consumers: Readonly<Record<StreamFunction, ServiceFunction>>,
  ) {
    super(scope, id);
    const stream = table.tableStreamArn;
    if (stream === undefined) throw new Error('The main table has no stream.');
    const consume = (name: StreamFunction): Queue => {
      const queue = createDeadLetters(this, `${name}-dead-letters`);
      const consumer = consumers[name];
      allowReading(consumer, stream);
      const mapping = new EventSourceMapping(this, name, {
        target: consumer.lambda,
        eventSourceArn: stream,
        startingPosition: StartingPosition.TRIM_HORIZON,
        filters: [NEW_COMMITS],
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        onFailure: new SqsDlq(queue),
        ...CONSUMPTION[name],
      });
      // Lambda tries to read the stream when the mapping is made.
      mapping.node.addDependency(consumer.role);
      return queue;
    };
    this.deadLetters = {
      broadcast: consume('broadcast'),
      project: consume('project'),
      clock: consume('clock'),
    };
  }
}

function allowReading(consumer: ServiceFunction, stream: string): void {
  consumer.allow(
    new PolicyStatement({
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      resources: [stream],
    }),
  );
  consumer.allow(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
  acknowledgeWildcard(
    consumer.role,
    '*',
    'dynamodb:ListStreams knows no resources; Lambda needs it to find the stream.',
  );
}
