// What a line says about its field: type, limits, choices, example, optional or not, description.
import { describe, expect, it } from 'vitest';
import type { EvidenceField } from '../../../shared/engine/model/evidence.ts';
import { inCheckpoint, inPhase, rulesOf } from './one-phase.ts';

const ruleOf = (said: string) => Object.values(rulesOf(inCheckpoint(`- ${said}`)))[0];

describe('the type of a field', () => {
  it.each<[string, string, EvidenceField['type']]>([
    ['is said in parentheses', '`x` (list)', 'list'],
    ['is said in parentheses among other things', '`x` (required, integer)', 'integer'],
    ['is said first', '`x`: boolean, set by hand', 'boolean'],
    ['is said with "must be"', '`x`: how it went; must be an object', 'object'],
    ['stands in the code', '`x: float`', 'number'],
    ['stands in the code as an array', '`x: string[]`', 'list'],
    ['beats the name', '`function_count`: string', 'string'],
    ['is shown by an example', '`x`: what you found, e.g. `["a"]`', 'list'],
    ['is shown by a bare number', '`x`: what you found, example: 21', 'integer'],
    ['is shown by a fraction', '`x`: what you found, for instance 0.5', 'number'],
    ['is shown by a truth value', '`x`: for instance `true`', 'boolean'],
    ['is not narrowed by a whole example', '`coverage_percent`: example: 85', 'number'],
    ['is told by the name: count', '`function_count`', 'integer'],
    ['is told by the name: list', '`functions_list`', 'list'],
    [
      'is told by the name: output',
      '`ast_command_output`: the output of the command that counts functions',
      'string',
    ],
    ['is told by the name: is_', '`is_valid`', 'boolean'],
    ['is told by the name: has_', '`has_tests`', 'boolean'],
    ['is told by the name: ratio', '`hit_ratio`', 'number'],
    [
      'is told by the name before the description',
      '`branch_count`: number of branches in the list',
      'integer',
    ],
    ['is told by the first telling word', '`x`: the number of entries in the list', 'integer'],
    ['"the text of the list" is a text', '`x`: the text of the list', 'string'],
    ['"whether" is a flag', '`x`: whether it worked', 'boolean'],
    ['"true/false" is a flag', '`x`: true/false', 'boolean'],
    ['"verdadero/falso" is a flag', '`x`: verdadero/falso', 'boolean'],
    ['"sí/no" is a flag', '`x` (sí/no)', 'boolean'],
    ['"истина/ложь" is a flag', '`x`: истина/ложь', 'boolean'],
    ['"a quantity" is an integer', '`x`: the quantity found', 'integer'],
    ['"a collection" is a list', '`x`: the collection of names', 'list'],
    ['"coverage reached" is a number', '`x`: coverage reached', 'number'],
    ['"coverage of the list" is one too', '`x`: coverage of the list', 'number'],
    ['several of them are a list', '`functions`: at least 3', 'list'],
    ['how many there were is a number', '`errors`: exactly 0', 'number'],
    ['"coverage plan" is not', '`x`: coverage plan', 'string'],
    ['is a string where nothing tells', '`x`: what you saw', 'string'],
    ['is told by what is counted', '`x`: at least 3 entries', 'list'],
    ['целое is an integer', '`x`: целое', 'integer'],
    ['список is a list', '`x`: список имён', 'list'],
    ['lista is a list', '`x`: lista de nombres', 'list'],
  ])('%s: %s', (_, said, type) => {
    expect(ruleOf(said)).toMatchObject({ type });
  });
});

