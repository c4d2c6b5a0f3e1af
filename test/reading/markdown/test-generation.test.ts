// The document we ship: eight gated phases, read without a problem.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { whatIsWrong } from '../../../shared/engine/criteria/evidence.ts';
import { readPhases } from '../../../shared/reading/markdown/read-phases.ts';

const source = readFileSync(new URL('../../../workflows/test-generation.md', import.meta.url), 'utf8');
const { title, phases, problems } = readPhases(source);

describe('workflows/test-generation.md', () => {
  it('has a title, eight phases and no problem', () => {
    expect(title).toBe('Test generation');
    expect(problems).toEqual([]);
    expect(phases.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('asks in phase 1 for exactly the five fields of the design', () => {
    const types = Object.entries(phases[0]?.evidence ?? {}).map(([name, { type, required }]) => [
      name,
      type,
      required,
    ]);
    expect(types).toEqual([
      ['function_count', 'integer', undefined],
      ['method_count', 'integer', undefined],
      ['branch_count', 'integer', undefined],
      ['ast_command_output', 'string', undefined],
      ['functions_list', 'list', undefined],
    ]);
  });

  it('lets a count be zero, but neither the output nor the list be empty', () => {
    const fields = phases[0]?.evidence ?? {};
    const judge = (name: string, value: unknown) => {
      const field = fields[name];
      return field === undefined ? 'no such field' : whatIsWrong(field, value);
    };
    for (const name of ['function_count', 'method_count', 'branch_count']) expect(judge(name, 0)).toBeNull();
    expect(judge('ast_command_output', '')).toContain('must not be empty');
    expect(judge('functions_list', [])).toContain('must not be empty');
  });

  it('asks in each later phase for two to five fields', () => {
    const asked = phases
      .slice(1)
      .map(({ evidence }) =>
        Object.entries(evidence).map(
          ([name, { type, required }]) => `${name}: ${type}${required === false ? '?' : ''}`,
        ),
      );
    expect(asked).toEqual([
      ['logger_call_count: integer', 'logging_patterns: list', 'logs_worth_testing: list?'],
      ['external_dependencies: list', 'mock_targets: list', 'mocking_rationale: string'],
      ['call_site_count: integer', 'usage_patterns: list', 'existing_test_files: list', 'regressions: list?'],
      ['target_coverage_percent: number', 'test_cases_list: list', 'strategy: string', 'left_out: list?'],
      [
        'import_ok: boolean',
        'baseline_output: string',
        'baseline_failure_count: integer',
        'test_file_path: string',
      ],
      ['test_count: integer', 'generated_tests_list: list', 'cases_without_test: list', 'found_bugs: list?'],
      [
        'test_run_output: string',
        'final_coverage_percent: number',
        'failed_count: integer',
        'mutations_caught_count: integer',
        'source_unchanged: boolean',
      ],
    ]);
  });

  it('shows examples that its own gates accept', () => {
    const shown = phases
      .flatMap(({ evidence }) => Object.entries(evidence))
      .filter(([, field]) => field.example !== undefined);
    expect(shown.length).toBeGreaterThanOrEqual(9);
    for (const [name, field] of shown)
      expect([name, whatIsWrong(field, field.example)]).toEqual([name, null]);
  });

  it('describes every field, and keeps each phase to a length that can be followed', () => {
    for (const { evidence, content } of phases) {
      for (const field of Object.values(evidence)) expect(field.description).not.toBeUndefined();
      expect(content.split('\n').length).toBeGreaterThanOrEqual(25);
      expect(content.split('\n').length).toBeLessThanOrEqual(65);
    }
  });
});
