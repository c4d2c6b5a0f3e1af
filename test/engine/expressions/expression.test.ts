// Guards and decisions: the seeds' notations, what is refused when loading, and that evaluation never throws.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absent,
  ExpressionError,
  Expressions,
  holds,
  type Variables,
} from '../../../shared/engine/expressions/expression.ts';
import type { JsonObject } from '../../../shared/engine/model/json.ts';

const variables = (given: Partial<Variables> = {}): Variables => ({
  params: {},
  state: {},
  data: {},
  artifacts: {},
  evidence: {},
  shared: {},
  ...given,
});

describe('what holds', () => {
  it.each<[string, JsonObject, boolean]>([
    ['artifacts.commit_sha exists', { commit_sha: 'abc' }, true],
    ['artifacts.commit_sha exists', {}, false],
    ['artifacts.commit_sha not exists', {}, true],
    ['commit_sha exists', { commit_sha: 'abc' }, true],
    ['test_results.passed > 0.9', { test_results: { passed: 0.95 } }, true],
    ['test_results.passed > 0.9', { test_results: { passed: 0.9 } }, false],
    ['test_results.passed > 0.9', { test_results: { passed: 1 } }, true],
    ['test_results.passed > 0.9', {}, false],
    ['test_results.passed > 0.9', { test_results: 'all' }, false],
    ['artifacts.n + 1 == 3', { n: 2 }, true],
    ['artifacts.n * 0.5 > 1', { n: 3 }, true],
    ['artifacts.list.size() > 1', { list: [1, 2] }, true],
    ['artifacts.list.all(x, x > 1)', { list: [2, 3] }, true],
    ['"artifacts.x exists" == artifacts.text', { text: 'artifacts.x exists' }, true],
  ])('%s over %j: %s', (source, artifacts, expected) => {
    const compiled = new Expressions().compile(source, 'bool');
    expect(holds(compiled, variables({ artifacts }))).toBe(expected);
  });

  it('a guard is a boolean by its name, for those after it', () => {
    const expressions = new Expressions();
    expressions.defineGuard('code_committed', 'artifacts.commit_sha exists');
    const compiled = expressions.compile('code_committed == true && data.n == 1', 'bool');
    expect(holds(compiled, variables({ artifacts: { commit_sha: 'x' }, data: { n: 1 } }))).toBe(true);
    expect(holds(compiled, variables({ data: { n: 1 } }))).toBe(false);
    expect(absent(compiled, variables())).toEqual(expect.arrayContaining(['data.n', 'artifacts.commit_sha']));
  });
});

describe('what is refused when it is loaded', () => {
  it.each<[string, string]>([
    ['artifcts.x == 1', 'did you mean "artifacts"'],
    ['data.x ==', 'does not parse'],
    ['1 + 1', 'a bool is needed'],
    ['data.x.matches("(a+)+")', 'matches() is not allowed'],
    ['data.a.all(x, data.b.all(y, x == y))', 'inside another macro'],
    ['process.exit()', 'not a known variable'],
    [`data.x == 1${' || data.x == 1'.repeat(200)}`, 'does not parse'],
  ])('%s', (source, message) => {
    const compile = () => new Expressions().compile(source, 'bool');
    expect(compile).toThrow(ExpressionError);
    expect(compile).toThrow(message);
  });

  it('a guard that is defined twice, or hides a variable', () => {
    const expressions = new Expressions();
    expressions.defineGuard('g', 'data.a == 1');
    expect(() => expressions.defineGuard('g', 'data.a == 2')).toThrow('defined twice');
    expect(() => expressions.defineGuard('data', 'true')).toThrow('hides the variable');
  });
});

describe('evaluation', () => {
  const compiled = [
    'data.a > 1',
    'data.a.b.c == "x"',
    'data.a + data.b > 2',
    'data.a[0] == data.b',
    'data.a.size() > 1 && data.b in data.a',
    'data.a.exists(x, x == data.b)',
    'data.a / data.b > 1',
  ].map((source) => new Expressions().compile(source, 'bool'));

  it('never throws, whatever the data', () => {
    fc.assert(
      fc.property(fc.record({ a: fc.jsonValue(), b: fc.jsonValue() }, { requiredKeys: [] }), (data) => {
        for (const expression of compiled) {
          expect(typeof holds(expression, variables({ data: data as JsonObject }))).toBe('boolean');
        }
      }),
      { numRuns: 300 },
    );
  });
});
