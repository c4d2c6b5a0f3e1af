// The one Lambda construct. A function starts with the right to write its own log and nothing else; bindings add the
// rest, environment and permission together.
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledgeWildcard } from '../acknowledge.ts';
import type { Binding } from './bindings.ts';

export interface ServiceFunctionProps {
  readonly description: string;
  readonly code: Code;
  readonly memory: number;
  readonly timeout: Duration;
  readonly logRetention: RetentionDays;
}

export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly timeout: Duration;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { description, code, memory, timeout, logRetention } = props;
    const logGroup = new LogGroup(this, 'Log', {
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.allow(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    this.timeout = timeout;
    this.lambda = new LambdaFunction(this, 'Function', {
      description,
      code,
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memory,
      timeout,
      role: this.role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
    });
  }

  bind({ environment, statements, wildcards }: Binding): this {
    for (const [name, value] of Object.entries(environment)) this.lambda.addEnvironment(name, value);
    for (const statement of statements) this.allow(statement);
    for (const arn of wildcards?.arns ?? []) acknowledgeWildcard(this.role, arn, wildcards?.reason ?? '');
    return this;
  }

  allow(statement: PolicyStatement): void {
    this.role.addToPrincipalPolicy(statement);
  }
}
