// What a function can be bound to. A binding is both halves at once: the environment that names a resource and the
// permission to use it, so that neither is given without the other.
import type { Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ENV, type EnvName } from '../../shared/names.ts';
import type { Attempts } from '../attempts.ts';
import type { TokenIssuer } from '../auth.ts';
import { DEFINITIONS_FILE } from './prebuilt.ts';

export interface Binding {
  readonly environment: Readonly<Partial<Record<EnvName, string>>>;
  readonly statements: readonly PolicyStatement[];
  /** ARNs with a wildcard that cannot be avoided, and why. */
  readonly wildcards?: { readonly arns: readonly string[]; readonly reason: string };
}

export type TableAction =
  | 'BatchGetItem'
  | 'ConditionCheckItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'UpdateItem';

export interface TableAccess {
  readonly actions: readonly TableAction[];
  /** Indexes that are queried, by name. */
  readonly indexes?: readonly string[];
}

export const bindTable = (
  variable: EnvName,
  table: Table,
  { actions, indexes = [] }: TableAccess,
): Binding => ({
  environment: { [variable]: table.tableName },
  statements: [
    new PolicyStatement({
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: [table.tableArn],
    }),
    ...(indexes.length > 0
      ? [
          new PolicyStatement({
            actions: ['dynamodb:Query'],
            resources: indexes.map((index) => `${table.tableArn}/index/${index}`),
          }),
        ]
      : []),
  ],
});

export const bindBus = (bus: EventBus): Binding => ({
  environment: { [ENV.bus]: bus.eventBusName },
  statements: [new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] })],
});

export interface Callback {
  readonly apiId: string;
  readonly stageName: string;
  readonly url: string;
}

/** Calls of the @connections endpoint: POST sends, DELETE hangs up, GET asks. */
export type CallbackMethod = 'POST' | 'GET' | 'DELETE';

export function bindCallback(stack: Stack, callback: Callback, methods: readonly CallbackMethod[]): Binding {
  const arns = methods.map((method) =>
    stack.formatArn({
      service: 'execute-api',
      resource: callback.apiId,
      resourceName: `${callback.stageName}/${method}/@connections/*`,
    }),
  );
  return {
    environment: { [ENV.websocket]: callback.url },
    statements: [new PolicyStatement({ actions: ['execute-api:ManageConnections'], resources: arns })],
    wildcards: {
      arns,
      reason: 'The wildcard stands for the connection id, which exists only once somebody has connected.',
    },
  };
}

/** Starting and stopping executions, and passing on what concerns their tokens. */
export const bindMachine = ({ machine, executions }: Attempts): Binding => ({
  environment: { [ENV.machine]: machine.stateMachineArn },
  statements: [
    new PolicyStatement({
      actions: ['states:StartExecution', 'states:SendTaskSuccess', 'states:SendTaskHeartbeat'],
      resources: [machine.stateMachineArn],
    }),
    new PolicyStatement({ actions: ['states:StopExecution'], resources: [executions] }),
  ],
  wildcards: {
    arns: [executions],
    reason: 'The wildcard stands for the name of an execution, which exists only once it was started.',
  },
});

export const bindIssuer = ({ issuer, audience, jwksUri }: TokenIssuer): Binding => ({
  environment: { [ENV.issuer]: issuer, [ENV.audience]: audience.join(','), [ENV.jwks]: jwksUri },
  statements: [],
});

export const bindDefinitions = (): Binding => ({
  environment: { [ENV.definitions]: DEFINITIONS_FILE },
  statements: [],
});
