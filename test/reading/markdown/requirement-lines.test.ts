// Which lines ask for a field, which only talk about one, and what the field is called.
import { describe, expect, it } from 'vitest';
import { inCheckpoint, inPhase, rulesOf } from './one-phase.ts';

const namesIn = (document: Parameters<typeof rulesOf>[0]) => Object.keys(rulesOf(document));

describe('outside a checkpoint a line asks for a field if it says so', () => {
  it.each<[string, string, string[]]>([
    ['"must provide" before a field in backticks', 'You must provide `function_count`.', ['function_count']],
    ['"must provide" after a field in bold', '- **Function Count**: must provide', ['function_count']],
    ['"required:" before the field', '- Required: `notes`', ['notes']],
    ['a bold "Required:" is a label, not a field', '- **Required:** `notes`', ['notes']],
    ['a bold lead-in is a label, not a field', '**Checkpoint evidence:**\n\n- `notes`: text', ['notes']],
    ['with the list right below it, too', '**Evidence needed**\n- `notes`: text', ['notes']],
    ['and as the title of nested fields', '- **Checkpoint evidence:**\n  - `notes`: text', ['notes']],
    ['"(required)" behind the field', '- `notes` (required): what you saw', ['notes']],
    [
      '"evidence:" before several fields',
      'Evidence: `test_output`, `exit_code` (integer)',
      ['test_output', 'exit_code'],
    ],
    [
      '"checkpoint:" before a bare snake_case word',
      'Checkpoint: function_count must be there',
      ['function_count'],
    ],
    ['a bare snake_case word after "Required:"', '- Required: function_count (integer)', ['function_count']],
    [
      '"must include" without a field before it',
      'The report must include `summary` and `verdict`.',
      ['summary', 'verdict'],
    ],
    [
      'a limit said of the field that opens the line',
      '- `functions_list`: at least 3 functions',
      ['functions_list'],
    ],
    ['"non-empty" right before the field', '- A non-empty `functions_list`.', ['functions_list']],
    ['a choice said of the field', '`mode` must be `full` or `quick`.', ['mode']],
    ['"optional" before the field', '- Optional: `notes`', ['notes']],
    ['a block quote', '> You must provide `quoted_field`.', ['quoted_field']],
    ['a GitHub alert', '> [!IMPORTANT]\n> You must provide `quoted_field`.', ['quoted_field']],
    ['a task', '- [ ] `task_field`: required', ['task_field']],
    ['a nested item', '- outer\n  - inner\n    - `inner_field`: required', ['inner_field']],
    [
      'a wrapped sentence',
      'You must provide\n`first_field` and\n`second_field`.',
      ['first_field', 'second_field'],
    ],
    ['two lines of one paragraph', 'Required: `a_b` (list)\nRequired: `c_d` (list)', ['a_b', 'c_d']],
    ['each of several fields', 'You must provide `a`, `b` and `c`.', ['a', 'b', 'c']],
    ['fields with remarks between them', 'Provide `a_b`, a list, and the raw output `c_d`.', ['a_b', 'c_d']],
    ['fields in parentheses', 'You must provide both counts (`a_count`, `b_count`).', ['a_count', 'b_count']],
    [
      'a bold phrase that code names',
      '- **Function Count** (`function_count`): required',
      ['function_count'],
    ],
    ['code with its type', '- `count: int` (required)', ['count']],
    ['a linked field', 'You must provide [`linked`](#linked).', ['linked']],
    ['bold with a hyphen', '- **Pre-flight Check**: required', ['pre_flight_check']],
    ['not forgetting is asking', 'Do not forget to provide `x`.', ['x']],
  ])('%s', (_, body, expected) => {
    expect(namesIn(inPhase(body))).toEqual(expected);
  });
});

describe('what only looks like a requirement asks for nothing', () => {
  it.each<[string, string]>([
    ['a command in backticks', '- Run `grep -c def` and look at the output, at least 3 times'],
    ['a command of one word', '- `grep`: counts lines'],
    ['a path', '- `src/main.py`: required'],
    ['a dotted name', '- `os.path`: required'],
    ['a flag', '- `--verbose`: required'],
    ['a type in backticks', 'You must provide a `list`.'],
    ['a refusal', 'Do not provide `x`.'],
    ['"must not provide"', 'You must not provide `customer_names`.'],
    ['struck-out text', '- ~~`old_field`: required~~'],
    ['a fenced block', '```\n- `fake`: required\n```'],
    ['an indented block', 'Text.\n\n    - `fake`: required'],
    ['an HTML comment', '<!-- - `fake`: required -->'],
    ['a means', 'Use `mock_open` to provide fake files.'],
    ['what a means is for', 'Use mocks to provide `response_body`.'],
    ['a field that must stay away', '- `customer_names` must not be provided; evidence is public'],
    ['the thing an output comes from', 'Evidence: the output of `pytest`'],
    ['a limit on something else', 'Make sure `foo_bar` has at least 3 callers.'],
    ['"must be" followed by anything', '- `git` must be configured'],
    ['a bold label in prose', '**Goal**: at least three tests'],
    ['a table of tools', '| Tool | Why |\n|---|---|\n| `psql` | at least version 14 |'],
    ['a list after an ordinary lead-in', 'Useful commands:\n\n- `grep`\n- `wc`'],
    ['an example list', 'Example:\n\n- `shown_field`: required'],
  ])('%s', (_, body) => {
    const document = inPhase(body);
    expect(namesIn(document)).toEqual([]);
    expect(document.problems).toMatchObject([{ line: 3, heading: 'Phase 1: Try' }]);
  });
});

