// needsOf: the outside facts that one commit may ask for.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Actor,
  begin,
  decide,
  defineChecker,
  knownTo,
  load,
  MET,
  needsOf,
  type State,
  type Step,
  type Workflow,
} from '../../shared/engine/index.ts';
import * as z from 'zod';
import { onboarding } from '../support/definitions.ts';
import { NOON } from '../support/play.ts';
import { GROUNDS } from './properties/definitions.ts';
import { moves, walk } from './properties/walk.ts';

const facts = (category: string) => ({ type: 'memory_check', min_facts: 1, category });
const at = (current_step: string, status: State['status'] = 'in_progress') => ({
  current_step,
  status,
  steps: [],
});
const namesAt = (workflow: Workflow, step: string): readonly string[] =>
  needsOf(workflow, at(step)).map(({ name }) => name);

const automatic = load({
  id: 'automatic',
  steps: [
    { id: 'ask', agent: 'a', criteria: [facts('asked')] },
    {
      id: 'sort',
      criteria: [facts('sorted'), facts('asked')],
      handler: { decide: '"ok"' },
      next: { ok: 'weigh' },
    },
    { id: 'weigh', criteria: [facts('weighed')], handler: { decide: '"ok"' }, next: { ok: 'rest' } },
    { id: 'rest', agent: 'a', criteria: [facts('rested')] },
    { id: 'last', agent: 'a', criteria: [facts('late')] },
  ],
});

const implied = load({
  id: 'implied',
  recovery: 'restart',
  states: [
    { id: 'todo', criteria: [facts('started')] },
    { id: 'doing', criteria: [facts('done')] },
    { id: 'review', criteria: [facts('reviewed')] },
    { id: 'end', terminal: true },
  ],
  transitions: [
    { from: 'todo', to: 'doing', action: 'CLAIM', role_required: 'dev', implied: true },
    { from: 'doing', to: 'review', action: 'COMMIT', role_required: 'dev' },
    { from: 'review', to: 'end', action: 'APPROVE', role_required: 'qa' },
  ],
});

describe('what the next commit may need to know', () => {
  it.each<[string, Workflow, string, readonly string[]]>([
    ['nothing, where no criterion asks', onboarding, 'greeting', []],
    ['what the current step asks', onboarding, 'discovery', ['user_profile']],
    ['nothing of a step that is only entered', onboarding, 'brain_dump', []],
    [
      'what steps ask that are left by themselves, each once',
      automatic,
      'ask',
      ['asked', 'sorted', 'weighed'],
    ],
    ['nothing of what lies behind the step that rests', automatic, 'weigh', ['weighed']],
    ['what an action needs that passes through an implied transition', implied, 'todo', ['started', 'done']],
    ['nothing of the step behind an ordinary transition', implied, 'doing', ['done']],
    ['nothing at the end', implied, 'end', []],
  ])('%s', (_, workflow, step, expected) => {
    expect(namesAt(workflow, step)).toEqual(expected);
  });

  it('is the same list every time, and says of what kind each need is', () => {
    expect(needsOf(onboarding, at('discovery'))).toEqual([{ kind: 'memory', name: 'user_profile' }]);
    expect(needsOf(onboarding, at('discovery'))).toBe(needsOf(onboarding, at('discovery')));
  });

  it('of a checker from outside whose needs throw is nothing', () => {
    const broken = defineChecker({
      type: 'broken',
      params: z.strictObject({}),
      needs: () => {
        throw new Error('no');
      },
      check: () => MET,
    });
    const workflow = load({ id: 'w', steps: [{ id: 'a', criteria: ['broken'] }] }, { checkers: [broken] });
    expect(namesAt(workflow, 'a')).toEqual([]);
  });
});

/** Each step of the workflow with one more criterion, which needs a fact of the step's own and says that it was judged. */
function probing(workflow: Workflow, judged: Set<string>): Workflow {
  const probe = (id: string): Step['criteria'][number] => ({
    type: 'probe',
    params: {},
    checker: {
      type: 'probe',
      params: z.never(),
      needs: () => [{ kind: 'custom', name: id }],
      check: () => {
        judged.add(id);
        return MET;
      },
    },
  });
  const steps = workflow.steps.map((step) => ({ ...step, criteria: [...step.criteria, probe(step.id)] }));
  return { ...workflow, steps };
}

describe.each(GROUNDS)('any walk through $name', (ground) => {
  it('N1: no criterion is judged whose needs were not named before', () => {
    const judged = new Set<string>();
    const workflow = probing(ground.workflow, judged);
    fc.assert(
      fc.property(moves, (script) =>
        walk(ground, script).said.every(({ before, signal, actor, facts: known, now }) => {
          judged.clear();
          decide(workflow, before, signal, actor, known, now);
          const named = new Set(needsOf(workflow, before).map(({ name }) => name));
          return [...judged].every((id) => named.has(id));
        }),
      ),
      { numRuns: 100 },
    );
  });
});

describe('of the facts a commit was judged on, a caller hears of', () => {
  const owner: Actor = { sub: 'o', kind: 'human', roles: [] };
  const heard = (actor: Actor) => {
    const { state } = begin(implied, { instance_id: 'i', workflow_id: 'implied' }, owner, NOON);
    return knownTo(implied, state, actor)({ memory: { started: 1, done: 0 }, current_version: 'v' });
  };

  it('none that only a locked step asks for', () => {
    expect(heard(owner)).toEqual({ memory: { started: 1 }, current_version: 'v' });
    expect(heard({ ...owner, kind: 'agent', roles: ['admin'] })).toEqual(heard(owner));
  });

  it('all, as a person who is an admin', () => {
    expect(heard({ ...owner, roles: ['admin'] }).memory).toEqual({ started: 1, done: 0 });
  });
});
