// C1: whatever is compiled, the answer is a workflow or problems. Nothing is timed: what these definitions show is
// that nothing overflows, hangs or throws.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile, load } from '../../../shared/engine/compile/compile.ts';

const answers = (definition: unknown) => {
  const compiled = compile(definition, { name: 'w' });
  if ('problems' in compiled) expect(compiled.problems.length).toBeGreaterThan(0);
  return compiled;
};
const chain = (...steps: object[]) => ({ id: 'w', steps });
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('what is large', () => {
  it.each([100, 10_000])('%i steps with a guard, an output and a way back each', (count) => {
    const steps = upTo(count).map((i) => ({
      id: `s${i}`,
      agents: ['a'],
      outputs: [`out_${i}`],
      prerequisites: i === 0 ? [] : [`s${i - 1}`],
      transitions: [
        { on: 'ok', to: i + 1 < count ? `s${i + 1}` : null, guard: `artifacts.out_${i} exists` },
        { on: 'fail', to: `s${Math.max(0, i - 1)}` },
      ],
    }));
    const compiled = answers({ id: 'w', steps });
    expect('workflow' in compiled && compiled.workflow.milestones).toHaveLength(count);
  });

  it('a megabyte of text is refused where it cannot be meant', () => {
    const long = 'x'.repeat(1_000_000);
    for (const step of [
      { id: long },
      { id: 'a', title: long },
      { id: 'a', next: long },
      { id: 'a', roles: [long] },
      { id: 'a', content: long },
    ])
      expect(answers(chain(step))).toHaveProperty('problems');
  });

  it('a thousand transitions of one step, in either form', () => {
    const ways = upTo(1_001).map((i) => ({ to: 'b', guard: `data.x == ${i}` }));
    expect(
      answers(chain({ id: 'a', transitions: ways.map((way) => ({ ...way, on: 'GO' })) }, { id: 'b' })),
    ).toHaveProperty('problems');
    const transitions = ways.map((way) => ({ ...way, from: 'a', action: 'GO' }));
    const fsm = { id: 'w', states: [{ id: 'a' }, { id: 'b', terminal: true }], transitions };
    expect(answers(fsm)).toMatchObject({
      problems: [{ check: 2, step: 'a', message: 'More than 1000 transitions leave "a".' }],
    });
  });

  it('20,001 steps', () => {
    expect(answers({ id: 'w', steps: upTo(20_001).map((i) => ({ id: `s${i}` })) })).toHaveProperty(
      'problems',
    );
  });

  it('a circle of automatic transitions, long or short', () => {
    for (const count of [1, 2, 5_000]) {
      const states = [...upTo(count).map((i) => ({ id: `s${i}` })), { id: 'end_state', terminal: true }];
      const round = upTo(count).map((i) => ({
        from: `s${i}`,
        to: `s${(i + 1) % count}`,
        auto: true,
        guard: 'data.x',
      }));
      const transitions = [...round, { from: 's0', to: 'end_state', action: 'STOP' }];
      const compiled = answers({ id: 'w', states, transitions });
      expect('problems' in compiled && compiled.problems.map(({ check }) => check)).toEqual([8]);
    }
  });
});

describe('guards that lean on one another', () => {
  const NOTHING = { params: {}, state: {}, data: {}, artifacts: {}, evidence: {}, shared: {} };
  const named = (count: number, check: (i: number) => string) => ({
    ...chain({ id: 'a', transitions: [{ on: 'ok', to: null, guard: `g${count - 1}` }] }),
    guards: upTo(count).map((i) => ({ name: `g${i}`, check: i < 2 ? 'true' : check(i) })),
  });

  it.each<[string, (i: number) => string]>([
    ['in a chain', (i) => `g${i - 1}`],
    ['each on the two before it, which would double with each', (i) => `g${i - 1} && g${i - 2}`],
  ])('are each evaluated once: %s', (_, check) => {
    const guard = load(named(500, check)).steps[0]?.transitions[0]?.guard;
    expect(guard?.evaluate(NOTHING)).toEqual({ ok: true, value: true });
  });

  it('are five hundred at most', () => {
    expect(answers(named(501, (i) => `g${i - 1}`))).toHaveProperty('problems');
  });

  it('may have the name of an output, which those before still mean', () => {
    const { steps } = load({
      ...chain({
        id: 'a',
        outputs: ['draft'],
        transitions: [{ on: 'ok', to: null, guard: 'long && draft' }],
      }),
      guards: [
        { name: 'long', check: 'size(draft) > 3' },
        { name: 'draft', check: 'draft != "none"' },
      ],
    });
    const guard = steps[0]?.transitions[0]?.guard;
    const holding = ['text', 'none', 'abc'].map((draft) =>
      guard?.evaluate({ ...NOTHING, artifacts: { draft } }),
    );
    expect(holding).toEqual([true, false, false].map((value) => ({ ok: true, value })));
  });
});

