// YAML as a definition's author meets it: what is read, what is refused and on which line.
import { describe, expect, it } from 'vitest';
import { readYaml } from '../../shared/reading/read-yaml.ts';

const value = (text: string) => {
  const read = readYaml(text);
  return 'value' in read ? read.value : read.problems;
};

describe('what is read', () => {
  it.each<[string, string, unknown]>([
    ['dates stay text', 'on: 2026-03-01', { on: '2026-03-01' }],
    [
      'the words of YAML 1.1 are words',
      'a: [yes, no, on, off, 1_000]',
      { a: ['yes', 'no', 'on', 'off', '1_000'] },
    ],
    ['a directive does not bring YAML 1.1 back', '%YAML 1.1\n---\na: yes', { a: 'yes' }],
    ['aliases repeat what they name', 'a: &x {n: 1}\nb: *x', { a: { n: 1 }, b: { n: 1 } }],
    ['merge keys fill in', 'a: &x {n: 1, m: 2}\nb: {<<: *x, m: 3}', { a: { n: 1, m: 2 }, b: { n: 1, m: 3 } }],
    [
      'a list of merge keys fills in',
      'a: &x {n: 1}\nb: {<<: [*x, {k: 2}]}',
      { a: { n: 1 }, b: { n: 1, k: 2 } },
    ],
    ['a quoted number is a key', '"1": a', { '1': 'a' }],
    ['JSON is YAML', '{"a": [1, null, true]}', { a: [1, null, true] }],
    ['one document may be marked', '---\na: 1\n...\n', { a: 1 }],
    ['nothing is null', '', null],
  ])('%s', (_, text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  it('sixty levels of nesting, in flow and in block', () => {
    expect(readYaml(`${'['.repeat(60)}${']'.repeat(60)}`)).toHaveProperty('value');
    expect(readYaml(Array.from({ length: 60 }, (_, i) => `${' '.repeat(i)}k:`).join('\n'))).toHaveProperty(
      'value',
    );
  });

  it('far indented text, which is not nesting', () => {
    const text = `a: |\n${Array.from({ length: 200 }, (_, i) => `${' '.repeat(i + 2)}- x`).join('\n')}\n`;
    expect(readYaml(text)).toHaveProperty('value');
  });
});

describe('what is refused', () => {
  it.each<[string, string, number | undefined, string]>([
    [
      'a list that does not close',
      'id: a\nsteps: [\n  a',
      3,
      'must be sufficiently indented and end with a ]',
    ],
    ['a second document', 'id: a\n---\nid: b', 2, 'a second document begins here'],
    ['a key that is there twice', 'a: 1\nb:\n  c: 1\n  c: 2', 4, 'the key "c" is there twice'],
    ['a number for a key', 'a: 1\n2: b', 2, 'a key is the number 2'],
    ['a boolean for a key', 'true: b', 1, 'a key is the boolean true'],
    ['nothing for a key', 'a: 1\n~: b', 2, 'a key is no text'],
    ['a list for a key', '? [a]\n: b', 1, 'a key is no text'],
    ['an alias for a key', 'a: &x y\n*x : b', 2, 'a key is no text'],
    ['a tag of its own', 'a: 1\nb: !thing x', 2, 'the tag !thing is not known'],
    ['a tag that makes a date', 'a: !!timestamp 2026-03-01', 1, 'the tag !!timestamp is not known'],
    ['a tag that makes bytes', 'a: !!binary aGk=', 1, 'the tag !!binary is not known'],
    ['a tag from another language', 'a: !!js/function "x"', 1, 'the tag !!js/function is not known'],
    ['an alias without its anchor', 'a: *x', undefined, 'the alias *x has no anchor before it'],
    ['two merge keys', 'a: &x {n: 1}\nb:\n  <<: *x\n  <<: *x', 4, 'the key "<<" is there twice'],
    ['a merge of what is no map', 'a: {<<: 3}', undefined, 'Merge sources must be maps'],
    ['aliases by the hundred', `a: &x 1\nb: [${'*x,'.repeat(201)}]`, undefined, 'more than 200 aliases'],
    ['10,000 open lists', '['.repeat(10_000), 1, 'nested deeper than 64 levels'],
    ['10,000 open maps', '{a: '.repeat(10_000), 1, 'nested deeper than 64 levels'],
    ['10,000 items in one another', '- '.repeat(10_000), 1, 'nested deeper than 64 levels'],
    ['10,000 keys in one another', '? '.repeat(10_000), 1, 'nested deeper than 64 levels'],
    [
      'a staircase',
      Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}k:`).join('\n'),
      64,
      'nested deeper',
    ],
    ['more than anyone writes', `[${'a,'.repeat(200_000)}]`, undefined, 'more than 300000 words and signs'],
  ])('%s', (_, text, line, message) => {
    const read = readYaml(text);
    const [first] = 'problems' in read ? read.problems : [];
    expect(first?.message).toContain(message);
    expect(first?.line).toBe(line);
    expect(first?.fix).toMatch(/\S/);
  });

  it('a text that unfolds to far more than it says', () => {
    const level = (name: string, of: string) => `${name}: &${name} [${`*${of},`.repeat(9)}]\n`;
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih'].map((pair) => level(pair.charAt(0), pair.charAt(1))).join('')}`;
    expect(value(bomb)).toMatchObject([{ message: 'its aliases unfold to too much' }]);
  });

  it('a list that holds itself, once the data is looked at', () => {
    expect(readYaml('a: &a [*a]')).toHaveProperty('value');
  });

  it('all that is wrong, in the order of the lines, twenty at most', () => {
    const read = readYaml('a: 1\na: 2\n1: x\nb: !t x\n');
    expect('problems' in read && read.problems.map(({ line }) => line)).toEqual([2, 3, 4]);
    const many = readYaml(Array.from({ length: 100 }, () => 'a: 1').join('\n'));
    expect('problems' in many && many.problems).toHaveLength(20);
  });
});
