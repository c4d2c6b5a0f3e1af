// Access logs of both APIs. The query string is in neither: a WebSocket's may hold a token.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { type IAccessLogSettings, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

const COMMON = {
  request_id: '$context.requestId',
  at: '$context.requestTimeEpoch',
  source_ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  integration_error: '$context.integrationErrorMessage',
};

const FORMATS = {
  http: {
    ...COMMON,
    path: '$context.path',
    bytes: '$context.responseLength',
    latency_ms: '$context.responseLatency',
    sub: '$context.authorizer.claims.sub',
    authorizer_error: '$context.authorizer.error',
  },
  websocket: {
    ...COMMON,
    event: '$context.eventType',
    connection_id: '$context.connectionId',
    connected_at: '$context.connectedAt',
    latency_ms: '$context.integrationLatency',
    sub: '$context.authorizer.principalId',
  },
};

export const accessLogs = (
  scope: Construct,
  kind: keyof typeof FORMATS,
  retention: RetentionDays,
): IAccessLogSettings => ({
  destination: new LogGroupLogDestination(
    new LogGroup(scope, 'AccessLog', { retention, removalPolicy: RemovalPolicy.DESTROY }),
  ),
  format: AccessLogFormat.custom(JSON.stringify(FORMATS[kind])),
});
