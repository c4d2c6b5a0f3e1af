// Where a phase begins and ends, how phases are numbered, and that lines and texts are those of the file.
import { describe, expect, it } from 'vitest';
import { readPhases } from '../../../shared/reading/markdown/read-phases.ts';

const ASKS = '\n\nYou must provide `x_y`.\n\n';
const numbersAndTitles = (markdown: string) =>
  readPhases(markdown).phases.map(({ number, title }) => [number, title]);

describe('a heading that opens a phase', () => {
  it.each<[string, string]>([
    ['# Phase 1', 'Phase 1'],
    ['###### Phase 1', 'Phase 1'],
    ['## Phase 1: Look around', 'Look around'],
    ['## Phase 1 — Look around', 'Look around'],
    ['## Phase 1 - Look around', 'Look around'],
    ['## Phase 1. Look around', 'Look around'],
    ['## Phase 1) Look around', 'Look around'],
    ['## Phase 1 Look around', 'Look around'],
    ['## 📌 Phase 1. Look around', 'Look around'],
    ['## 1️⃣ Phase 1: Look around', 'Look around'],
    ['## 2.1 Phase 1: Look around', 'Look around'],
    ['## **Phase 1:** *Look* `around`', 'Look around'],
    ['## [Phase 1](#p1): Look around', 'Look around'],
    ['## PHASE 1: Look around ##', 'Look around'],
    ['## Phase #1: Look around', 'Look around'],
    ['## Phase 1/8: Look around', 'Look around'],
    ['## Phase 1 of 8: Look around', 'Look around'],
    ['## Phase 01: Look around', 'Look around'],
    ['## Фаза 1: Обзор', 'Обзор'],
    ['## Этап 1. Обзор', 'Обзор'],
    ['## Fase 1: Mirar', 'Mirar'],
    ['Phase 1: Look around\n===', 'Look around'],
    ['Phase 1: Look around\n---', 'Look around'],
  ])('%j', (heading, title) => {
    const { phases, problems } = readPhases(heading + ASKS);
    expect(phases).toMatchObject([{ number: 1, title, line: 1 }]);
    expect(problems).toEqual([]);
  });

  it.each([
    '## Phases',
    '## Phase overview',
    '## The first phase 1',
    '## Phases 1-3',
    '## Phase 1–3 at a glance',
    '## Phase 1 and Phase 2',
    '## Phase 1 → Phase 2',
    '## ~~Phase 1~~',
    '**Phase 1**',
    '    ## Phase 1',
    '```\n## Phase 1\n```',
    '<!--\n## Phase 1\n-->',
    '> ## Phase 1',
    '- ## Phase 1',
    '\\## Phase 1',
  ])('%j opens none', (text) => {
    const { phases, problems } = readPhases(text + ASKS);
    expect(phases).toEqual([]);
    expect(problems).toMatchObject([{ line: 1, message: 'the document has no phase' }]);
  });

  it.each(['## Phase II: More', '## Phase Two', '## Phase 2b: More', '## Phase 1.5: More', '## Phase B'])(
    '%j beside other phases is a problem, because a gate would be lost',
    (heading) => {
      const { phases, problems } = readPhases(`## Phase 1${ASKS}${heading}${ASKS}`);
      expect(phases).toHaveLength(1);
      expect(problems).toMatchObject([{ line: 5, heading: heading.slice(3) }]);
    },
  );
});

describe('a phase runs', () => {
  const contentOf = (markdown: string) => readPhases(markdown).phases.map(({ content }) => content);

  it('to the next phase, whatever its level', () => {
    const [first, second, third] = [
      '# Phase 1\n\nprovide `a`',
      '### Phase 2\n\nprovide `b`',
      '## Phase 3\n\nprovide `c`',
    ];
    expect(contentOf(`${first}\n\n${second}\n\n${third}\n`)).toEqual([first, second, third]);
  });

  it('over headings of its own level and below', () => {
    const phase = '## Phase 1\n\n### Sub\n\nprovide `a`\n\n## Remarks\n\nmore';
    expect(contentOf(phase)).toEqual([phase]);
  });

  it('to a heading above its own level', () => {
    expect(contentOf('## Phase 1\n\nprovide `a`\n\n# Appendix\n\nprovide `b`\n')).toEqual([
      '## Phase 1\n\nprovide `a`',
    ]);
  });

  it('over a sub-heading with its own number', () => {
    const document = readPhases(
      '## Phase 1\n\n### Phase 1 checkpoint\n\n- `a`\n\n### Phase 1.1: Detail\n\ntext\n',
    );
    expect(document).toMatchObject({ phases: [{ evidence: { a: { type: 'string' } } }], problems: [] });
  });

  it('and what comes before the first belongs to none', () => {
    expect(contentOf('# Title\n\nYou must provide `early`.\n\n## Phase 1\n\nprovide `a`')).toEqual([
      '## Phase 1\n\nprovide `a`',
    ]);
  });
});

