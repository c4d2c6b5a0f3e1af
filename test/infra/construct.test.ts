// The construct in other people's apps, with choices of their own; and that cdk-nag has nothing left to say.
import path from 'node:path';
import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGNAL_ROUTE } from '../../infra/options.ts';
import { Stepgate } from '../../infra/stepgate.ts';
import {
  createFolder,
  newApp,
  type Found,
  removeFolder,
  type Resource,
  Synthesis,
  writePlaceholders,
} from './synthesis.ts';

let folder: string;
let dist: string;

beforeAll(() => {
  folder = createFolder();
  dist = path.join(folder, 'dist');
  writePlaceholders(dist);
});
afterAll(() => removeFolder(folder));

const findings = (scope: IConstruct): string[] =>
  new AwsSolutionsChecks()
    .validateScope(scope)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );

describe('cdk-nag AwsSolutions', () => {
  it('finds nothing that is not acknowledged, with a pool of our own and agents in it', () => {
    const { app } = new Synthesis(folder, { dist, users: { agents: { 'qa-bot': ['qa'] } } });
    expect(findings(app)).toEqual([]);
  });

  it('finds nothing either in a stack for one account and region', () => {
    const env = { account: '111122223333', region: 'eu-central-1' };
    expect(findings(new Synthesis(folder, { dist, env }).app)).toEqual([]);
  });

  it('does look: what somebody adds without care is found', () => {
    const { app, stack } = new Synthesis(folder, { dist });
    new Queue(stack, 'Careless');
    expect(findings(app)).toContain('AwsSolutions-SQS4 Stepgate/Careless/Resource');
  });

  it('is answered with a reason wherever it is acknowledged', () => {
    const { app } = new Synthesis(folder, { dist });
    const reasons = app.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>)); // what acknowledge() stores
    expect(reasons.length).toBeGreaterThan(5);
    expect(reasons.filter(([, reason]) => reason.length < 40)).toEqual([]);
  });
});

describe('the construct in another app', () => {
  let template: Template;
  let stack: Stack;

  beforeAll(() => {
    stack = new Stack(newApp(path.join(folder, 'other')), 'Shop', {
      env: { account: '111122223333', region: 'eu-central-1' },
    });
    const certificate = (id: string) =>
      Certificate.fromCertificateArn(stack, id, `arn:aws:acm:eu-central-1:111122223333:certificate/${id}`);
    new Stepgate(stack, 'Approvals', {
      dist,
      issuer: { url: 'https://login.example.com/', audience: ['shop', 'bots'] },
      removalPolicy: RemovalPolicy.DESTROY,
      logRetention: RetentionDays.THREE_DAYS,
      stageName: 'v1',
      corsOrigins: ['https://shop.example.com'],
      throttling: {
        route: { rate: 10, burst: 20 },
        routes: { 'POST /api/workflows': { rate: 1, burst: 2 } },
      },
      domains: {
        http: { name: 'api.example.com', certificate: certificate('a') },
        websocket: { name: 'live.example.com', certificate: certificate('b') },
      },
      alarmTopic: new Topic(stack, 'Alerts', { enforceSSL: true }),
      apiGatewayLogRole: false,
      dashboard: false,
    });
    new Stepgate(stack, 'Returns', {
      dist,
      issuer: { url: 'https://login.example.com', audience: ['shop'] },
    });
    template = Template.fromStack(stack);
  });

  const all = (type: string): Found[] =>
    Object.entries(template.findResources(type) as Record<string, Resource>).map(([id, one]) => ({
      id,
      ...one,
    })); // a template's own shape
  const properties = (type: string): unknown[] => all(type).map(({ Properties }): unknown => Properties);
  const some = (what: object): unknown => expect.objectContaining(what);

  it('is there twice without getting in its own way', () => {
    expect(all('AWS::DynamoDB::Table')).toHaveLength(4);
    expect(all('AWS::ApiGatewayV2::Api')).toHaveLength(4);
    expect(all('AWS::Cognito::UserPool')).toEqual([]);
    expect(all('AWS::ApiGateway::Account')).toHaveLength(1);
    expect(all('AWS::CloudWatch::Dashboard')).toHaveLength(1);
  });

  it('takes tokens of the issuer it is given, in both APIs', () => {
    const JwtConfiguration = { Issuer: 'https://login.example.com/', Audience: ['shop', 'bots'] };
    expect(properties('AWS::ApiGatewayV2::Authorizer')).toContainEqual(some({ JwtConfiguration }));
    const Variables = {
      STEPGATE_TOKEN_ISSUER: 'https://login.example.com/',
      STEPGATE_TOKEN_AUDIENCE: 'shop,bots',
      STEPGATE_TOKEN_JWKS_URI: 'https://login.example.com/.well-known/jwks.json',
    };
    expect(properties('AWS::Lambda::Function')).toContainEqual(some({ Environment: { Variables } }));
  });

  it('does as it is told about limits, stages and origins', () => {
    expect(properties('AWS::ApiGatewayV2::Stage')).toContainEqual(
      some({
        StageName: 'v1',
        DefaultRouteSettings: some({ ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 }),
        RouteSettings: {
          [SIGNAL_ROUTE]: some({ ThrottlingRateLimit: 2000 }),
          'POST /api/workflows': some({ ThrottlingRateLimit: 1, ThrottlingBurstLimit: 2 }),
        },
      }),
    );
    expect(properties('AWS::ApiGatewayV2::Api')).toContainEqual(
      some({
        CorsConfiguration: some({ AllowOrigins: ['https://shop.example.com'] }),
        DisableExecuteApiEndpoint: true,
      }),
    );
  });

  it('does as it is told about names, logs and what is left behind', () => {
    expect(properties('AWS::ApiGatewayV2::DomainName')).toEqual([
      some({ DomainName: 'live.example.com' }),
      some({ DomainName: 'api.example.com' }),
    ]);
    expect(all('AWS::ApiGatewayV2::ApiMapping')).toHaveLength(2);
    expect(properties('AWS::Logs::LogGroup')).toContainEqual(some({ RetentionInDays: 3 }));
    const tables = all('AWS::DynamoDB::Table').map(({ id, DeletionPolicy }) => [
      id.slice(0, 7),
      DeletionPolicy,
    ]);
    expect(new Set(tables.map(String))).toEqual(new Set(['Approva,Delete', 'Returns,Retain']));
  });

  it('tells the topic when an alarm goes off and when it is over', () => {
    const [topic] = all('AWS::SNS::Topic').map(({ id }) => ({ Ref: id }));
    const approvals = all('AWS::CloudWatch::Alarm').filter(({ id }) => id.startsWith('Approvals'));
    expect(approvals.length).toBeGreaterThan(20);
    for (const { Properties } of approvals)
      expect(Properties).toEqual(some({ AlarmActions: [topic], OKActions: [topic] }));
  });

  it('leaves nothing for cdk-nag to find', () => {
    expect(findings(stack).filter((finding) => !finding.includes('Alerts'))).toEqual([]);
  });
});

it('says what to do when the functions have not been built', () => {
  const stack = new Stack(newApp(path.join(folder, 'unbuilt')), 'Unbuilt');
  const dist = path.join(folder, 'nowhere');
  expect(() => new Stepgate(stack, 'Stepgate', { dist })).toThrow(
    /http-signals is not built.*run npm run build/,
  );
});
