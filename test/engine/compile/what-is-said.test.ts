// What an author reads about a definition that does not compile: the sentence, and what it names.
import { describe, expect, it } from 'vitest';
import { compile } from '../../../shared/engine/compile/compile.ts';

const problemsOf = (definition: unknown, name = 'w') => {
  const compiled = compile(definition, { name });
  return 'problems' in compiled ? compiled.problems : [];
};
const chain = (...steps: object[]) => ({ id: 'w', steps });
const guarded = (guard: string) =>
  chain({ id: 'a', outputs: ['draft'], transitions: [{ on: 'ok', to: null, guard }] });
const decided = (decide: string) => chain({ id: 'a', handler: { decide }, next: { ok: null } });

it.each<[string, object, number, string | null, string]>([
  // 0: the shape
  [
    'a key of the definition',
    { ...chain({ id: 'a' }), step: [] },
    0,
    null,
    'The definition: unknown key "step" (did you mean "steps"?).',
  ],
  [
    'a key where several shapes are possible',
    chain({ id: 'a', attempts: { max: 3, emphases: [] } }),
    0,
    'a',
    'steps.0.attempts: unknown key "emphases" (did you mean "emphasis"?).',
  ],
  [
    'a value where several shapes are possible',
    chain({ id: 'a', next: { ok: 3 } }),
    0,
    'a',
    'steps.0.next.ok: expected string or null.',
  ],
  [
    'a step without an id',
    chain({ title: '7' }),
    0,
    '',
    'steps.0.id: must start with a letter and hold only letters, digits, "_", "-" and ".".',
  ],
  [
    'both forms at once',
    { ...chain({ id: 'a' }), states: [] },
    0,
    null,
    'A definition has either "steps" or "states", not both.',
  ],
  ['neither form', { id: 'w' }, 0, null, 'The definition has no steps.'],
  [
    'phases that were not read',
    { ...chain({ id: 'a' }), document: 'p.md' },
    0,
    null,
    'The phases of "p.md" are not in the definition.',
  ],
  [
    'a role of a thousand letters',
    chain({ id: 'a', roles: ['r'.repeat(1_000)] }),
    0,
    'a',
    'steps.0.roles.0: Too big: expected string to have <=100 characters.',
  ],
  // 1 and 2: names
  [
    'an entry',
    { ...chain({ id: 'alpha' }), entry: 'alhpa' },
    1,
    null,
    'The entry "alhpa" is not a step (did you mean "alpha"?).',
  ],
  ['two steps of one name', chain({ id: 'a' }, { id: 'a' }), 2, 'a', 'There are two steps called "a".'],
  [
    'a number out of order',
    chain({ id: 'a', number: 2 }),
    2,
    'a',
    '"a" says it is number 2 but stands at 1.',
  ],
  [
    'a retry of nothing',
    chain({ id: 'a', triggers_retry: true }),
    2,
    'a',
    '"a" triggers a retry, but no step with attempts stands before it.',
  ],
  [
    'a retry of a step without attempts',
    chain({ id: 'a' }, { id: 'b', triggers_retry: 'a' }),
    2,
    'b',
    '"b" triggers a retry, but no step with attempts is called "a".',
  ],
  [
    'a reserved action',
    chain({ id: 'a', next: { stay: null } }),
    2,
    'a',
    '"stay" is a signal of its own and cannot name a transition of "a".',
  ],
  [
    'a transition on nothing',
    chain({ id: 'a', transitions: [{ to: null }] }),
    2,
    'a',
    'A transition of "a" says neither "on" what nor "auto: true".',
  ],
  [
    'an end with a way on',
    chain({ id: 'a' }, { id: 'b', final: true, next: 'a' }),
    2,
    'b',
    '"b" is final but has transitions.',
  ],
  [
    'a decision without a way',
    decided('data.x ? "ok" : "fail"'),
    2,
    'a',
    '"a" can decide "fail" but has no transition for it.',
  ],
  [
    'a deadline without a way',
    chain({ id: 'a', deadline: { seconds: 5, outcome: 'LATE' } }),
    2,
    'a',
    'The deadline of "a" ends in "LATE", for which the step has no transition.',
  ],
  [
    'a prerequisite that is no step',
    chain({ id: 'a', prerequisites: ['z'] }),
    2,
    'a',
    '"a" has the prerequisite "z", which is not a step.',
  ],
  [
    'a transition from nowhere',
    { id: 'w', states: [{ id: 'a', terminal: true }], transitions: [{ from: 'z', to: 'a', action: 'GO' }] },
    2,
    'z',
    'A transition leaves "z", which is not a state.',
  ],
  // 5: parameters
  [
    'a default outside its domain',
    { ...chain({ id: 'a' }), params: { n: { choices: [1, 2], default: 3 } } },
    5,
    null,
    'The parameter "n": its default must be one of 1, 2.',
  ],
  [
    'bounds of a text',
    { ...chain({ id: 'a' }), params: { n: { type: 'text', min: 1 } } },
    5,
    null,
    'The parameter "n": min and max belong to numbers, not to text.',
  ],
  // 7: prerequisites are proven
  [
    'a prerequisite that can be passed by',
    chain(
      { id: 'a', next: { ok: 'b', skip: 'c' } },
      { id: 'b', required: false },
      { id: 'c', prerequisites: ['b'] },
    ),
    7,
    'c',
    '"c" has the prerequisite "b", but can be reached without it.',
  ],
  // 9: expressions
  [
    'a variable with a slip',
    guarded('artefacts.x == 1'),
    9,
    'a',
    'The guard `artefacts.x == 1` of "a" on ok: "artefacts" is not a known variable (did you mean "artifacts"?).',
  ],
  [
    'an output with a slip',
    guarded('drafts == "x"'),
    9,
    'a',
    'The guard `drafts == "x"` of "a" on ok: "drafts" is not a known variable (did you mean "draft"?).',
  ],
  [
    'a guard that is no boolean',
    guarded('1 + 1'),
    9,
    'a',
    'The guard `1 + 1` of "a" on ok: gives a int, but a bool is needed here.',
  ],
  [
    'a decision that is no outcome',
    decided('1 + 1'),
    9,
    'a',
    'The decision `1 + 1` of "a": gives a int, but a string is needed here.',
  ],
  [
    'a guard that cannot be named',
    { ...chain({ id: 'a' }), guards: { 'a-b': 'true' } },
    9,
    null,
    'The guard "a-b" (`true`): an expression cannot name a guard "a-b"; use letters, digits and "_".',
  ],
  [
    'a block that shows what is not there',
    {
      ...chain({ id: 'a' }),
      params: { level: {} },
      state_block: { name: 'p', unit: 'step', include: { x: 'params.levle' } },
    },
    9,
    null,
    '"state_block" includes "params.levle", but there is no such parameter (did you mean "level"?).',
  ],
  // 10: roles, criteria, handlers
  [
    'a role with a slip',
    { ...chain({ id: 'a', roles: ['develper'] }), roles: ['developer'] },
    10,
    'a',
    '"a" needs the role "develper", which is not declared (did you mean "developer"?).',
  ],
  [
    'a criterion with a slip',
    chain({ id: 'a', criteria: ['agent_signl'] }),
    10,
    'a',
    '"a" has a criterion of an unknown type "agent_signl" (did you mean "agent_signal"?).',
  ],
  [
    "a criterion's parameter with a slip",
    chain({ id: 'a', criteria: [{ type: 'widget_completed', widget_type: 'x', min_item: 2 }] }),
    10,
    'a',
    'The criterion widget_completed of "a" does not fit: widget_completed: unknown key "min_item" (did you mean "min_items"?).',
  ],
  [
    'a join of nobody',
    chain({ id: 'a', criteria: ['all_agents'] }),
    10,
    'a',
    '"a" waits for all its agents but names none.',
  ],
  [
    'two handlers',
    chain({ id: 'a', handler: { decide: '"ok"', dispatch: { agent: 'x' } } }),
    10,
    'a',
    '"a" has more than one handler.',
  ],
  [
    'a function that is not registered',
    chain({ id: 'a', handler: { function: 'confidense' } }),
    10,
    'a',
    '"a" is decided by "confidense", which is not registered (did you mean "confidence"?).',
  ],
])('about %s', (_, definition, check, step, message) => {
  const problem = problemsOf(definition).find((candidate) => candidate.check === check);
  expect(problem).toMatchObject({ workflow: 'w', step, message });
  expect(problem?.fix).toMatch(/\S/);
});

