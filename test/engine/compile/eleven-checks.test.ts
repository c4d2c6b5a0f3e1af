// Loading a definition proves it: for each check a definition that fails it, named with its step and its mend.
import { describe, expect, it } from 'vitest';
import { compile, load } from '../../../shared/engine/compile/compile.ts';
import { loadFile } from '../../../shared/reading/load-file.ts';
import { readDefinition } from '../../../shared/reading/read-definition.ts';
import { readFileSync } from 'node:fs';
import { Fault } from '../../../shared/faults.ts';

const problemsOf = (definition: unknown) => {
  const compiled = compile(definition, { name: 'w' });
  return 'problems' in compiled ? compiled.problems : [];
};
const chain = (...steps: object[]) => ({ id: 'w', steps });

it.each<[number, string, string | null, object]>([
  [0, 'an unknown key, with the one probably meant', 'a', chain({ id: 'a', instrutions: 'x' })],
  [1, 'an entry that is no step', null, { ...chain({ id: 'a' }), entry: 'b' }],
  [2, 'a target that is no step', 'a', chain({ id: 'a', next: 'nowhere' })],
  [3, 'no end at all', null, chain({ id: 'a', next: 'a' })],
  [4, 'a step nobody can reach', 'b', chain({ id: 'a', next: 'c' }, { id: 'b' }, { id: 'c' })],
  [
    5,
    'a parameter whose bounds are crossed',
    null,
    { ...chain({ id: 'a' }), params: { n: { min: 5, max: 1 } } },
  ],
  [
    6,
    'a trap',
    'b',
    chain({ id: 'a', next: { ok: null, fail: 'b' } }, { id: 'b', required: false, next: 'b' }),
  ],
  [
    7,
    'a required step that can be avoided',
    'b',
    chain({ id: 'a', next: { ok: 'b', skip: 'c' } }, { id: 'b' }, { id: 'c' }),
  ],
  [
    8,
    'automatic transitions in a circle',
    'a',
    chain(
      {
        id: 'a',
        transitions: [
          { auto: true, to: 'b', guard: 'data.x' },
          { on: 'ok', to: null },
        ],
      },
      { id: 'b', required: false, transitions: [{ auto: true, to: 'a' }] },
    ),
  ],
  [
    9,
    'a guard that names an unknown variable',
    'a',
    chain({ id: 'a', transitions: [{ on: 'ok', to: null, guard: 'artefacts.x == 1' }] }),
  ],
  [
    9,
    'a pattern match, which could run for minutes',
    'a',
    chain({ id: 'a', transitions: [{ on: 'ok', to: null, guard: 'data.x.matches("(a+)+$")' }] }),
  ],
  [
    9,
    'a macro inside a macro',
    'a',
    chain({ id: 'a', transitions: [{ on: 'ok', to: null, guard: 'data.x.all(i, data.y.all(j, i == j))' }] }),
  ],
  [10, 'a role that is not declared', 'a', chain({ id: 'a', roles: ['qa'] })],
  [
    10,
    'a criterion with a parameter that does not fit',
    'a',
    chain({ id: 'a', criteria: [{ type: 'memory_check', min_facts: 'three', category: 'p' }] }),
  ],
  [
    11,
    'a transition behind one that is always taken',
    'a',
    chain({
      id: 'a',
      transitions: [
        { on: 'ok', to: null },
        { on: 'ok', to: 'a' },
      ],
    }),
  ],
])('check %i refuses %s', (check, _, step, definition) => {
  const found = problemsOf(definition).filter((problem) => problem.check === check);
  expect(found[0]).toMatchObject({ workflow: 'w', step });
  expect(found[0]?.message).toMatch(/\S/);
  expect(found[0]?.fix).toMatch(/\S/);
});

describe('the report', () => {
  it('suggests the key, the step and the role probably meant', () => {
    expect(problemsOf(chain({ id: 'a', instrutions: 'x' }))[0]?.message).toContain(
      'did you mean "instructions"',
    );
    expect(problemsOf(chain({ id: 'alpha', next: 'alhpa' }))[0]?.message).toContain('did you mean "alpha"');
  });

  it('tells several failures together', () => {
    const checks = problemsOf({
      ...chain({ id: 'a', roles: ['qa'], transitions: [{ on: 'ok', to: null, guard: '1 +' }] }),
      params: { n: { min: 2, max: 1 } },
    });
    expect(checks.map(({ check }) => check)).toEqual([5, 9, 10]);
  });

  it('prints a shortest way around a required step, a failing way out included', () => {
    const [problem] = problemsOf(
      chain({ id: 'build' }, { id: 'review', next: { ok: 'ship', fail: 'ship' } }, { id: 'ship' }),
    );
    expect(problem).toMatchObject({ check: 7, step: 'review', path: ['build', 'review', 'ship', 'end'] });
    expect(problem?.message).toContain('build → review —fail→ ship → end');
  });

  it('is carried whole by the Fault that load throws', () => {
    expect(() => load(chain({ id: 'a', next: 'x' }))).toThrow(Fault);
    expect(() => load(chain({ id: 'a', next: 'x' }))).toThrow(/goes to "x"/);
  });
});

