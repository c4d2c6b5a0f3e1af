// Documents that are broken or meant to break the reader: the answer is always phases or problems.
//   P4  Nothing is thrown; contents are slices of the document; lines lie within it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EvidenceField } from '../../../shared/engine/model/evidence.ts';
import { readPhases } from '../../../shared/reading/markdown/read-phases.ts';
import { inCheckpoint, inPhase } from './one-phase.ts';

/** What a document breaks of P4; nothing, if all is well. */
function brokenP4(markdown: string): string[] {
  const { phases, problems } = readPhases(markdown);
  const lines = markdown.split(/\r\n|\r|\n/).length;
  const inRange = (line: number) => Number.isInteger(line) && line >= 1 && line <= lines;
  const broken: string[] = phases.length + problems.length > 0 ? [] : ['neither phases nor problems'];
  for (const { content, line, evidence } of phases) {
    if (!markdown.includes(content)) broken.push(`content of line ${line} is not in the document`);
    if (!inRange(line)) broken.push(`phase on line ${line}`);
    for (const [name, field] of Object.entries(evidence)) {
      if (!EvidenceField.safeParse(field).success) broken.push(`field ${name}: ${JSON.stringify(field)}`);
    }
  }
  for (const { line, message, fix } of problems) {
    if (!inRange(line) || message === '' || fix === '') broken.push(`problem on line ${line}: ${message}`);
  }
  return broken;
}

