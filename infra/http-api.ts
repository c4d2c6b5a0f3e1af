// The HTTP API, from the one table of routes. A route without a token is one that the table calls public.
import { Duration } from 'aws-cdk-lib';
import {
  CfnStage,
  CorsHttpMethod,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { REQUEST_HEADERS } from '../shared/names.ts';
import { HTTP_FUNCTIONS, MCP_ROUTES, ROUTES, type ServedRoute } from '../shared/routes.ts';
import { accessLogs } from './access-logs.ts';
import { acknowledge } from './acknowledge.ts';
import type { TokenIssuer } from './auth.ts';
import type { ServiceFunction } from './functions/service-function.ts';
import type { Domain, Limits } from './options.ts';

export interface HttpApiProps {
  readonly handler: (name: ServedRoute['function']) => ServiceFunction;
  readonly issuer: TokenIssuer;
  readonly stageName: string;
  readonly corsOrigins: readonly string[];
  readonly limits: { readonly route: Limits; readonly routes: Readonly<Record<string, Limits>> };
  readonly logRetention: RetentionDays;
  readonly domain: Domain | undefined;
}

export class ServiceHttpApi extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  readonly url: string;
  /** For a DNS record, where there is a name of your own. */
  readonly domainName: DomainName | undefined;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      description: 'Stepgate: workflows over HTTP',
      createDefaultStage: false,
      disableExecuteApiEndpoint: props.domain !== undefined,
      corsPreflight: {
        allowOrigins: [...props.corsOrigins],
        allowMethods: [CorsHttpMethod.GET, CorsHttpMethod.POST, CorsHttpMethod.PUT, CorsHttpMethod.DELETE],
        allowHeaders: [...REQUEST_HEADERS],
        exposeHeaders: ['location', 'retry-after'],
        maxAge: Duration.hours(1),
      },
    });
    this.domainName =
      props.domain &&
      new DomainName(this, 'Domain', {
        domainName: props.domain.name,
        certificate: props.domain.certificate,
      });
    this.stage = this.createStage(props);
    this.addRoutes(props);
    this.url = props.domain ? `https://${props.domain.name}` : this.stage.url.replace(/\/$/, '');
  }

  private createStage({ stageName, logRetention, limits }: HttpApiProps): HttpStage {
    const stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName,
      autoDeploy: true,
      detailedMetricsEnabled: true,
      accessLogSettings: accessLogs(this, 'http', logRetention),
      throttle: { rateLimit: limits.route.rate, burstLimit: limits.route.burst },
      ...(this.domainName ? { domainMapping: { domainName: this.domainName } } : {}),
    });
    const resource = stage.node.defaultChild;
    if (!(resource instanceof CfnStage))
      throw new Error('A stage is made of another resource than expected.');
    resource.routeSettings = Object.fromEntries(
      Object.entries(limits.routes).map(([key, { rate, burst }]) => [
        key,
        { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst, DetailedMetricsEnabled: true },
      ]),
    );
    return stage;
  }

  private addRoutes({ handler, issuer }: HttpApiProps): void {
    const authorizer = new HttpJwtAuthorizer('Tokens', issuer.issuer, { jwtAudience: [...issuer.audience] });
    const integrations = new Map(
      ([...HTTP_FUNCTIONS, 'mcp'] as const).map((name) => [
        name,
        new HttpLambdaIntegration(name, handler(name).lambda, {
          timeout: handler(name).timeout.plus(Duration.seconds(1)),
          scopePermissionToRoute: false,
        }),
      ]),
    );
    for (const route of [...ROUTES, ...MCP_ROUTES]) {
      const integration = integrations.get(route.function);
      if (!integration) throw new Error(`No function serves ${route.path}.`);
      const open = route.access === 'public';
      const added = this.api.addRoutes({
        path: route.path,
        methods: [HttpMethod[route.method]],
        integration,
        authorizer: open ? new HttpNoneAuthorizer() : authorizer,
      });
      // A stage with limits for a route can only be made once that route is there.
      this.stage.node.addDependency(...added);
      if (open)
        for (const one of added)
          acknowledge(one, 'APIG4', 'The table of routes makes it public: it says nothing about anybody.');
    }
  }
}