describe('what is strange', () => {
  it.each<[string, 'workflow' | 'problems', object]>([
    [
      'outputs the language keeps to itself',
      'workflow',
      { id: 'a', outputs: ['__proto__', 'in', 'null', 'true', 'int', 'list', 'params'] },
    ],
    ['roles from a prototype', 'workflow', { id: 'a', roles: ['toString', '__proto__', 'constructor'] }],
    ['a function from a prototype', 'problems', { id: 'a', handler: { function: 'constructor' } }],
    ['a criterion from a prototype', 'problems', { id: 'a', criteria: ['toString'] }],
    ['targets from a prototype', 'problems', { id: 'a', next: { toString: 'hasOwnProperty' } }],
    [
      'evidence of strange names',
      'workflow',
      { id: 'a', evidence: { toString: { type: 'string' }, '': { type: 'list' } } },
    ],
    ['itself as its prerequisite', 'problems', { id: 'a', prerequisites: ['a', 1, 0, -5, 99] }],
    ['an emoji for an id', 'problems', { id: '🙂' }],
    ['a letter of another script for an id', 'workflow', { id: 'шаг' }],
  ])('%s: %s', (_, answer, step) => {
    expect(answers({ ...chain(step), roles: ['toString', '__proto__', 'constructor'] })).toHaveProperty(
      answer,
    );
  });

  it('a name the language keeps is still an output', () => {
    expect(load(chain({ id: 'a', outputs: ['in', 'list'] })).steps[0]?.outputs).toEqual(['in', 'list']);
  });

  it('data that holds itself', () => {
    const knot: unknown[] = [];
    knot.push(knot, knot);
    expect(answers(chain({ id: 'a', evidence: { x: { type: 'list', example: knot } } }))).toHaveProperty(
      'problems',
    );
  });
});

describe('whatever it is', () => {
  const word = fc.constantFrom(
    'a',
    'b',
    'c',
    'end',
    'ok',
    'fail',
    'skip',
    'GO',
    'CLAIM_X',
    'stay',
    '',
    'true',
    'data.x == 1',
    'x exists',
    'qa',
    '__x',
  );
  const scrap = fc.oneof(
    word,
    fc.boolean(),
    fc.integer({ min: -1, max: 5 }),
    fc.constant(null),
    fc.array(word, { maxLength: 3 }),
  );
  const keys = [
    'id',
    'next',
    'final',
    'terminal',
    'required',
    'roles',
    'agents',
    'agent',
    'parallel',
    'criteria',
    'outputs',
    'prerequisites',
    'approval',
    'attempts',
    'triggers_retry',
    'deadline',
    'transitions',
    'handler',
    'evidence',
    'name',
    'step',
    'allowed_roles',
    'exit_action',
  ];
  const transition = fc.dictionary(
    fc.constantFrom(
      'on',
      'to',
      'from',
      'action',
      'role',
      'role_required',
      'guard',
      'auto',
      'implied',
      'completes',
    ),
    scrap,
    { maxKeys: 5 },
  );
  const step = fc.dictionary(
    fc.constantFrom(...keys),
    fc.oneof(scrap, fc.array(transition, { maxLength: 3 }), fc.dictionary(word, scrap, { maxKeys: 3 })),
    { maxKeys: 5 },
  );
  const nearly = fc.record(
    {
      id: fc.constant('w'),
      steps: fc.array(step, { maxLength: 4 }),
      states: fc.array(step, { maxLength: 4 }),
      transitions: fc.array(transition, { maxLength: 4 }),
      roles: fc.array(word, { maxLength: 2 }),
      guards: fc.dictionary(word, word, { maxKeys: 2 }),
      params: fc.dictionary(
        word,
        fc.dictionary(fc.constantFrom('min', 'max', 'default', 'choices', 'type'), scrap),
        { maxKeys: 2 },
      ),
      entry: word,
    },
    { requiredKeys: ['id'] },
  );

  it('any value is answered', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => void answers(value)),
      { numRuns: 500 },
    );
  });

  it('what is nearly a definition is answered; what compiles, compiles again to the same version', () => {
    fc.assert(
      fc.property(nearly, (definition) => {
        const compiled = answers(definition);
        if (!('workflow' in compiled)) return;
        expect(load(compiled.workflow.source).version).toBe(compiled.workflow.version);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the compiled form', () => {
  it('is its own: what was given is neither frozen nor looked at again', () => {
    const given = {
      id: 'w',
      steps: [{ id: 'a', title: 'A', criteria: [{ type: 'outputs', names: ['x'] }] }],
    };
    const workflow = load(given);
    const { version, source } = workflow;
    const before = JSON.stringify(source);
    given.steps[0]?.criteria[0]?.names.push('y');
    (given.steps[0] ?? { title: '' }).title = 'B';
    expect([workflow.version, JSON.stringify(workflow.source)]).toEqual([version, before]);
  });

  it('cannot be written to, at any depth', () => {
    const workflow = load({
      id: 'w',
      steps: [{ id: 'a', agents: ['x'], evidence: { n: { type: 'integer', min: 1 } } }],
    });
    const [step] = workflow.steps;
    for (const part of [
      workflow,
      workflow.steps,
      step,
      step?.agents,
      step?.evidence.n,
      step?.transitions[0],
      workflow.source,
    ])
      expect(Object.isFrozen(part)).toBe(true);
  });
});
