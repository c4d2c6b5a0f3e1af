// The state machine that supplies time: the file beside this one, as it runs on the laptop too.
//   SM1  Its log tells what happened and not what was said: execution data holds task tokens.
import { readFileSync } from 'node:fs';
import { ArnFormat, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { acknowledge, acknowledgeWildcard } from './acknowledge.ts';
import type { ServiceFunction } from './functions/service-function.ts';

export interface AttemptsProps {
  /** Called by the machine, which decides everything. */
  readonly clock: ServiceFunction;
  readonly logRetention: RetentionDays;
}

export class Attempts extends Construct {
  readonly machine: StateMachine;
  /** Of its executions, whose names exist only once they run. */
  readonly executions: string;

  constructor(scope: Construct, id: string, { clock, logRetention }: AttemptsProps) {
    super(scope, id);
    const name = Names.uniqueResourceName(this, { maxLength: 80, allowedSpecialCharacters: '-_' });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('states.amazonaws.com') });
    role.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [clock.lambda.functionArn] }),
    );
    this.machine = new StateMachine(this, 'Machine', {
      stateMachineName: name,
      comment: 'Stepgate: supplies time to attempts and deadlines',
      definitionBody: DefinitionBody.fromString(
        readFileSync(new URL('./attempts.asl.json', import.meta.url), 'utf8'),
      ),
      definitionSubstitutions: { attempts_function: clock.lambda.functionArn },
      role,
      logs: {
        destination: new LogGroup(this, 'Log', {
          logGroupName: `/aws/vendedlogs/states/${name}`,
          retention: logRetention,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ALL,
        includeExecutionData: false, // SM1
      },
    });
    acknowledgeWildcard(role, '*', 'Step Functions sets up its logs with actions that know no resources.');
    acknowledge(
      this.machine,
      'SF2',
      'The machine does nothing but wait and call one function; its log has every step with its time.',
    );
    this.executions = Stack.of(this).formatArn({
      service: 'states',
      resource: 'execution',
      resourceName: `${name}:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    // A policy of its own: the function's role must not wait for the machine, which waits for the function.
    new Policy(this, 'Answers', {
      roles: [clock.role],
      statements: [
        new PolicyStatement({
          actions: ['states:SendTaskSuccess'],
          resources: [this.machine.stateMachineArn],
        }),
      ],
    });
  }
}
