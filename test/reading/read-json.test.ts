// JSON as a definition's author meets it. The scanner agrees with JSON.parse on what is JSON, and says where it is not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../shared/reading/read-json.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('what is refused', () => {
  it.each<[string, string, number, string]>([
    ['a comma too many', '{"a": 1,\n}', 2, 'there is "}" where a key is expected'],
    ['a comma too few', '{"a": 1\n"b": 2}', 2, 'there is "\\"b\\":" where a comma or the end is expected'],
    ['a word that is none', '{"a":\ntru}', 2, 'there is "tru}" where a value is expected'],
    ['a comment', '{\n// why\n"a": 1}', 2, 'there is "//" where a key or "}" is expected'],
    ['single quotes', "{'a': 1}", 1, 'where a key or "}" is expected'],
    ['a string with a line break', '["a\nb"]', 1, 'where a value or "]" is expected'],
    ['an escape that is none', '["\\x"]', 1, 'where a value or "]" is expected'],
    ['a number with a leading zero', '[01]', 1, 'where a value or "]" is expected'],
    ['an end too early', '{"a": [1\n', 2, 'the text ends where a comma or the end is expected'],
    ['two values', '{}\n{}', 2, 'there is "{}" where nothing is expected'],
    ['nothing', '', 1, 'the text ends where a value is expected'],
    ['a key that is there twice', '{"a": 1,\n"\\u0061": 2}', 2, 'the key "a" is there twice'],
    ['10,000 open lists', '['.repeat(10_000), 1, 'nested deeper than 64 levels'],
  ])('%s', (_, text, line, message) => {
    const read = readJson(text);
    const [first] = 'problems' in read ? read.problems : [];
    expect(first?.message).toContain(message);
    expect(first?.line).toBe(line);
  });
});

it('what JSON.stringify writes is read back, whatever the spacing', () => {
  const shallow = fc.jsonValue({ maxDepth: 5 });
  fc.assert(
    fc.property(shallow, fc.constantFrom(0, 1, 2, '\t'), (written, space) => {
      const text = JSON.stringify(written, null, space);
      expect(readJson(text)).toEqual({ value: JSON.parse(text) });
    }),
  );
});

it('the scanner and JSON.parse agree on what is JSON', () => {
  const parts = fc.constantFrom(
    ...'{}[]:,"\\ \n01-.eE+utfnaé'.split(''),
    'true',
    'false',
    'null',
    '"a"',
    '\\u00',
  );
  const nearly = fc.array(parts, { maxLength: 12 }).map((list) => list.join(''));
  fc.assert(
    fc.property(
      fc.oneof(
        nearly,
        fc.json().map((text) => text.slice(1)),
        fc.json(),
      ),
      (text) => {
        const read = readJson(text);
        const isTwice = 'problems' in read && read.problems[0]?.message.includes('twice');
        fc.pre(!isTwice);
        expect('value' in read).toBe(isJson(text));
      },
    ),
    { numRuns: 2_000 },
  );
});

it('a string of megabytes is read without recursion', () => {
  const long = 'a\\n'.repeat(1_000_000);
  expect(readJson(`["${long}"]`)).toHaveProperty('value');
  expect(readJson(`["${long}`)).toMatchObject({ problems: [{ line: 1 }] });
});