describe('hostile documents', () => {
  it.each<[string, string]>([
    ['nothing', ''],
    ['blanks', ' \t\n\r\n '],
    ['quotes 10,000 deep', `## Phase 1\n\n${'> '.repeat(10_000)}x`],
    ['quotes without blanks', `## Phase 1\n\n${'>'.repeat(10_000)}x`],
    ['lists 10,000 deep', `## Phase 1\n\n${'- '.repeat(10_000)}x`],
    [
      'lists 2,000 deep by indentation',
      Array.from({ length: 2_000 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n'),
    ],
    ['numbered lists in lists', `## Phase 1\n\n${'1. '.repeat(5_000)}x`],
    ['a line of a million characters', `## Phase 1\n\n${'a'.repeat(1_000_000)}`],
    ['a heading of a million characters', `## Phase 1 ${'a'.repeat(1_000_000)}`],
    ['a paragraph of a million marks', `## Phase 1\n\nprovide ${'`a_b` '.repeat(160_000)}`],
    ['over two megabytes', 'a'.repeat(2_000_001)],
    ['over 20,000 lines', '- [ ] a\n'.repeat(20_001)],
    ['emphasis in emphasis', `## Phase 1\n\n${'*a **b '.repeat(560)}${'b** a* '.repeat(560)}`],
    ['unbalanced markup', '## Phase 1\n\n**must provide `a ~~b [c](d "e <f\n\n| x\n|--\n| `y'],
    ['an unclosed fence', '## Phase 1\n\n```\n## Phase 2\n- `x`: required'],
    ['an unclosed comment', '<!--\n## Phase 1\n\nprovide `x`'],
    ['null bytes', '\0## Phase\0 1\0\n\0\n- `a\0b`: required\0'],
    ['a lone surrogate', '## Phase 1\n\nprovide `\ud800`'],
    ['an absurd number', `## Phase ${'9'.repeat(400)}\n\nprovide \`x\``],
    ['an absurd limit', `## Phase 1\n\n- \`x_list\`: at least ${'9'.repeat(400)} entries`],
    ['a limit beyond exact integers', '## Phase 1\n\n- `x_list`: at most 299999999999999999999 entries'],
    ['a negative length', '## Phase 1\n\n- `x_list`: at least -3 entries, at most -5'],
    ['five thousand phases', '## Phase 1\n\nprovide `x`\n\n'.repeat(4_900)],
  ])('%s', (_, markdown) => {
    expect(brokenP4(markdown)).toEqual([]);
  });

  it('a rule of many dashes is not a nested list', () => {
    expect(inCheckpoint(`- \`x\`\n\n${'- '.repeat(300)}\n`).problems).toEqual([]);
  });

  it('a document too deep or too long is refused with the line to look at', () => {
    expect(readPhases(`## Phase 1\n\n${'> '.repeat(200)}x`)).toMatchObject({
      phases: [],
      problems: [{ line: 3 }],
    });
    expect(readPhases('a\n'.repeat(30_000))).toMatchObject({ phases: [], problems: [{ line: 20_000 }] });
  });

  it('a paragraph too long to be searched is a problem only if it seems to ask for something', () => {
    const long = 'word '.repeat(2_000);
    expect(inCheckpoint(`- \`x\`\n\nYou must provide \`y\`. ${long}`).problems).toMatchObject([{ line: 9 }]);
    expect(inCheckpoint(`- \`x\`\n\nSee \`y\`. ${long}`).problems).toEqual([]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('%s is refused as the name of a field', (name) => {
    const { phases, problems } = inCheckpoint(`- \`${name}\`: required\n- \`fine\`: required`);
    expect(Object.keys(phases[0]?.evidence ?? {})).toEqual(['fine']);
    expect(problems).toMatchObject([{ line: 7, message: expect.stringContaining(name) }]);
    expect(Object.getPrototypeOf(phases[0]?.evidence)).toBe(Object.prototype);
  });

  it.each(['toString', 'hasOwnProperty', 'valueOf'])('%s is a name like any other', (name) => {
    const { phases, problems } = inCheckpoint(`- \`${name}\`: integer`);
    expect(Object.entries(phases[0]?.evidence ?? {})).toMatchObject([[name, { type: 'integer' }]]);
    expect(problems).toEqual([]);
  });

  it('an example cannot reach a prototype', () => {
    inPhase('Example:\n\n```json\n{"__proto__": {"polluted": 1}, "constructor": 2}\n```');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('P4 for any document', () => {
  // Lines that open as lines of documents do, filled with the words the reader looks for. What swallows the rest of
  // a document (a fence, a comment, a lone backtick) is rare, or no run would get past it.
  const mostly = (usual: string, rare: string[]) =>
    fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom(...usual.split('|')) },
      { weight: 1, arbitrary: fc.constantFrom(...rare) },
    );
  const opener = mostly(
    '## Phase 2: b|### Checkpoint|#### Example|You must provide:|- |- `e_f`|- [ ] **G h**|  - |    - `i`: |> |> - |',
    ['# Phase 3', '```', '<!--', '---', '\t', '| Field | Type |\n|---|---|\n| `j` | list |', '## Phase 1'],
  );
  const piece = mostly(
    '`a_b`|`c`|`d: int`|**A b**|must provide |required|at least 3 |between 5 and 2|one of |e.g. |optional|must contain "x"|' +
      '(list)|: |, | and |`["a"]`|"|\'|(|)|. |{"a":1}|not |none|99999999999999999999|-1|%',
    ['`', '**', '~~', '-->', '\0', '\uFEFF', '`__proto__`', ' | '],
  );
  const pieces = fc.array(piece, { maxLength: 8, size: 'max' });
  const line = fc.tuple(opener, pieces).map(([open, rest]) => open + rest.join(''));
  const ends = fc.constantFrom('\n', '\n', '\n\n', '\r\n', '\r');
  const lines = fc.array(fc.tuple(line, ends), { maxLength: 25, size: 'max' });
  const documents = lines.map((all) => `## Phase 1\n\n${all.flat().join('')}`);
  const holds = (markdown: string) => {
    expect(brokenP4(markdown)).toEqual([]);
  };

  it('made of any characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 400 }), holds), { numRuns: 300 });
  });

  it('made of the pieces documents are made of', () => {
    let fields = 0;
    const runs = 500;
    const property = fc.property(documents, (markdown) => {
      holds(markdown);
      fields += readPhases(markdown).phases.flatMap(({ evidence }) => Object.keys(evidence)).length;
    });
    fc.assert(property, { numRuns: runs });
    expect(fields).toBeGreaterThan(runs / 2); // a generator that never reaches a field would prove nothing
  });

  it('and the same text is read the same way twice', () => {
    const property = fc.property(documents, (markdown) => {
      expect(readPhases(markdown)).toEqual(readPhases(markdown));
    });
    fc.assert(property, { numRuns: 200 });
  });
});