describe('limits', () => {
  it.each<[string, Record<string, unknown>]>([
    ['`n_count`: at least 3', { type: 'integer', min: 3 }],
    ['`n_count`: integer, not negative', { type: 'integer', min: 0 }],
    ['`n_count`: must not be negative', { type: 'integer', min: 0 }],
    ['`n_count`: at least one', { type: 'integer', min: 1 }],
    ['`n_count`: minimum of twelve', { type: 'integer', min: 12 }],
    ['`n_count`: 3 or more', { type: 'integer', min: 3 }],
    ['`n_count`: more than 2', { type: 'integer', above: 2 }],
    ['`n_count`: greater than zero', { type: 'integer', above: 0 }],
    ['`n_count`: greater than or equal to 1,000', { type: 'integer', min: 1000 }],
    ['`n_count > 0`', { type: 'integer', above: 0 }],
    ['`n_count`: at most 5', { type: 'integer', max: 5 }],
    ['`n_count`: no more than 5', { type: 'integer', max: 5 }],
    ['`n_count`: less than 5', { type: 'integer', max: 4 }],
    ['`n_count`: exactly 0', { type: 'integer', min: 0, max: 0 }],
    ['`n_count`: between 2 and 4', { type: 'integer', min: 2, max: 4 }],
    ['`n_count`: non-zero', { type: 'integer', above: 0 }],
    ['`n_count`: positive', { type: 'integer', above: 0 }],
    ['`n_count`: 0 or more', { type: 'integer', min: 0 }],
    ['`n_count`: не менее 3', { type: 'integer', min: 3 }],
    ['`n_count`: al menos 3', { type: 'integer', min: 3 }],
    ['`delta`: non-zero number', { type: 'number', not_zero: true }],
    ['`coverage_percent`: at least 80%', { type: 'number', min: 80 }],
    ['`n_count`: at least 0.5', { type: 'number', min: 0.5 }],
    ['`n_list`: at least three functions', { type: 'list', min_length: 3 }],
    ['`n_list`: more than 2', { type: 'list', min_length: 3 }],
    ['`n_list`: between 2 and 4 entries', { type: 'list', min_length: 2, max_length: 4 }],
    ['`n_list`: a list with at least 2 names', { type: 'list', min_length: 2 }],
    ['`n_list`: non-empty', { type: 'list', min_length: 1 }],
    ['`n_list`: must not be empty', { type: 'list', min_length: 1 }],
    ['`n_list`: may be empty', { type: 'list', min_length: 0 }],
    ['`n_list`: as many entries as `n_count`', { type: 'list' }],
    ['`n_list`: at least as many as `n_count`', { type: 'list' }],
    ['`a_text`: at least 20 characters', { type: 'string', min_length: 20 }],
    ['`a_text`: at most 5 lines', { type: 'string' }],
    ['`a_text`: how to reach at least 80% of the branches', { type: 'string' }],
    ['`a_text`: must contain something', { type: 'string', min_length: 1 }],
    [
      '`a_text`: must contain `def` and "class"',
      { type: 'string', min_length: 1, contains: ['def', 'class'] },
    ],
    ['`a_text`: must contain `a` or `b`', { type: 'string', min_length: 1 }],
    ['`files`: array of paths (min 1, max 20)', { type: 'list', min_length: 1, max_length: 20 }],
    ['`ratio`: at least 0,9', { type: 'number', min: 0.9 }],
    ['`a_text`: must not contain `TODO`', { type: 'string' }],
    ['`n_list`: must include "main"', { type: 'list', min_length: 1, contains: ['main'] }],
    ['`n_count`: number of functions with more than one caller', { type: 'integer' }],
    ['`mode`: one of low, medium or high', { type: 'string', choices: ['low', 'medium', 'high'] }],
    ['`mode`: one of `a`, `b`', { type: 'string', choices: ['a', 'b'] }],
    ['`mode`: one of the modes in the manual', { type: 'string' }],
    ['`level`: one of 1, 2, 3', { type: 'integer', choices: ['1', '2', '3'] }],
    ['`passed`: must be `true`', { type: 'boolean', choices: ['true'] }],
    ['`passed`: one of `true` or `false`', { type: 'boolean' }],
  ])('%s', (said, rules) => {
    expect(ruleOf(said)).toEqual(rules);
  });

  it.each(['at least 5 and at most 3', 'greater than 5 and at most 5'])(
    '%s leave no value, which is a problem',
    (limits) => {
      const { problems } = inCheckpoint(`- \`n_count\`: ${limits}`);
      expect(problems).toMatchObject([{ line: 7, message: expect.stringContaining('n_count') }]);
    },
  );
});