describe('inside a checkpoint an item that opens with a field is enough', () => {
  const item = '- `first_field`\n- **Second Field**\n- third_field: see above';
  const names = ['first_field', 'second_field', 'third_field'];
  it.each<[string, string]>([
    ['a heading "Checkpoint"', '### Checkpoint'],
    ['a heading "✅ Phase 1 Checkpoint"', '### ✅ Phase 1 Checkpoint'],
    ['a heading "Evidence required"', '#### Evidence required'],
    ['a heading "Checkpoint requirements"', '### Checkpoint requirements'],
    ['a heading "Required evidence"', '### Required evidence'],
    ['a bold lead-in', '**Checkpoint**'],
    ['a bold lead-in with a colon', '**Evidence required:**'],
    ['"You must provide:"', 'You must provide:'],
    ['a paragraph that ends in a lead-in', 'Count with care. Then provide the following:'],
    ['a lead-in and a remark', 'Required evidence:\n\nAll of it.'],
    ['a lead-in in Spanish', 'Debe proporcionar:'],
    ['a lead-in in Russian', 'Необходимо предоставить:'],
  ])('under %s', (_, label) => {
    expect(namesIn(inPhase(`${label}\n\n${item}`))).toEqual(names);
  });

  it.each<[string, string, string[]]>([
    ['only the leading field counts', '- `names_list`: as many entries as `name_count`', ['names_list']],
    ['fields joined by commas lead together', '- `a`, `b` and `c`: integers', ['a', 'b', 'c']],
    ['a name in parentheses at the end', '- Number of functions (`function_count`)', ['function_count']],
    ['"record" and a field', '- [ ] Record the total as `total_count`', ['total_count']],
    ['what it is, its name, its rule', '- quantity of `retries_total`, non-zero', ['retries_total']],
    ['what it is called', '- a list called `call_sites` (at least 2)', ['call_sites']],
    ['the same in Spanish', '- cantidad de `total_errores`, al menos 2', ['total_errores']],
    ['the same in Russian', '- количество `failed_runs`: не менее 2', ['failed_runs']],
    ['a count of what has that name', '- number of `foo_bar` calls, at least 2 in `call_count`', []],
    ['no rule', '- the text of `log_file`', []],
    ['a hyphenated name before a colon', '- `branch-count`: integer', ['branch_count']],
    ['a hyphenated tool', '- `pytest-cov` is installed', []],
    ['a comparison in backticks', '- `error_count > 0`', ['error_count']],
    ['an item without a field', '- All tests pass', []],
    ['a title above fields', '- **Counts**\n  - `a_count`\n  - `b_count`', ['a_count', 'b_count']],
    ['keys of an object are not fields', '- `report` (object)\n  - `passed`: integer', ['report']],
    ['a nested lead-in', '- You must provide:\n  - `inner`', ['inner']],
    ['an aside inside it', '- `a_b`\n\n#### Pitfalls\n\n- `grep` lies', ['a_b']],
    ['a list after the next heading', '- `a_b`\n\n### Design\n\n- `c_d`', ['a_b']],
    ['a list after a heading for commands', '- `a_b`\n\n### Commands\n\n- `make`', ['a_b']],
  ])('%s', (_, body, expected) => {
    expect(namesIn(inCheckpoint(body))).toEqual(expected);
  });

  it('a lead-in ends with the list after it', () => {
    const body = 'You must provide:\n\n- `wanted`\n\nThen look around.\n\n- `grep`\n- `wc`';
    expect(namesIn(inPhase(body))).toEqual(['wanted']);
  });
});

describe('tables', () => {
  it.each<[string, string, Record<string, unknown>]>([
    [
      'known columns make any table one of requirements',
      '| Field | Type | Required | Rules | Example |\n|---|---|---|---|---|\n| `n` | int | ✓ | at least 2 | 3 |\n| Some Notes | text | ✗ | | |',
      { n: { type: 'integer', min: 2, example: 3 }, some_notes: { type: 'string', required: false } },
    ],
    [
      'an Optional column answers the other way round',
      '| Name | Optional | Rule |\n|---|---|---|\n| `a` | no | list |\n| `b` | yes | list |',
      { a: { type: 'list' }, b: { type: 'list', required: false } },
    ],
    [
      'an empty cell under Required is a no',
      '| KEY | REQUIRED |\n|---|---|\n| `a` | yes |\n| `b` | |',
      { a: { type: 'string' }, b: { type: 'string', required: false } },
    ],
  ])('%s', (_, body, expected) => {
    expect(rulesOf(inPhase(body))).toEqual(expected);
  });

  it('inside a checkpoint the first column holds the fields, where it is marked', () => {
    const body = '| What | How |\n|---|---|\n| `rows_count` | non-zero |\n| a remark | nothing |';
    expect(rulesOf(inCheckpoint(body))).toEqual({ rows_count: { type: 'integer', above: 0 } });
  });
});
