// What HTTP callers may send besides signals: query strings, starts, facts and agents' reports.
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import {
  FactRequest,
  parseBody,
  parseQuery,
  paths,
  queries,
  StartRequest,
  WidgetRequest,
  readFact,
} from '../../shared/app/schemas.ts';
import { readAgentWork } from '../../shared/app/schemas-agent-work.ts';
import { Fault } from '../../shared/faults.ts';

function faultOf(run: () => unknown): Fault {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
const issuesOf = (run: () => unknown): unknown => faultOf(run).details['issues'];

describe('a query string', () => {
  it.each<[string, z.ZodType, Record<string, string> | undefined, object]>([
    ['none at all is the defaults', queries.list, undefined, { limit: 20 }],
    ['a limit is a number', queries.list, { limit: '100' }, { limit: 100 }],
    [
      'filters are kept',
      queries.list,
      { status: 'failed', next: 'abc' },
      { status: 'failed', next: 'abc', limit: 20 },
    ],
    ['history starts at the beginning', queries.history, {}, { limit: 20 }],
    ['and goes on after a commit', queries.history, { after: '12', limit: '1' }, { after: 12, limit: 1 }],
    ['a state may be asked for as of a commit', queries.details, { at: '3' }, { at: 3 }],
    ['or as of now', queries.details, {}, {}],
    ['the context comes as data', queries.context, {}, { format: 'json' }],
    ['or as a prompt', queries.context, { format: 'prompt' }, { format: 'prompt' }],
    ['a definition comes as a diagram', queries.definition, { format: 'mermaid' }, { format: 'mermaid' }],
    ['tasks of one role', queries.tasks, { role: 'qa' }, { role: 'qa', limit: 20 }],
    [
      'facts of one category',
      queries.facts,
      { category: 'user profile' },
      { category: 'user profile', limit: 20 },
    ],
  ])('%s', (_, schema, given, expected) => {
    expect(parseQuery(schema, given)).toEqual(expected);
  });

  it.each<[string, z.ZodType, Record<string, string>, string, string]>([
    ['zero', queries.list, { limit: '0' }, 'limit', 'must be a whole number from 1 to 100'],
    ['a hundred and one', queries.list, { limit: '101' }, 'limit', 'must be a whole number from 1 to 100'],
    ['an empty number', queries.list, { limit: '' }, 'limit', 'must be a whole number from 1 to 100'],
    [
      'a number in other words',
      queries.list,
      { limit: '1e2' },
      'limit',
      'must be a whole number from 1 to 100',
    ],
    ['a negative number', queries.history, { after: '-1' }, 'after', 'must be the number of a commit, or 0'],
    ['commit 0', queries.details, { at: '0' }, 'at', 'must be the number of a commit: 1, 2, 3 …'],
    [
      'a number past all numbers',
      queries.details,
      { at: '9'.repeat(30) },
      'at',
      'must be the number of a commit: 1, 2, 3 …',
    ],
    [
      'a misspelt filter',
      queries.list,
      { sesion_name: 'x' },
      '(query)',
      'unknown key "sesion_name" (did you mean "session_name"?)',
    ],
    ['anything where nothing is asked for', queries.none, { x: '1' }, '(query)', 'unknown key "x"'],
    [
      'a category that could reach into another',
      queries.facts,
      { category: 'a#b' },
      'category',
      'must not hold "#" or control characters',
    ],
  ])('is refused for %s, with where and why', (_, schema, given, path, message) => {
    expect(issuesOf(() => parseQuery(schema, given))).toEqual([{ path, message }]);
  });

  it('names every issue at once', () => {
    const fault = faultOf(() => parseQuery(queries.list, { limit: 'x', status: 'sleeping' }));
    expect(fault.code).toBe('invalid_request');
    expect(fault.message).toContain('The query string is not valid: ');
    expect(fault.details['issues']).toMatchObject([{ path: 'status' }, { path: 'limit' }]);
  });
});

describe('a body', () => {
  it.each<[string, z.ZodType, object]>([
    ['a start with no more than the workflow', StartRequest, { workflow_id: 'onboarding' }],
    [
      'a start with everything',
      StartRequest,
      {
        workflow_id: 'w',
        params: { a: 1 },
        session_name: 's',
        subject: 'A story',
        instance_id: 'task-001',
        user_id: 'u',
      },
    ],
    [
      'a fact',
      FactRequest,
      { memory: 'Likes tea', category: 'priorities', user_id: 'u', metadata: { from: 'chat' } },
    ],
    ['a widget result, its type being in the path', WidgetRequest, { items: ['a', 1, null], turn: 3 }],
  ])('may be %s', (_, schema, body) => {
    expect(parseBody(schema, body, 'body')).toEqual(body);
  });

  it.each<[string, z.ZodType, unknown, string]>([
    ['a start without a workflow', StartRequest, {}, 'workflow_id'],
    ['nothing', StartRequest, null, 'workflow_id'],
    ['a list', StartRequest, [], '(body)'],
    [
      'an id that is a path of its own',
      StartRequest,
      { workflow_id: 'w', instance_id: 'active' },
      'instance_id',
    ],
    ['an id with a slash', StartRequest, { workflow_id: 'w', instance_id: 'a/b' }, 'instance_id'],
    ['an id with a separator of keys', StartRequest, { workflow_id: 'w', instance_id: 'a#b' }, 'instance_id'],
    ['an id of dots', StartRequest, { workflow_id: 'w', instance_id: '..' }, 'instance_id'],
    [
      'an id over 200 characters',
      StartRequest,
      { workflow_id: 'w', instance_id: 'a'.repeat(201) },
      'instance_id',
    ],
    ['a parameter list', StartRequest, { workflow_id: 'w', params: [] }, 'params'],
    ['an owner by another name', StartRequest, { workflow_id: 'w', owner: 'u' }, '(body)'],
    ['a fact that says nothing', FactRequest, { memory: '  ', category: 'c' }, 'memory'],
    ['a widget type in the body', WidgetRequest, { widget_type: 'x' }, '(body)'],
  ])('must not be %s', (_, schema, body, path) => {
    expect(issuesOf(() => parseBody(schema, body, 'body'))).toMatchObject([{ path }]);
  });

  it.each(['memory', 'text', 'content', 'fact'])('of a fact may call its text "%s"', (name) => {
    expect(readFact({ [name]: 'likes tea', category: 'c' })).toEqual({ memory: 'likes tea', category: 'c' });
    expect(issuesOf(() => readFact({ [name]: '', category: 'c' }))).toMatchObject([{ path: 'memory' }]);
  });

  it('cannot reach a prototype', () => {
    const body: unknown = JSON.parse('{"workflow_id":"w","params":{"__proto__":{"a":1}}}');
    expect(faultOf(() => parseBody(StartRequest, body, 'body')).code).toBe('invalid_request');
  });

  it('a path names things of some length', () => {
    expect(paths.step.safeParse('').success).toBe(false);
    expect(paths.instance_id.safeParse('x'.repeat(201)).success).toBe(false);
  });
});

describe('work reported by an agent', () => {
  it.each<[string, object, object]>([
    [
      'as the message has it',
      {
        task_id: 'task-001',
        agent_id: 'agent-dev-001',
        role: 'developer',
        action_performed: 'COMMIT_CODE',
        result: { success: true, operations: 5 },
        artifacts: { commit_sha: 'abc123', files_changed: ['src/auth.py'] },
      },
      {
        task_id: 'task-001',
        agent_id: 'agent-dev-001',
        role: 'developer',
        action: 'COMMIT_CODE',
        success: true,
        artifacts: { commit_sha: 'abc123', files_changed: ['src/auth.py'] },
      },
    ],
    [
      'as a validation request, everything inside the result',
      {
        task_id: 't',
        role: 'qa',
        action: 'REJECT_TESTS',
        result: {
          success: true,
          artifacts: { a: 1 },
          feedback: 'Broken.',
          reasoning: 'Saw it.',
          operations_count: 2,
          extra: {},
        },
      },
      {
        task_id: 't',
        role: 'qa',
        action: 'REJECT_TESTS',
        success: true,
        artifacts: { a: 1 },
        feedback: 'Broken.',
        reasoning: 'Saw it.',
      },
    ],
    [
      'what stands at the top counts before what the result says',
      {
        task_id: 't',
        action: 'A',
        feedback: 'top',
        artifacts: { a: 1 },
        result: { feedback: 'in', artifacts: { a: 2, b: 2 } },
      },
      { task_id: 't', action: 'A', success: true, artifacts: { a: 1, b: 2 }, feedback: 'top' },
    ],
    [
      'nulls are as good as nothing',
      {
        task_id: 't',
        action_performed: 'A',
        action: null,
        role: null,
        result: null,
        artifacts: null,
        feedback: null,
        turn: null,
      },
      { task_id: 't', action: 'A', success: true, artifacts: {} },
    ],
    [
      'the same action twice is one',
      { task_id: 't', action_performed: 'A', action: 'A', turn: 0 },
      { task_id: 't', action: 'A', success: true, artifacts: {}, turn: 0 },
    ],
    [
      'a failure',
      { task_id: 't', action: 'A', result: { success: false } },
      { task_id: 't', action: 'A', success: false, artifacts: {} },
    ],
  ])('%s', (_, body, expected) => {
    expect(readAgentWork(body)).toEqual(expected);
  });

  it.each<[string, object, string]>([
    ['no task', { action: 'A' }, 'task_id'],
    ['no action', { task_id: 't' }, 'action_performed'],
    ['two actions', { task_id: 't', action: 'A', action_performed: 'B' }, 'action_performed'],
    ['success in words', { task_id: 't', action: 'A', result: { success: 'yes' } }, 'result.success'],
  ])('is refused with %s', (_, body, path) => {
    expect(issuesOf(() => readAgentWork(body))).toMatchObject([{ path }]);
  });
});
