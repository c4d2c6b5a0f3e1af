// Who may do what: the role of each function, action by action.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FUNCTIONS, type FunctionName } from '../../infra/functions/catalogue.ts';
import { allowed, statementsOf } from './allowed.ts';
import { createFolder, removeFolder, Synthesis } from './synthesis.ts';

let folder: string;
let made: Synthesis;

beforeAll(() => {
  folder = createFolder();
  made = new Synthesis(folder);
});
afterAll(() => removeFolder(folder));

const OWN_LOG = ['logs:CreateLogStream Logs::LogGroup', 'logs:PutLogEvents Logs::LogGroup'];
const LOG_OF_INSTANCES = ['GetItem main', 'PutItem main', 'Query main', 'Query main by_key'];
const STREAM = [
  'dynamodb:DescribeStream main stream',
  'dynamodb:GetRecords main stream',
  'dynamodb:GetShardIterator main stream',
  'dynamodb:ListStreams *',
  'sqs:GetQueueAttributes SQS::Queue',
  'sqs:GetQueueUrl SQS::Queue',
  'sqs:SendMessage SQS::Queue',
];
const db = (...actions: string[]): string[] => actions.map((action) => `dynamodb:${action}`);
const listings = ['by_owner', 'by_workflow', 'by_session', 'by_role'].map((index) => `Query main ${index}`);
const states = (...actions: string[]): string[] =>
  actions.map((action) => `states:${action} StepFunctions::StateMachine`);
const push = (...methods: string[]): string[] =>
  methods.map((method) => `execute-api:ManageConnections ${method} @connections`);

const EXPECTED: Readonly<Record<FunctionName, readonly string[]>> = {
  'http-signals': db(...LOG_OF_INSTANCES, 'ConditionCheckItem main'),
  'http-reads': db('BatchGetItem main', 'GetItem main', 'PutItem main', 'Query main', ...listings),
  'http-memory': db('BatchGetItem main', 'GetItem main', 'PutItem main', 'Query main', 'Query main by_owner'),
  'http-sessions': db(
    'BatchGetItem main',
    'GetItem main',
    'PutItem main',
    'Query main',
    'Query main by_owner',
    'Query main by_session',
  ),
  'http-recovery': db(...LOG_OF_INSTANCES, 'ConditionCheckItem main'),
  'http-admin': db('GetItem main', 'PutItem main'),
  'http-analysis': db('GetItem main', 'Query main'),
  'http-docs': [],
  'mcp-endpoint': db(...LOG_OF_INSTANCES, 'BatchGetItem main', 'ConditionCheckItem main', ...listings),
  'websocket-authorize': [],
  'websocket-connection': db('PutItem connections', 'DeleteItem connections'),
  'websocket-messages': [
    ...db(...LOG_OF_INSTANCES, 'GetItem connections', 'PutItem connections'),
    ...db('UpdateItem connections', 'DeleteItem connections'),
    ...push('POST', 'DELETE'),
  ],
  'stream-broadcast': [
    ...db('GetItem main', 'GetItem connections', 'Query connections'),
    ...db('UpdateItem connections', 'DeleteItem connections'),
    ...push('POST', 'DELETE'),
    ...STREAM,
  ],
  'stream-project': [
    ...db('GetItem main', 'Query main', 'PutItem main', 'DeleteItem main'),
    'events:PutEvents Events::EventBus',
    ...STREAM,
  ],
  'stream-clock': [
    ...db('GetItem main', 'Query main', 'DeleteItem main'),
    ...states('SendTaskHeartbeat', 'SendTaskSuccess', 'StartExecution'),
    'states:StopExecution execution',
    ...STREAM,
  ],
  'attempts-clock': [
    ...db('GetItem main', 'Query main', 'PutItem main', 'DeleteItem main'),
    ...states('SendTaskSuccess'),
  ],
  'events-agent-work': [...db(...LOG_OF_INSTANCES), ...STREAM.filter((action) => action.startsWith('sqs:'))],
};

describe('each role', () => {
  it.each(FUNCTIONS.map(({ bundle }) => bundle))('%s may do what it needs and nothing else', (name) => {
    expect(allowed(made, name)).toEqual([...EXPECTED[name], ...OWN_LOG].sort());
  });

  it('of the state machine lets it call its function, and set up its log', () => {
    const { RoleArn } = made.only('AWS::StepFunctions::StateMachine').Properties;
    const statements = statementsOf(made, made.referred(RoleArn).id);
    const calls = statements.filter(({ Action }) => Action === 'lambda:InvokeFunction');
    expect(calls.map(({ Resource }) => made.nameOf(made.referred(Resource).id))).toEqual(['attempts-clock']);
    const others = statements.filter((one) => !calls.includes(one)).flatMap(({ Action }) => Action);
    expect(others.filter((action) => !action.startsWith('logs:'))).toEqual([]);
  });

  it('is for one function alone, and only Lambda may take it', () => {
    const roles = FUNCTIONS.map(({ bundle }) => made.referred(made.functionOf(bundle).Properties.Role));
    expect(new Set(roles.map(({ id }) => id)).size).toBe(FUNCTIONS.length);
    for (const { Properties } of roles) {
      expect([Properties.ManagedPolicyArns, Properties.Policies]).toEqual([undefined, undefined]);
      expect(Properties.AssumeRolePolicyDocument.Statement).toEqual([
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      ]);
    }
  });

  it('names no action by a wildcard, and no resource but where AWS knows none', () => {
    const statements = statementsOf(made);
    expect(statements.filter(({ Action }) => JSON.stringify(Action).includes('*'))).toEqual([]);
    const everywhere = statements.filter(({ Resource }) => [Resource].flat().includes('*'));
    const actions = new Set(everywhere.flatMap(({ Action }) => Action));
    expect(
      [...actions].filter(
        (action) =>
          !/^logs:\w+(?:LogDelivery|LogDeliveries|ResourcePolicy|ResourcePolicies|LogGroups)$/.test(action),
      ),
    ).toEqual(['dynamodb:ListStreams']);
  });
});
