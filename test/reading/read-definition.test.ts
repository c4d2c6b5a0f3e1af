// R1–R3: a definition's text becomes plain JSON that compiles without any file, or problems.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from '../../shared/engine/compile/compile.ts';
import { readDefinition } from '../../shared/reading/read-definition.ts';

const PHASES = `# A method

## Phase 1: Count

Count what is there.

Checkpoint:
- \`function_count\`: integer, at least 1

## Phase 2: Write

No evidence required.
`;

const read = (text: string, document: string | (() => string) = PHASES) =>
  readDefinition(text, {
    format: 'yaml',
    name: 'method',
    readDocument: () => (typeof document === 'string' ? document : document()),
  });
const definition = (text: string): Record<string, unknown> => {
  const answer = read(text);
  if ('problems' in answer) throw new Error(JSON.stringify(answer.problems));
  return answer.definition as Record<string, unknown>; // readDefinition gives objects only
};
const problems = (answer: ReturnType<typeof readDefinition>) => ('problems' in answer ? answer.problems : []);

describe('a definition with a document', () => {
  it('has one step for each phase, and nothing left to read', () => {
    const { document, steps, title } = definition('document: phases.md');
    expect([document, title]).toEqual([undefined, 'A method']);
    expect(steps).toEqual([
      {
        id: 'phase_1',
        number: 1,
        title: 'Count',
        description: 'Count what is there.',
        content: expect.stringContaining('## Phase 1: Count'),
        evidence: { function_count: expect.objectContaining({ type: 'integer', min: 1 }) },
      },
      expect.objectContaining({ id: 'phase_2', number: 2, title: 'Write', evidence: {} }),
    ]);
    expect(compile(definition('document: phases.md'), { name: 'method' })).toHaveProperty('workflow');
  });

  it.each<[string, string, object]>([
    ['by id', '{id: phase_2, agents: [writer]}', { id: 'phase_2', agents: ['writer'], title: 'Write' }],
    ['by number', '{number: 2, approval: true}', { id: 'phase_2', approval: true }],
    ["by the seed's word for it", '{phase: 2, name: Writing}', { number: 2, title: 'Writing' }],
    ['by both', '{number: 2, id: phase_2, roles: []}', { id: 'phase_2' }],
    ['by number, with an id of its own', '{number: 2, id: writing}', { id: 'writing', number: 2 }],
    [
      'adding evidence',
      '{number: 2, evidence: {n: {type: integer}}}',
      { evidence: { n: { type: 'integer' } } },
    ],
  ])('takes what lies over a phase, %s', (_, over, expected) => {
    const { steps } = definition(`document: phases.md\nsteps: [${over}]`);
    expect(steps).toHaveLength(2);
    expect((steps as unknown[])[1]).toMatchObject(expected);
  });

  it('keeps the evidence of a phase when more is laid over it', () => {
    const { steps } = definition('document: p.md\nsteps: [{number: 1, evidence: {notes: {type: string}}}]');
    expect((steps as { evidence: object }[])[0]?.evidence).toHaveProperty('function_count');
    expect((steps as { evidence: object }[])[0]?.evidence).toHaveProperty('notes');
  });

  it.each<[string, string, string]>([
    [
      'what lies over no phase',
      'document: p.md\nsteps: [{id: phase_3}]',
      'Entry 1 of "steps" names no phase of "p.md"',
    ],
    ['what names no phase', 'document: p.md\nsteps: [{agents: [a]}]', 'names no phase'],
    ['what names two phases', 'document: p.md\nsteps: [{number: 1, id: phase_2}]', 'names no phase'],
    ['what is no step', 'document: p.md\nsteps: [3]', 'names no phase'],
    [
      'a phase named twice',
      'document: p.md\nsteps: [{number: 1}, {id: phase_1}]',
      'which an earlier one names too',
    ],
    ['states beside it', 'document: p.md\nstates: []', '"states" or a "document", not both'],
    ['a document that is no name', 'document: [a]', '"document" is not a file\'s name'],
  ])('refuses %s', (_, text, message) => {
    expect(problems(read(text))).toMatchObject([{ check: 0, workflow: 'method' }]);
    expect(problems(read(text))[0]?.message).toContain(message);
  });

  it.each(['../p.md', '/etc/passwd', 'a/../../p.md', 'C:\\p.md', '..\\p.md', '~/p.md', 'a//p.md', 'p\\0.md'])(
    'stays in its folder: %j',
    (path) => {
      const answer = read(JSON.stringify({ document: path }));
      expect(problems(answer)[0]?.message).toContain('is not in the folder of its definition');
    },
  );

  it.each(['p.md', './p.md', 'docs/p.md', 'p..md'])('may be in its folder or below: %j', (path) => {
    expect(problems(read(JSON.stringify({ document: path })))).toEqual([]);
  });

  it('tells the file, the line and the phase of what is wrong in the document', () => {
    const found = problems(
      read(
        'id: m\ndocument: p.md',
        '# T\n\n## Phase 1: A\n\nJust text.\n\n## Phase 3: B\n\nNo evidence required.\n',
      ),
    );
    expect(found).toMatchObject([
      {
        check: 0,
        workflow: 'm',
        step: 'phase_1',
        message: expect.stringMatching(/^p\.md, line 3: "Phase 1: A"/),
      },
      {
        check: 0,
        workflow: 'm',
        step: 'phase_3',
        message: expect.stringMatching(/^p\.md, line 7: "Phase 3: B"/),
      },
    ]);
  });

  it('says why the document cannot be read', () => {
    const thrown = read('document: p.md', () => {
      throw new Error('no such file');
    });
    expect(problems(thrown)[0]?.message).toBe('The document "p.md" cannot be read (no such file).');
    const nowhere = readDefinition('document: p.md', { format: 'yaml', name: 'm' });
    expect(problems(nowhere)[0]?.fix).toContain('stepgate publish');
  });
});

