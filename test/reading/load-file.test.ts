// Files and folders of definitions, on a real disk.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { discover } from '../../shared/reading/discover.ts';
import { loadFile } from '../../shared/reading/load-file.ts';

const root = mkdtempSync(join(tmpdir(), 'stepgate-reading-'));
afterAll(() => rmSync(root, { recursive: true }));

/** A folder of its own with these files in it. */
function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const path = mkdtempSync(join(root, 'f-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
}
function load(name: string, content: string | Uint8Array, beside: Record<string, string> = {}) {
  return loadFile(join(folder({ ...beside, [name]: content }), name));
}
const idOf = (loaded: ReturnType<typeof loadFile>) =>
  'workflow' in loaded ? loaded.workflow.id : loaded.problems;
const told = (loaded: ReturnType<typeof loadFile>) =>
  'problems' in loaded ? (loaded.problems[0]?.message ?? '') : '';

const STEPS = 'steps: [{id: a}]';
const METHOD = '# A method\n\n## Phase 1: Count\n\nNo evidence required.\n';

describe('a file', () => {
  it.each<[string, string, string]>([
    ['plan.yaml', STEPS, 'plan'],
    ['plan.yml', STEPS, 'plan'],
    ['plan.YAML', STEPS, 'plan'],
    ['plan.json', '{"steps": [{"id": "a"}]}', 'plan'],
    ['plan.yaml', `id: other\n${STEPS}`, 'other'],
    ['workflow.fsm.yaml', STEPS, 'workflow.fsm'],
    ['method.md', METHOD, 'method'],
  ])('%s has the id it says, or else its name', (name, content, id) => {
    expect(idOf(load(name, content))).toBe(id);
  });

  it('a bare Markdown document is a workflow with its title and its phases', () => {
    const loaded = load('method.md', METHOD);
    expect('workflow' in loaded && [loaded.workflow.title, loaded.workflow.steps[0]?.id]).toEqual([
      'A method',
      'phase_1',
    ]);
  });

  it('reads its document from beside it', () => {
    expect(idOf(load('plan.yaml', 'document: method.md', { 'method.md': METHOD }))).toBe('plan');
  });

  it.each<[string, string, string | Uint8Array, string]>([
    ['of another kind', 'plan.txt', STEPS, 'is not a definition'],
    ['whose name is no id', '1 plan.yaml', STEPS, 'The file\'s name "1 plan" cannot be the workflow\'s id'],
    ['that is not UTF-8', 'plan.yaml', new Uint8Array([0x61, 0x3a, 0xff]), 'cannot be read'],
    ['whose document is missing', 'plan.yaml', 'document: none.md', 'The document "none.md" cannot be read'],
    ['with a mistake', 'plan.yaml', 'steps: [', 'Line 1'],
    [
      'of Markdown without phases',
      'plan.md',
      '# Only a title\n',
      'plan.md, line 1: the document has no phase',
    ],
  ])('%s is a problem', (_, name, content, message) => {
    expect(told(load(name, content))).toContain(message);
  });

  it('that is not there, or is a folder, is a problem', () => {
    expect(told(loadFile(join(root, 'none.yaml')))).toContain('cannot be read');
    mkdirSync(join(root, 'folder.yaml'));
    expect(told(loadFile(join(root, 'folder.yaml')))).toContain('it is not a file');
  });

  it('a document linked from outside its folder is outside', () => {
    const outside = folder({ 'method.md': METHOD });
    const inside = folder({ 'plan.yaml': 'document: method.md' });
    symlinkSync(join(outside, 'method.md'), join(inside, 'method.md'));
    expect(told(loadFile(join(inside, 'plan.yaml')))).toContain('it leads out of the folder');
  });
});

describe('a folder', () => {
  it('gives its definitions in the order of their names, and leaves other files alone', () => {
    const path = folder({
      'b.yaml': STEPS,
      'a.json': '{"steps": [{"id": "a"}]}',
      'c.yml': 'document: method.md',
      'method.md': METHOD,
      'notes.txt': 'x',
      '.hidden.yaml': '[',
    });
    mkdirSync(join(path, 'd.yaml'));
    const { workflows, problems } = discover(path);
    expect(workflows.map(({ file, workflow }) => [basename(file), workflow.id])).toEqual([
      ['a.json', 'a'],
      ['b.yaml', 'b'],
      ['c.yml', 'c'],
    ]);
    expect(problems).toEqual([]);
  });

  it('tells which file a problem is in, and still gives the others', () => {
    const path = folder({ 'a.yaml': 'steps: [{id: x, next: nowhere}]', 'b.yaml': STEPS });
    const { workflows, problems } = discover(path);
    expect(workflows.map(({ workflow }) => workflow.id)).toEqual(['b']);
    expect(problems).toMatchObject([{ check: 2, workflow: 'a', step: 'x', file: join(path, 'a.yaml') }]);
  });

  it('gives an id that two files claim to neither, and names both', () => {
    const path = folder({ 'a.yaml': `id: same\n${STEPS}`, 'same.yaml': STEPS, 'z.yaml': STEPS });
    const { workflows, problems } = discover(path);
    expect(workflows.map(({ workflow }) => workflow.id)).toEqual(['z']);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('a.yaml and ');
    expect(problems[0]?.message).toContain('same.yaml all define "same"');
  });

  it('that is not there is a problem', () => {
    expect(discover(join(root, 'none')).problems).toHaveLength(1);
  });
});
