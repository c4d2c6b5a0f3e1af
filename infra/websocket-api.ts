// The WebSocket API. Who connects is decided once, at $connect; every other route trusts that connection.
import { Aws, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { DomainName, WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { SOCKET_ROUTES } from '../shared/routes.ts';
import { accessLogs } from './access-logs.ts';
import { acknowledge, acknowledgeManagedPolicy } from './acknowledge.ts';
import type { Callback } from './functions/bindings.ts';
import type { ServiceFunction } from './functions/service-function.ts';
import type { Domain, Limits } from './options.ts';

export type SocketFunction = (typeof SOCKET_ROUTES)[keyof typeof SOCKET_ROUTES];

export interface WebSocketApiProps {
  readonly stageName: string;
  readonly limits: Limits;
  readonly logRetention: RetentionDays;
  readonly domain: Domain | undefined;
  readonly logRole: boolean;
}

export class ServiceWebSocketApi extends Construct {
  readonly api: WebSocketApi;
  readonly stage: WebSocketStage;
  readonly url: string;
  readonly domainName: DomainName | undefined;
  /** How functions reach those who are connected: always by the API's own name. */
  readonly callback: Callback;

  constructor(
    scope: Construct,
    id: string,
    { stageName, limits, logRetention, domain, logRole }: WebSocketApiProps,
  ) {
    super(scope, id);
    this.api = new WebSocketApi(this, 'Api', {
      description: 'Stepgate: live events and signals',
      routeSelectionExpression: '$request.body.action',
    });
    this.domainName =
      domain && new DomainName(this, 'Domain', { domainName: domain.name, certificate: domain.certificate });
    this.stage = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.api,
      stageName,
      autoDeploy: true,
      detailedMetricsEnabled: true,
      throttle: { rateLimit: limits.rate, burstLimit: limits.burst },
      accessLogSettings: accessLogs(this, 'websocket', logRetention),
      ...(this.domainName ? { domainMapping: { domainName: this.domainName } } : {}),
    });
    if (logRole) this.stage.node.addDependency(this.createLogRole());
    const host = `${this.api.apiId}.execute-api.${Stack.of(this).region}.${Aws.URL_SUFFIX}`;
    this.callback = { apiId: this.api.apiId, stageName, url: `https://${host}/${stageName}` };
    this.url = domain ? `wss://${domain.name}` : `wss://${host}/${stageName}`;
  }

  /** Functions come second: two of them need to know where to call back. */
  addRoutes(authorize: ServiceFunction, handler: (name: SocketFunction) => ServiceFunction): void {
    // No identity source: a token may come as a header, a subprotocol or a parameter, and naming one would demand it.
    const authorizer = new WebSocketLambdaAuthorizer('Tokens', authorize.lambda, { identitySource: [] });
    for (const [key, name] of Object.entries(SOCKET_ROUTES)) {
      const integration = new WebSocketLambdaIntegration(key, handler(name).lambda, {
        timeout: handler(name).timeout.plus(Duration.seconds(1)),
      });
      const route = this.api.addRoute(key, { integration, ...(key === '$connect' ? { authorizer } : {}) });
      if (key !== '$connect')
        acknowledge(route, 'APIG4', 'API Gateway authorizes a WebSocket at $connect and on no other route.');
    }
  }

  private createLogRole(): CfnAccount {
    const policy = ManagedPolicy.fromAwsManagedPolicyName(
      'service-role/AmazonAPIGatewayPushToCloudWatchLogs',
    );
    const role = new Role(this, 'LogRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [policy],
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    acknowledgeManagedPolicy(
      role,
      policy.managedPolicyArn,
      'The role of the whole account for API Gateway logs, with the policy that AWS keeps for exactly that.',
    );
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    account.node.addDependency(role);
    return account;
  }
}
