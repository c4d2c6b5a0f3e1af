// What each function is given: who may do what, on one page. Tests hold it against the code of each function.
import { Duration } from 'aws-cdk-lib';
import { INDEX } from '../../shared/names.ts';
import type { CallbackMethod, TableAccess } from './bindings.ts';
import type { FunctionName } from './catalogue.ts';

export interface Needs {
  readonly description: string;
  /** In MB; processor time comes with it. */
  readonly memory: number;
  readonly timeout: Duration;
  readonly table?: TableAccess;
  readonly connections?: TableAccess;
  readonly callback?: readonly CallbackMethod[];
  readonly bus?: true;
  readonly issuer?: true;
  readonly definitions?: true;
}

/** Indexes hold keys alone: what they lead to is read from the table. */
const LISTED = 'BatchGetItem';
const LISTINGS = [INDEX.owner.name, INDEX.workflow.name, INDEX.session.name, INDEX.role.name];

/** Reading an instance, and writing its next commit: a transaction of puts needs no more than a put. */
const LOG: TableAccess = { actions: ['Query', 'GetItem', 'PutItem'], indexes: [INDEX.key.name] };

/** The versions that instances are pinned to and that no longer ship with the code. */
const KEPT_DEFINITIONS: TableAccess = { actions: ['GetItem'] };

export const NEEDS: Readonly<Record<FunctionName, Needs>> = {
  'http-signals': {
    description: 'Starts instances and takes everything that is said to one',
    memory: 1024,
    timeout: Duration.seconds(10),
    // In a session, a start also checks that it is still open.
    table: { ...LOG, actions: [...LOG.actions, 'ConditionCheckItem'] },
    definitions: true,
  },
  'http-reads': {
    description: 'Shows instances, lists, tasks and definitions; records attempts to read a locked step',
    memory: 512,
    timeout: Duration.seconds(10),
    table: { actions: [...LOG.actions, LISTED], indexes: LISTINGS },
    definitions: true,
  },
  'http-memory': {
    description: 'Remembers facts about people',
    memory: 512,
    timeout: Duration.seconds(10),
    // An agent writes about people whose instances it works on.
    table: { actions: ['Query', 'GetItem', 'PutItem', LISTED], indexes: [INDEX.owner.name] },
    definitions: true,
  },
  'http-sessions': {
    description: 'Opens, shows and closes sessions',
    memory: 512,
    timeout: Duration.seconds(10),
    table: {
      actions: ['Query', 'GetItem', 'PutItem', LISTED],
      indexes: [INDEX.owner.name, INDEX.session.name],
    },
    definitions: true,
  },
  'http-recovery': {
    description: 'Resumes, retries, forks and migrates instances',
    memory: 512,
    timeout: Duration.seconds(15),
    // A fork of an instance that a session hides checks that the session is still open.
    table: { ...LOG, actions: [...LOG.actions, 'ConditionCheckItem'] },
    definitions: true,
  },
  'http-admin': {
    description: 'Publishes definitions',
    memory: 1024,
    timeout: Duration.seconds(20),
    table: { actions: ['GetItem', 'PutItem'] },
    definitions: true,
  },
  'http-analysis': {
    description: 'Searches, proves and measures one instance',
    memory: 512,
    timeout: Duration.seconds(20),
    table: { actions: ['Query', 'GetItem'] },
    definitions: true,
  },
  'http-docs': {
    description: 'Describes the API',
    memory: 256,
    timeout: Duration.seconds(5),
  },
  'mcp-endpoint': {
    description: 'Speaks MCP with agents: the tools of all instances, and those that are legal in one',
    memory: 1024,
    timeout: Duration.seconds(20),
    table: {
      actions: [...LOG.actions, 'ConditionCheckItem', LISTED],
      indexes: [INDEX.key.name, ...LISTINGS],
    },
    definitions: true,
  },
  'websocket-authorize': {
    description: 'Verifies the token of whoever connects',
    memory: 256,
    timeout: Duration.seconds(5),
    issuer: true,
  },
  'websocket-connection': {
    description: 'Remembers and forgets connections',
    memory: 256,
    timeout: Duration.seconds(10),
    connections: { actions: ['PutItem', 'DeleteItem'] },
  },
  'websocket-messages': {
    description: 'Subscribes connections to topics and takes signals from them',
    memory: 1024,
    timeout: Duration.seconds(20),
    table: LOG,
    connections: { actions: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] },
    callback: ['POST', 'DELETE'],
    definitions: true,
  },
  'stream-broadcast': {
    description: 'Pushes the events of new commits to those who are subscribed',
    memory: 512,
    timeout: Duration.seconds(60),
    table: KEPT_DEFINITIONS,
    connections: { actions: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'] },
    callback: ['POST', 'DELETE'],
    definitions: true,
  },
  'stream-project': {
    description: 'Keeps listings and inboxes, follows closed sessions, and publishes events on the bus',
    memory: 512,
    timeout: Duration.seconds(60),
    table: { actions: ['GetItem', 'Query', 'PutItem', 'DeleteItem'] },
    bus: true,
    definitions: true,
  },
  'stream-clock': {
    description: 'Starts, wakes and stops the executions that supply time',
    memory: 512,
    timeout: Duration.seconds(60),
    // The tokens that executions wait with are items of the main table.
    table: { actions: ['GetItem', 'Query', 'DeleteItem'] },
    definitions: true,
  },
  'attempts-clock': {
    description: 'Tells the state machine what to wait for, and instances that time has passed',
    memory: 512,
    timeout: Duration.seconds(30),
    table: { actions: ['GetItem', 'Query', 'PutItem', 'DeleteItem'] },
    definitions: true,
  },
  'events-agent-work': {
    description: 'Takes reports of work from the event bus',
    memory: 512,
    timeout: Duration.seconds(30),
    table: LOG,
    definitions: true,
  },
};