describe('the data', () => {
  it.each<[string, string, string]>([
    ['a prototype', '{"__proto__": {"x": 1}}', 'The definition has a key that is not allowed: __proto__.'],
    ['broken text', '{"a": "\\ud800"}', 'The value at "a" holds broken text (a lone surrogate).'],
    ['a number without end', '{"a": 1e999}', 'The value at "a" is not a finite number.'],
    ['a list', '[]', 'A definition is an object.'],
    [
      'too much',
      `{"a": "${'x'.repeat(8_000_000)}"}`,
      'The definition has 8000009 characters; at most 8000000 are read.',
    ],
  ])('is refused if it is %s', (_, text, message) => {
    const answer = readDefinition(text, { format: 'json', name: 'w' });
    expect(problems(answer)).toMatchObject([{ check: 0, workflow: 'w', message }]);
  });

  it('is refused if an alias makes it endless', () => {
    expect(problems(read('a: &a [*a]'))[0]?.message).toContain('is nested deeper than 64 levels');
  });

  it('is each its own: what an alias repeats is a copy (R2)', () => {
    const { a, b } = definition('a: &x {n: 1}\nb: *x');
    expect(b).toEqual(a);
    expect(b).not.toBe(a);
  });

  it('may begin with a byte order mark', () => {
    expect(readDefinition('\uFEFF{"id": "w"}', { format: 'json', name: 'w' })).toEqual({
      definition: { id: 'w' },
    });
    expect(read('\uFEFFid: w')).toEqual({ definition: { id: 'w' } });
  });
});

describe('whatever the text (R1)', () => {
  const yamlish = fc
    .array(
      fc.constantFrom(
        ...'-?:,[]{}#&*!|>\'"%@` \n\t~=<'.split(''),
        'a',
        '1',
        ': ',
        '- ',
        '\n  ',
        '<<: ',
        '*a',
        '&a ',
        '---\n',
        '...\n',
        '\0',
        '\ud800',
        '!!set ',
        '%YAML 1.1\n',
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(''));
  const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), yamlish, fc.json());

  it('the answer is a definition or problems, never an exception, and it compiles or is refused', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom<'yaml' | 'json'>('yaml', 'json'), (text, format) => {
        const answer = readDefinition(text, { format, name: 'w', readDocument: () => text });
        const definition = 'definition' in answer ? answer.definition : {};
        expect('definition' in answer || answer.problems.length > 0).toBe(true);
        expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
        compile(definition, { name: 'w' });
      }),
      { numRuns: 3_000 },
    );
  });

  it('a document of anything is phases or problems', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const answer = readDefinition('document: p.md', {
          format: 'yaml',
          name: 'w',
          readDocument: () => text,
        });
        expect('problems' in answer || 'definition' in answer).toBe(true);
      }),
    );
  });
});
