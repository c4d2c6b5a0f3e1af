// The stack that `npm run deploy` makes: the construct, and what its users need to know.
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { StepgateProps } from './options.ts';
import { Stepgate } from './stepgate.ts';

export class StepgateStack extends Stack {
  readonly stepgate: Stepgate;

  constructor(scope: Construct, id: string, props: StackProps & StepgateProps = {}) {
    super(scope, id, props);
    this.stepgate = new Stepgate(this, 'Stepgate', props);
    const { http, websocket, issuer, users, bus } = this.stepgate;
    const tell = (name: string, value: string, description: string) =>
      new CfnOutput(this, name, { value, description });
    tell('ApiUrl', http.url, 'The HTTP API');
    tell('WebSocketUrl', websocket.url, 'The WebSocket API');
    tell('Issuer', issuer.issuer, 'Whose tokens count');
    tell('EventBus', bus.eventBusName, 'Where events go out and reports of work come in');
    if (users) {
      tell('UserPoolId', users.pool.userPoolId, 'Where people are invited');
      tell('ClientId', users.people.userPoolClientId, 'The client that people log in with');
      tell('TokenUrl', users.tokenUrl, 'Where agents get their tokens');
    }
  }
}
