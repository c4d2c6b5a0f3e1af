// Tables, functions, stream consumers, bus, logins and alarms as synthesized.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FUNCTIONS } from '../../infra/functions/catalogue.ts';
import { EVENT_SOURCE, INBOUND_EVENTS } from '../../shared/names.ts';
import { connectionsTable, mainTable, timeToLive } from '../../shared/store/tables.ts';
import { createFolder, type Found, removeFolder, Synthesis } from './synthesis.ts';

let folder: string;
let made: Synthesis;

beforeAll(() => {
  folder = createFolder();
  made = new Synthesis(folder, { users: { agents: { 'qa-bot': ['qa'], 'validator-3': ['validator-3'] } } });
});
afterAll(() => removeFolder(folder));

describe('the tables', () => {
  const names = { table: 'main', connections: 'connections' };

  it.each(['main', 'connections'] as const)('%s has the shape that the laptop creates', (which) => {
    const { tableName } = made.stack.stepgate.tables[which];
    const { Properties } = made.referred(tableName);
    const local = (which === 'main' ? mainTable : connectionsTable)(names);
    const byName = (list: readonly { AttributeName?: string | undefined }[] = []) =>
      [...list].sort((a, b) => String(a.AttributeName).localeCompare(String(b.AttributeName)));
    expect(Properties.BillingMode).toBe(local.BillingMode);
    expect(Properties.KeySchema).toEqual(local.KeySchema);
    expect(byName(Properties.AttributeDefinitions)).toEqual(byName(local.AttributeDefinitions));
    expect(Properties.LocalSecondaryIndexes).toEqual(local.LocalSecondaryIndexes);
    expect(Properties.GlobalSecondaryIndexes).toEqual(local.GlobalSecondaryIndexes);
    expect(Properties.StreamSpecification?.StreamViewType).toBe(local.StreamSpecification?.StreamViewType);
    expect(Properties.TimeToLiveSpecification).toEqual(timeToLive('any').TimeToLiveSpecification);
  });

  it('are encrypted, can be restored to any minute, and stay when the stack goes', () => {
    const tables = made.all('AWS::DynamoDB::Table');
    expect(tables).toHaveLength(2);
    for (const table of tables) {
      expect(table.Properties.SSESpecification).toEqual({ SSEEnabled: true });
      expect(table.Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
      expect(table.Properties.DeletionProtectionEnabled).toBe(true);
      expect([table.DeletionPolicy, table.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
    }
  });
});

describe('the functions', () => {
  it('are those of the catalogue, on arm64 and the newest Node, logging JSON into a log of their own', () => {
    expect(made.all('AWS::Lambda::Function')).toHaveLength(FUNCTIONS.length);
    const logs = FUNCTIONS.map(({ bundle }) => {
      const { Properties } = made.functionOf(bundle);
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        LoggingConfig: { LogFormat: 'JSON' },
      });
      return made.referred(Properties.LoggingConfig.LogGroup).id;
    });
    expect(new Set(logs).size).toBe(FUNCTIONS.length);
  });

  it('keep no log for ever', () => {
    const logs = made.all('AWS::Logs::LogGroup');
    expect(logs).toHaveLength(FUNCTIONS.length + 3);
    for (const { Properties } of logs) expect(Properties.RetentionInDays).toBe(30);
  });
});

const LIMITS = ['BatchSize', 'ParallelizationFactor', 'MaximumRetryAttempts', 'MaximumRecordAgeInSeconds'];

describe('the stream', () => {
  it('feeds new commits, and nothing else, to every consumer', () => {
    const mappings = made.all('AWS::Lambda::EventSourceMapping');
    expect(mappings.map(({ Properties }) => made.nameOf(Properties.FunctionName.Ref)).sort()).toEqual([
      'stream-broadcast',
      'stream-clock',
      'stream-project',
    ]);
    const main = made.referred(made.stack.stepgate.tables.main.tableName).id;
    for (const { Properties } of mappings) {
      expect(Properties.EventSourceArn).toEqual({ 'Fn::GetAtt': [main, 'StreamArn'] });
      const patterns = Properties.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
        JSON.parse(Pattern),
      );
      expect(patterns).toEqual([
        { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'C#' }] } } } },
      ]);
    }
  });

  it('gives a record up after bounded tries, alone, into a queue', () => {
    const queues = made.all('AWS::Lambda::EventSourceMapping').map(({ Properties }) => {
      expect(Properties).toMatchObject({
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        StartingPosition: 'TRIM_HORIZON',
      });
      for (const limit of LIMITS) expect(Properties[limit]).toBeGreaterThan(0);
      return made.referred(Properties.DestinationConfig.OnFailure.Destination);
    });
    expect(new Set(queues.map(({ Type }) => Type))).toEqual(new Set(['AWS::SQS::Queue']));
    expect(new Set(queues.map(({ id }) => id)).size).toBe(3);
  });
});

describe('dead-letter queues', () => {
  it('are encrypted, keep two weeks and take no plain connection', () => {
    const queues = made.all('AWS::SQS::Queue');
    expect(queues).toHaveLength(4);
    const policies = made.all('AWS::SQS::QueuePolicy');
    for (const { id, Properties } of queues) {
      expect(Properties).toMatchObject({
        SqsManagedSseEnabled: true,
        MessageRetentionPeriod: 14 * 24 * 3600,
      });
      const policy = policies.find((one) => JSON.stringify(one.Properties.Queues).includes(id));
      expect(policy?.Properties.PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      );
    }
  });
});