describe('the report', () => {
  it('tells a problem once', () => {
    expect(problemsOf(chain({ id: 'a', triggers_retry: true }))).toHaveLength(1);
  });

  it('tells twenty of a kind and how many more there are', () => {
    const steps = Array.from({ length: 3_000 }, (_, i) => ({ id: `s${i}`, next: `t${i}` }));
    const problems = problemsOf({ id: 'w', steps });
    expect(problems).toHaveLength(21);
    expect(problems[0]?.message).toContain('did you mean "s0"?');
    expect(problems.at(-1)?.message).toBe('2980 more problems of this kind are not listed.');
  });

  it('tells wrong variables by the thousand without searching for each', () => {
    const steps = Array.from({ length: 3_000 }, (_, i) => ({
      id: `s${i}`,
      outputs: [`out_${i}`],
      transitions: [{ on: 'ok', to: null, guard: `uot_${i} == 1` }],
    }));
    expect(problemsOf({ id: 'w', steps }).filter(({ check }) => check === 9)).toHaveLength(21);
  });

  it("refuses a file's name that cannot be an id, but only where it is needed", () => {
    expect(problemsOf({ steps: [{ id: 'a' }] }, 'my plan')[0]?.message).toBe(
      'The file\'s name "my plan" cannot be the workflow\'s id.',
    );
    expect(problemsOf({ id: 'w', steps: [{ id: 'a' }] }, 'my plan')).toEqual([]);
  });
});