describe('required or optional', () => {
  it.each<[string, boolean]>([
    ['`x`: optional', false],
    ['`x` (list, optional)', false],
    ['`x`: an optional remark', false],
    ['`x` is not required', false],
    ['`x`: may be omitted', false],
    ['`x?`', false],
    ['`x`: необязательно', false],
    ['`x`: opcional', false],
    ['`x`', true],
    ['`x`: required', true],
    ['`x`: not optional', true],
    ['`x`: may be empty', true],
    ['`x`: list of required and optional packages', true],
  ])('%s', (said, required) => {
    expect(ruleOf(said)).toHaveProperty('type');
    expect((ruleOf(said) as EvidenceField).required ?? true).toBe(required); // rulesOf leaves out the description only
  });

  it.each<[string, string]>([
    ['a heading', '### Optional evidence\n\n- `x`'],
    ['an offer', 'You may provide `x`.'],
    ['an adverb', 'Optionally provide `x`.'],
  ])('%s makes it optional', (_, body) => {
    expect(rulesOf(inPhase(body))).toEqual({ x: { type: 'string', required: false } });
  });
});

describe('what is said in several places', () => {
  it.each<[string, string, Record<string, unknown>]>([
    [
      'what must be included may be another field',
      '- `n_count`\n- `n_list`: must include `n_count`',
      { n_count: { type: 'integer' }, n_list: { type: 'list', min_length: 1 } },
    ],
    [
      'a rule in a clause of its own',
      'Provide `x`, a text which must contain "passed".',
      { x: { type: 'string', min_length: 1, contains: ['passed'] } },
    ],
    [
      'an abbreviation ends no sentence',
      'You must provide `x`, e.g. `["a"]`.',
      { x: { type: 'list', example: ['a'] } },
    ],
    [
      'nested attributes speak of the field above, and more exactly',
      '- `x`: required\n  - **Type:** list\n  - **Required:** no\n  - At least 2 entries\n  - Example: `["p", "q"]`',
      { x: { type: 'list', required: false, min_length: 2, example: ['p', 'q'] } },
    ],
    [
      'two mentions are one field',
      '- `x_y`: list\n- `x_y`: at least 2',
      { x_y: { type: 'list', min_length: 2 } },
    ],
    [
      'a following sentence adds to it',
      'You must provide `x`. It must be a non-empty list.',
      { x: { type: 'list', min_length: 1 } },
    ],
    [
      '"both" speaks of each',
      'Provide `a` and `b`, both non-empty lists.',
      { a: { type: 'list', min_length: 1 }, b: { type: 'list', min_length: 1 } },
    ],
    [
      'a plural before speaks of each',
      'Provide the integers `a` and `b`.',
      { a: { type: 'integer' }, b: { type: 'integer' } },
    ],
    [
      'each has its own words',
      'Provide a non-empty `a_list` and an optional `b_list`.',
      { a_list: { type: 'list', min_length: 1 }, b_list: { type: 'list', required: false } },
    ],
    [
      'a JSON example shows values and types',
      '- `x`\n- `y`\n\nExample:\n\n```json\n{"x": 3, "z": 1}\n```',
      { x: { type: 'integer', example: 3 }, y: { type: 'string' } },
    ],
    [
      'several examples of a list',
      '- `x` (list), e.g. `a`, `b`',
      { x: { type: 'list', example: ['a', 'b'] } },
    ],
  ])('%s', (_, body, expected) => {
    expect(rulesOf(inCheckpoint(body))).toEqual(expected);
  });

  it.each<[string, string]>([
    ['two types', '- `x`: list\n- `x`: string'],
    ['two rows', '| Field | Type |\n|---|---|\n| `y` | list |\n| `y` | string |'],
    ['required and optional', '- `x`: required\n- `x`: optional'],
    ['evidence and none', '- `x`\n\nNo evidence required.'],
  ])('%s contradict each other', (_, body) => {
    expect(inCheckpoint(body).problems).toMatchObject([{ heading: 'Phase 1: Try' }]);
  });
});

describe('the description is the text without markup and without the name', () => {
  it.each<[string, string | undefined]>([
    ['- `x`: the *number* of **things**', 'the number of things'],
    ['- `x` — what `grep` prints.', 'what grep prints'],
    ['- `x` (integer): tests written', 'integer: tests written'],
    ['- `x` is the name', 'the name'],
    ['- Size of the file (`size_bytes`), an integer', 'Size of the file, an integer'],
    ['You must provide `x`, the output of `pytest`.', 'the output of pytest'],
    ['Provide the number of functions as `function_count`.', 'the number of functions'],
    ['- `x`', undefined],
  ])('%s', (body, description) => {
    expect(Object.values(inCheckpoint(body).phases[0]?.evidence ?? {})[0]?.description).toBe(description);
  });
});
