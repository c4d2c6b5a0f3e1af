// What a user of the construct may choose. Everything has a default that is safe to deploy.
import { RemovalPolicy } from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { routeKey } from '../shared/routes.ts';

export interface StepgateProps {
  /** Whose tokens count. Default: a Cognito user pool made here. */
  readonly issuer?: ExternalIssuer;
  /** How that pool is set up; of no effect with an `issuer`. */
  readonly users?: UserPoolOptions;
  /** What happens to the tables, and to the user pool, when the stack goes. Default: they stay. */
  readonly removalPolicy?: RemovalPolicy;
  /** Of every log group. Default: one month. */
  readonly logRetention?: RetentionDays;
  readonly throttling?: Throttling;
  /** Origins whose pages may call the HTTP API. Default: any, since a token is needed and cookies are not read. */
  readonly corsOrigins?: readonly string[];
  /** Names of your own for the two APIs. */
  readonly domains?: { readonly http?: Domain; readonly websocket?: Domain };
  /** The last part of both APIs' own URLs. Default: `live`. */
  readonly stageName?: string;
  /** Who is told when an alarm goes off and when it is over. Default: nobody; the alarms are still there. */
  readonly alarmTopic?: ITopic;
  /** Default: true. */
  readonly dashboard?: boolean;
  /**
   * API Gateway writes a WebSocket stage's logs under a role that is set once for an account and region.
   * `true` sets one here, and leaves it behind when the stack goes, since others may come to lean on it.
   * Default: true. Say `false` where the account has one.
   */
  readonly apiGatewayLogRole?: boolean;
  /** Where the built functions are. Default: `dist` of this package. */
  readonly dist?: string;
}

export interface ExternalIssuer {
  /** The `iss` of its tokens, an https URL with OpenID discovery below it. */
  readonly url: string;
  /** Accepted values of `aud` or `client_id`. */
  readonly audience: readonly string[];
  /** Default: `<url>/.well-known/jwks.json`. */
  readonly jwksUri?: string;
}

export interface UserPoolOptions {
  /** Each becomes a group of people and a scope for agents. */
  readonly roles?: readonly string[];
  /** Agents that log in by themselves: their names, and the roles each may act in. */
  readonly agents?: Readonly<Record<string, readonly string[]>>;
  /** Where the hosted login may return to. Default: http://localhost:4400. */
  readonly callbackUrls?: readonly string[];
}

export interface Throttling {
  /** Each route of the HTTP API, unless it has limits of its own. */
  readonly route?: Limits;
  /** Routes with limits of their own, by key ("POST /api/workflows/{instance_id}/signal"). */
  readonly routes?: Readonly<Record<string, Limits>>;
  /** Each route of the WebSocket API. */
  readonly websocket?: Limits;
}

export interface Limits {
  /** Requests a second. */
  readonly rate: number;
  /** Requests at once. */
  readonly burst: number;
}

export interface Domain {
  readonly name: string;
  /** For that name, in the stack's region. */
  readonly certificate: ICertificate;
}

export const SIGNAL_ROUTE = routeKey({ method: 'POST', path: '/api/workflows/{instance_id}/signal' });

export const DEFAULTS = {
  removalPolicy: RemovalPolicy.RETAIN,
  logRetention: RetentionDays.ONE_MONTH,
  corsOrigins: ['*'],
  stageName: 'live',
  roles: ['admin', 'developer', 'architect', 'qa', 'po'],
  callbackUrls: ['http://localhost:4400'],
  route: { rate: 200, burst: 400 },
  routes: { [SIGNAL_ROUTE]: { rate: 2_000, burst: 1_000 } },
  websocket: { rate: 500, burst: 1_000 },
} as const;