describe('the state machine', () => {
  it('is the file in the repository, with the function put in, and logs no execution data', () => {
    const { Properties } = made.only('AWS::StepFunctions::StateMachine');
    const file = path.resolve(import.meta.dirname, '../../infra/attempts.asl.json');
    expect(JSON.parse(Properties.DefinitionString)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
    expect(made.nameOf(made.referred(Properties.DefinitionSubstitutions.attempts_function).id)).toBe(
      'attempts-clock',
    );
    expect(Properties.LoggingConfiguration).toMatchObject({ IncludeExecutionData: false, Level: 'ALL' });
    expect(Properties.StateMachineType ?? 'STANDARD').toBe('STANDARD');
  });
});

describe('the event bus', () => {
  it('hands reports of work from others to the function for them, with retries and a queue for the rest', () => {
    const { EventBusName, EventPattern, Targets } = made.only('AWS::Events::Rule').Properties;
    expect(made.referred(EventBusName).Type).toBe('AWS::Events::EventBus');
    expect(EventPattern).toEqual({
      'detail-type': [...INBOUND_EVENTS],
      source: [{ 'anything-but': [EVENT_SOURCE] }],
    });
    const [target] = Targets;
    expect(made.nameOf(made.referred(target.Arn).id)).toBe('events-agent-work');
    expect(target.RetryPolicy.MaximumRetryAttempts).toBeGreaterThan(0);
    const invoke = made.only('AWS::Lambda::EventInvokeConfig');
    const handling = invoke.Properties.DestinationConfig.OnFailure.Destination;
    expect(made.referred(target.DeadLetterConfig.Arn).id).toBe(made.referred(handling).id);
  });
});

describe('the user pool', () => {
  it('invites people, with a second factor, and stays when the stack goes', () => {
    const pool = made.only('AWS::Cognito::UserPool');
    expect(pool.Properties).toMatchObject({
      MfaConfiguration: 'ON',
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    });
    expect(pool.DeletionPolicy).toBe('Retain');
  });

  it('knows each role as a group of people and as a scope of agents', () => {
    const server = made.only('AWS::Cognito::UserPoolResourceServer');
    const scopes = server.Properties.Scopes.map(({ ScopeName }: { ScopeName: string }) => ScopeName);
    const groups = made
      .all('AWS::Cognito::UserPoolGroup')
      .map(({ Properties }) => `role.${Properties.GroupName}`);
    expect(server.Properties.Identifier).toBe('stepgate');
    expect(scopes).toEqual(expect.arrayContaining(groups));
    expect(scopes).toContain('role.validator-3');
  });

  it('lets agents in with client credentials for their own roles, and takes the tokens of every client', () => {
    const clients = made.all('AWS::Cognito::UserPoolClient');
    const agent = clients.find(({ Properties }) => Properties.ClientName === 'qa-bot');
    expect(agent?.Properties).toMatchObject({
      AllowedOAuthFlows: ['client_credentials'],
      GenerateSecret: true,
    });
    expect(JSON.stringify(agent?.Properties.AllowedOAuthScopes)).toContain('/role.qa"');
    expect(agent?.Properties.AllowedOAuthScopes).toHaveLength(1);
    const audience = (
      made.all('AWS::ApiGatewayV2::Authorizer').find(({ Properties }) => Properties.JwtConfiguration) as Found
    ).Properties.JwtConfiguration.Audience;
    expect(audience.map(({ Ref }: { Ref: string }) => Ref).sort()).toEqual(
      clients.map(({ id }) => id).sort(),
    );
  });
});

describe('the alarms', () => {
  it('watch answers, functions, lateness, queues and tables', () => {
    const metrics = made
      .all('AWS::CloudWatch::Alarm')
      .map(
        ({ Properties }) =>
          Properties.MetricName ??
          Properties.Metrics.map(
            (one: { MetricStat?: { Metric: { MetricName: string } } }) =>
              one.MetricStat?.Metric.MetricName ?? '',
          ).filter(Boolean),
      );
    const count = (name: string) => metrics.flat().filter((one) => one === name).length;
    expect(count('5xx')).toBe(1);
    expect(count('IntegrationError')).toBe(1);
    expect(count('Errors')).toBe(FUNCTIONS.length);
    expect(count('Throttles')).toBe(FUNCTIONS.length);
    expect(count('IteratorAge')).toBe(3);
    expect(count('ExecutionsFailed')).toBe(1);
    expect(count('ExecutionsTimedOut')).toBe(1);
    expect(count('ApproximateNumberOfMessagesVisible')).toBe(4);
    expect(count('WriteThrottleEvents')).toBeGreaterThanOrEqual(2);
    expect(count('SystemErrors')).toBeGreaterThanOrEqual(2);
  });

  it('say in words what is wrong, and keep quiet when nothing happens', () => {
    for (const { Properties } of made.all('AWS::CloudWatch::Alarm')) {
      expect(Properties.AlarmDescription).toMatch(/^Stepgate: .+\.$/);
      expect(Properties.TreatMissingData).toBe('notBreaching');
    }
    expect(made.all('AWS::CloudWatch::Dashboard')).toHaveLength(1);
  });
});

it('the stack tells where its APIs are and how to log in', () => {
  expect(Object.keys(made.template.toJSON()['Outputs'] as object)).toEqual(
    expect.arrayContaining(['ApiUrl', 'WebSocketUrl', 'Issuer', 'ClientId', 'TokenUrl']),
  );
});
