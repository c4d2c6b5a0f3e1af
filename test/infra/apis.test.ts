// Both APIs as synthesized, held against the tables of routes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGNAL_ROUTE } from '../../infra/options.ts';
import { REQUEST_HEADERS } from '../../shared/names.ts';
import { fileOf, MCP_ROUTES, routeKey, ROUTES, SOCKET_ROUTES } from '../../shared/routes.ts';
import { createFolder, type Found, removeFolder, Synthesis } from './synthesis.ts';

const SERVED = [...ROUTES, ...MCP_ROUTES];

let folder: string;
let made: Synthesis;
let http: Found;
let websocket: Found;

beforeAll(() => {
  folder = createFolder();
  made = new Synthesis(folder);
  http = made
    .all('AWS::ApiGatewayV2::Api')
    .find(({ Properties }) => Properties.ProtocolType === 'HTTP') as Found;
  websocket = made
    .all('AWS::ApiGatewayV2::Api')
    .find(({ Properties }) => Properties.ProtocolType === 'WEBSOCKET') as Found;
});
afterAll(() => removeFolder(folder));

const of = (api: Found, type: string): Found[] =>
  made.all(`AWS::ApiGatewayV2::${type}`).filter(({ Properties }) => Properties.ApiId.Ref === api.id);

/** Route keys with the function that each ends in. */
const served = (api: Found): string[] =>
  of(api, 'Route')
    .map(({ Properties }) => {
      const { IntegrationUri } = made.referred(Properties.Target).Properties;
      return `${Properties.RouteKey} by ${made.nameOf(made.referred(IntegrationUri).id)}`;
    })
    .sort();

describe('the HTTP API', () => {
  it('has exactly the routes of the table, each served by the function the table names', () => {
    const expected = SERVED.map(
      (route) => `${routeKey(route)} by ${fileOf(route.function).replace('/', '-')}`,
    );
    expect(served(http)).toEqual(expected.sort());
  });

  it('asks for a token on every route but the public ones', () => {
    const [authorizer] = of(http, 'Authorizer');
    const access = of(http, 'Route').map(({ Properties }) => {
      const guarded =
        Properties.AuthorizationType === 'JWT' && Properties.AuthorizerId.Ref === authorizer?.id;
      return `${Properties.RouteKey}: ${guarded ? 'caller' : 'public'}`;
    });
    expect(access.sort()).toEqual(SERVED.map((route) => `${routeKey(route)}: ${route.access}`).sort());
    expect(authorizer?.Properties).toMatchObject({
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
    });
  });

  it('gives the signal route limits of its own, and can only be made once that route exists', () => {
    const [stage] = of(http, 'Stage');
    const { DefaultRouteSettings: others, RouteSettings: own } = stage?.Properties ?? {};
    expect(Object.keys(own)).toEqual([SIGNAL_ROUTE]);
    expect(own[SIGNAL_ROUTE].ThrottlingRateLimit).toBeGreaterThan(others.ThrottlingRateLimit);
    expect(others.ThrottlingBurstLimit).toBeGreaterThan(0);
    const signal = of(http, 'Route').find(({ Properties }) => Properties.RouteKey === SIGNAL_ROUTE);
    expect(stage?.DependsOn).toContain(signal?.id);
  });

  it('answers pages of other origins, with the headers that our client sends and reads', () => {
    expect(http.Properties.CorsConfiguration).toMatchObject({
      AllowOrigins: ['*'],
      AllowHeaders: REQUEST_HEADERS,
      ExposeHeaders: ['location', 'retry-after'],
    });
    expect(http.Properties.CorsConfiguration.AllowCredentials).toBeUndefined();
  });

  it('waits longer for a function than the function may take', () => {
    for (const { Properties } of of(http, 'Integration')) {
      const { Timeout } = made.referred(Properties.IntegrationUri).Properties;
      expect(Properties.TimeoutInMillis).toBeGreaterThan(Timeout * 1000);
      expect(Properties.PayloadFormatVersion).toBe('2.0');
    }
  });
});

describe('the WebSocket API', () => {
  it('selects by the action in the body, among exactly the routes of the table', () => {
    const expected = Object.entries(SOCKET_ROUTES).map(([key, name]) => `${key} by websocket-${name}`);
    expect(served(websocket)).toEqual(expected.sort());
    expect(websocket.Properties.RouteSelectionExpression).toBe('$request.body.action');
  });

  it('lets the authorizer decide who connects, wherever the token is', () => {
    const [authorizer] = of(websocket, 'Authorizer');
    expect(authorizer?.Properties).toMatchObject({ AuthorizerType: 'REQUEST', IdentitySource: [] });
    expect(made.nameOf(made.referred(authorizer?.Properties.AuthorizerUri).id)).toBe('websocket-authorize');
    const guarded = of(websocket, 'Route').filter(({ Properties }) => Properties.AuthorizerId !== undefined);
    expect(guarded.map(({ Properties }) => [Properties.RouteKey, Properties.AuthorizationType])).toEqual([
      ['$connect', 'CUSTOM'],
    ]);
  });

  it('has its role for logs before its stage, and leaves it behind', () => {
    const [account] = made.all('AWS::ApiGateway::Account');
    expect(of(websocket, 'Stage')[0]?.DependsOn).toContain(account?.id);
    expect(account?.DeletionPolicy).toBe('Retain');
    expect(made.referred(account?.Properties.CloudWatchRoleArn).DeletionPolicy).toBe('Retain');
  });
});

describe('both stages', () => {
  it('are named, deploy by themselves and are throttled', () => {
    for (const api of [http, websocket]) {
      const [stage, ...more] = of(api, 'Stage');
      expect(more).toEqual([]);
      expect(stage?.Properties).toMatchObject({ StageName: 'live', AutoDeploy: true });
      expect(stage?.Properties.DefaultRouteSettings.ThrottlingRateLimit).toBeGreaterThan(0);
    }
  });

  it('log every request as JSON without its query, which may hold a token', () => {
    for (const api of [http, websocket]) {
      const [settings] = of(api, 'Stage').map(({ Properties }) => Properties.AccessLogSettings);
      const { DestinationArn, Format } = settings;
      expect(made.referred(DestinationArn).Type).toBe('AWS::Logs::LogGroup');
      const variables = Object.values(JSON.parse(Format) as Record<string, string>);
      expect(variables).toContain('$context.requestId');
      expect(variables.filter((name) => /query|protocol|request\.|authorization$/i.test(name))).toEqual([]);
    }
  });

  it('may invoke each function they lead to, and only from their own API', () => {
    const permitted = made
      .all('AWS::Lambda::Permission')
      .filter(({ Properties }) => Properties.Principal === 'apigateway.amazonaws.com')
      .map(({ Properties }) => [
        made.nameOf(made.referred(Properties.FunctionName).id),
        [http, websocket].some(({ id }) => JSON.stringify(Properties.SourceArn).includes(`"Ref":"${id}"`)),
      ]);
    const names = [...served(http), ...served(websocket)].map((line) => line.replace(/^.* by /, ''));
    expect(new Set(permitted.map(([name]) => name))).toEqual(new Set([...names, 'websocket-authorize']));
    expect(permitted.filter(([, fromOurs]) => !fromOurs)).toEqual([]);
  });
});
