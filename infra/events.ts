// The event bus: our events go out on it, and reports of agents' work come in.
import { Duration } from 'aws-cdk-lib';
import { EventBus, Match, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EVENT_SOURCE, INBOUND_EVENTS } from '../shared/names.ts';
import { createDeadLetters } from './dead-letters.ts';
import type { ServiceFunction } from './functions/service-function.ts';

/** A report may wait as long as this for a function that is throttled or failing. */
const PATIENCE = Duration.hours(2);

export class Events extends Construct {
  readonly bus: EventBus;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      description: 'Stepgate: what happened in workflows, and reports of work',
    });
    this.deadLetters = createDeadLetters(this, 'inbound-dead-letters');
  }

  /** EventBridge hands over and is done, so both ways of failing lead to the same queue: handing over, and handling. */
  takeIn(handler: ServiceFunction): void {
    new Rule(this, 'Inbound', {
      description: 'Reports of work by agents, from outside',
      eventBus: this.bus,
      eventPattern: { detailType: [...INBOUND_EVENTS], source: Match.anythingBut(EVENT_SOURCE) },
      targets: [
        new LambdaFunction(handler.lambda, {
          deadLetterQueue: this.deadLetters,
          retryAttempts: 20,
          maxEventAge: PATIENCE,
        }),
      ],
    });
    handler.lambda.configureAsyncInvoke({
      onFailure: new SqsDestination(this.deadLetters),
      retryAttempts: 2,
      maxEventAge: PATIENCE,
    });
  }
}