describe('the compiled form', () => {
  it('is the same for both input forms', () => {
    const steps = load({
      id: 'w',
      roles: ['dev'],
      steps: [
        {
          id: 'a',
          roles: ['dev'],
          required: false,
          required_action: 'GO',
          transitions: [{ on: 'GO', to: 'b' }],
        },
        { id: 'b', required: false, final: true },
      ],
    });
    const fsm = load({
      id: 'w',
      states: [
        { id: 'a', allowed_roles: ['dev'] },
        { id: 'b', terminal: true },
      ],
      transitions: [{ from: 'a', to: 'b', action: 'GO' }],
    });
    expect(fsm.steps).toEqual(steps.steps);
  });

  it('is frozen, and its version depends on the content, not on the order of keys', () => {
    const workflow = load({ id: 'w', title: 'T', steps: [{ id: 'a', title: 'A' }] });
    expect(() => Object.assign(workflow.steps[0] ?? {}, { id: 'z' })).toThrow(TypeError);
    expect(load({ steps: [{ title: 'A', id: 'a' }], title: 'T', id: 'w' }).version).toBe(workflow.version);
    expect(load({ id: 'w', title: 'T2', steps: [{ id: 'a', title: 'A' }] }).version).not.toBe(
      workflow.version,
    );
  });

  it('reads the spellings of the design documents', () => {
    const { steps } = load({
      id: 'generation',
      steps: [
        {
          step: 1,
          name: 'File Check',
          agent: 'coordinator',
          prerequisites: [],
          outputs: ['blueprint_path'],
          human_approval: false,
          retry_enabled: false,
        },
        {
          step: 2,
          name: 'Plan',
          agent: 'planner',
          prerequisites: [1],
          human_approval: true,
          approval_type: 'select_variant',
        },
        { step: 3, name: 'Write', agent: 'writer', retry_enabled: true, max_attempts: 3 },
        { step: 4, name: 'Check', agent: 'checker', triggers_retry: true },
        {
          step: 5,
          name: 'Validate',
          agent: 'aggregator',
          parallel_agents: 7,
          is_required: true,
          completion_criteria: ['agent_signal'],
        },
      ],
    });
    expect(steps.map(({ id }) => id)).toEqual(['file_check', 'plan', 'write', 'check', 'validate']);
    expect([
      steps[1]?.approval?.type,
      steps[2]?.attempts?.max,
      steps[3]?.triggers_retry,
      steps[4]?.agents.length,
    ]).toEqual(['select_variant', 3, 2, 7]);
  });
});

describe("the delivery seed's own file", () => {
  const file = new URL('../../fixtures/seed-workflow.fsm.yaml', import.meta.url);
  const wayOut =
    '\ntransitions:\n  - from: todo\n    to: implementing\n    action: CLAIM_TASK\n    role_required: developer\n';

  it('does not prove as it stands: there is no way out of todo', () => {
    const compiled = loadFile(file.pathname);
    expect('problems' in compiled && compiled.problems).toContainEqual(
      expect.objectContaining({ check: 6, step: 'todo' }),
    );
  });

  it('loads with a way out of todo, its guards as they stand, under its file name', () => {
    const text = readFileSync(file, 'utf8').replace('\ntransitions:\n', wayOut);
    const read = readDefinition(text, { format: 'yaml', name: 'workflow.fsm' });
    const workflow = load('definition' in read ? read.definition : {}, { name: 'workflow.fsm' });
    expect(workflow.id).toBe('workflow.fsm');
    expect(Object.keys(workflow.roles)).toEqual(['developer', 'architect', 'qa', 'po']);
    expect(workflow.steps[workflow.entry]?.id).toBe('todo');
  });
});

describe('hostile definitions', () => {
  const deep = Array.from({ length: 10_000 }).reduce<unknown>((inner) => ({ inner }), 1);
  it.each<[string, unknown]>([
    ['nothing', null],
    ['a list', []],
    ['10,000 levels', { id: 'w', steps: [{ id: 'a', description: deep }] }],
    ['a __proto__ key', JSON.parse('{"id":"w","steps":[{"id":"a","__proto__":{"x":1}}]}')],
    ['a lone surrogate', chain({ id: 'a', title: '\ud800' })],
    [
      'a megabyte of expression',
      chain({ id: 'a', transitions: [{ on: 'ok', to: null, guard: 'true || '.repeat(130_000) }] }),
    ],
    [
      'an expression nested too deep',
      chain({
        id: 'a',
        transitions: [{ on: 'ok', to: null, guard: `${'('.repeat(900)}true${')'.repeat(900)}` }],
      }),
    ],
    ['a step called constructor', chain({ id: 'constructor' })],
  ])('are refused with a problem: %s', (_, definition) => {
    expect(problemsOf(definition)).not.toEqual([]);
  });

  it('a YAML bomb is refused, and so is a file with two workflows', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map(
        (name, i) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[i]}`).join(',')}]`,
      )
      .join('\n')}\n`;
    expect(readDefinition(bomb, { format: 'yaml', name: 'bomb' })).toHaveProperty('problems');
    expect(readDefinition('id: a\n---\nid: b\n', { format: 'yaml', name: 'two' })).toHaveProperty('problems');
  });
});
