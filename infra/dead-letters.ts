// Where what could not be processed ends up, for a person to look at. From a stream these are pointers into the log,
// which still has everything; from the bus they are the events themselves.
import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

export function createDeadLetters(scope: Construct, id: string): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  acknowledge(queue, 'SQS3', 'It is a dead-letter queue itself, of something that is not a queue.');
  return queue;
}