describe('numbers', () => {
  const numbered = (...numbers: number[]) =>
    readPhases(numbers.map((n) => `## Phase ${n}${ASKS}`).join('')).problems;
  it.each<[string, number[], [number, string][]]>([
    ['1, 2, 3', [1, 2, 3], []],
    ['must start at 1', [2, 3], [[1, 'Phase 2']]],
    ['do not start at 0', [0, 1], [[1, 'Phase 0']]],
    ['have no gap, and one gap is one problem', [1, 2, 4, 5], [[9, 'Phase 4']]],
    ['are unique, and one twin is one problem', [1, 2, 2, 3], [[9, 'Phase 2']]],
    [
      'ascend',
      [1, 3, 2],
      [
        [5, 'Phase 3'],
        [9, 'Phase 2'],
      ],
    ],
  ])('%s', (_, numbers, expected) => {
    expect(numbered(...numbers).map(({ line, heading }) => [line, heading])).toEqual(expected);
  });

  it('a problem says how to mend it', () => {
    expect(numbered(1, 3)[0]?.fix).toContain('Add Phase 2, or number this one 2.');
  });
});

describe('a phase without requirements', () => {
  it('is a problem that names heading and line', () => {
    const { problems } = readPhases('# T\n\n## Phase 1: Rest\n\nSit down.\n');
    expect(problems).toMatchObject([{ line: 3, heading: 'Phase 1: Rest' }]);
  });

  it.each([
    'No evidence required.',
    'Checkpoint: none',
    '**Checkpoint:** none',
    '### Checkpoint\n\nNone.',
    'Evidence: not required',
  ])('is none if it says %j', (text) => {
    expect(readPhases(`## Phase 1\n\n${text}\n`)).toMatchObject({ phases: [{ evidence: {} }], problems: [] });
  });
});

describe('the file as it is', () => {
  const text = '# T\n\n## Phase 1: A\n\n- `a_b`\t: required\n\n## Phase 2: B\n\n- `c_d`: required\n';
  it.each<[string, string, number]>([
    ['line feeds', text, 3],
    ['carriage returns and line feeds', text.replaceAll('\n', '\r\n'), 3],
    ['lone carriage returns', text.replaceAll('\n', '\r'), 3],
    ['a byte order mark', `\uFEFF${text}`, 3],
    ['front matter', `---\ntitle: Front\nphase: "## Phase 7"\n---\n${text}`, 7],
    ['a comment above', `<!--\n## Phase 5\n-->\n\n${text}`, 7],
    ['a null byte', text.replace('T', 'T\0'), 3],
    ['link definitions, one of them twice', `[a]: b\n[a]: b\n\n${text}`, 6],
  ])('with %s, lines and contents stay right', (_, source, line) => {
    const { phases, problems } = readPhases(source);
    expect(problems).toEqual([]);
    expect(phases).toMatchObject([
      { line, title: 'A' },
      { line: line + 4, title: 'B' },
    ]);
    for (const { content } of phases) expect(source).toContain(content);
    expect(phases[1]?.content.replace(/\r\n?/g, '\n')).toBe('## Phase 2: B\n\n- `c_d`: required');
  });

  it('a byte order mark is no part of the first heading', () => {
    expect(readPhases(`\uFEFF## Phase 1${ASKS}`).phases[0]?.content.startsWith('## Phase 1')).toBe(true);
  });

  it.each<[string, string | undefined]>([
    ['# Title\n\n## Phase 1', 'Title'],
    ['---\ntitle: "Front"\n---\n\n## Phase 1', 'Front'],
    ['---\ntitle: Front\n---\n\n# Title\n\n## Phase 1', 'Title'],
    ['---\n\n## Phase 1', undefined],
    ['## Phase 1\n\nprovide `a`\n\n# Appendix', undefined],
  ])('the title of %j', (markdown, title) => {
    expect(readPhases(markdown).title).toBe(title);
  });

  it('the intro is the first paragraph that says something', () => {
    const { phases } = readPhases(
      '## Phase 1\n\nWatch out:\n\n- so\n\nLook *around*\nfirst.\n\n### Sub\n\nNot this.\n',
    );
    expect(phases[0]?.intro).toBe('Look around first.');
  });

  it('problems inside lists and quotes name the line they are about', () => {
    const { problems } = readPhases(
      '## Phase 1\n\n### Checkpoint\n\n- `a`: list\n  - and\n\n> - text\n> - `a`: string, required\n',
    );
    expect(problems).toMatchObject([{ line: 9 }]);
  });

  it('problems in tables name the row', () => {
    const { problems } = readPhases(
      '## Phase 1\n\n| Field | Type |\n|---|---|\n| `a` | list |\n| `a` | string |\n',
    );
    expect(problems).toMatchObject([{ line: 6 }]);
  });

  it('numbers and titles come in the order of the document', () => {
    expect(numbersAndTitles(text)).toEqual([
      [1, 'A'],
      [2, 'B'],
    ]);
  });
});
