// Whole documents as strangers write them: prose, Russian, and a document full of code.
import { expect, it } from 'vitest';
import { readStranger } from './stranger.ts';

it('a review in prose', () => {
  const document = readStranger(`
Incident review
===============

Phase 1 — Gather
----------------

Talk to everyone who was on call. Read the channel from the first alert to the all-clear; §grep§ for names you do
not know. To complete this phase you must provide §timeline_entries§, a list with at least five entries, and
§first_alert_at§, a non-empty string such as §2024-05-01T10:00:00Z§. Do not provide §customer_names§: they have no
place in a review. Optionally provide §chat_export_path§.

Phase 2 — Explain
-----------------

Ask why five times. You must provide §root_cause§. It must be at least 30 characters long. Also required:
§contributing_factors§ (list) and **Detection Gap** (number of minutes, non-negative integer). A §severity§ must
be given too.

The §severity§ field is required and must be one of low, medium, high.

Phase 3 — Agree
---------------

Nothing is measured here; the meeting is the point.

No evidence required.
`);
  expect(document).toEqual({
    title: 'Incident review',
    problems: [],
    phases: {
      'Phase 1 — Gather': {
        timeline_entries: { type: 'list', min_length: 5 },
        first_alert_at: { type: 'string', min_length: 1, example: '2024-05-01T10:00:00Z' },
        chat_export_path: { type: 'string', required: false },
      },
      'Phase 2 — Explain': {
        root_cause: { type: 'string', min_length: 30 },
        contributing_factors: { type: 'list' },
        detection_gap: { type: 'integer', min: 0 },
        severity: { type: 'string', choices: ['low', 'medium', 'high'] },
      },
      'Phase 3 — Agree': {},
    },
  });
});

it('a document in Russian', () => {
  const document = readStranger(`
# Порядок проверки

## Этап 1: Анализ

Запустите §wc -l§ и посмотрите на результат.

Необходимо предоставить:

- §function_count§ — целое число, не менее 1
- §functions_list§ — непустой список имён, например §["main"]§
- §comment§ — необязательно
- **Вывод команды** — текст, обязательно

## Этап 2: Покрытие

### Контрольная точка

- §coverage_percent§: процент, от 0 до 100
- §is_green§: да/нет
- §modules§: список, не более 5 элементов

## Фаза 3. Итог

Предоставьте §summary§ и §verdict§.
`);
  expect(document).toEqual({
    title: 'Порядок проверки',
    problems: [],
    phases: {
      'Этап 1: Анализ': {
        function_count: { type: 'integer', min: 1 },
        functions_list: { type: 'list', min_length: 1, example: ['main'] },
        comment: { type: 'string', required: false },
        вывод_команды: { type: 'string' },
      },
      'Этап 2: Покрытие': {
        coverage_percent: { type: 'number', min: 0, max: 100 },
        is_green: { type: 'boolean' },
        modules: { type: 'list', max_length: 5 },
      },
      'Фаза 3. Итог': { summary: { type: 'string' }, verdict: { type: 'string' } },
    },
  });
});

it('a document full of code blocks, none of which asks for anything', () => {
  const document = readStranger(`
# Code everywhere

## Phase 1: Set up

§§§markdown
## Phase 2: not a phase

- §fake_field§: required, at least 3
§§§

    ## Phase 3: indented code

    - §other_fake§: must provide

~~~
### Checkpoint
- §tilde_fake§: integer
~~~

<!--
## Phase 9: a comment
- §hidden§: required
-->

Run §make must_provide§.

### Checkpoint

§§§bash
echo "§not_this§: required"
§§§

- §exit_code§: exactly 0

  §§§
  - §inside_item§: required
  §§§

- §log_text§

Example evidence:

§§§json
{ "evidence": { "exit_code": 0, "log_text": "built in 3 s", "unknown": 1 } }
§§§

## Phase 2: Build

§§§
unclosed fence with §§§ inside? no
§§§

| Command | Meaning |
|---|---|
| §make all§ | required |

> **Checkpoint:** you must provide §artifact_list§ (at least 2) and §built_ok§, a flag.
`);
  expect(document).toEqual({
    title: 'Code everywhere',
    problems: [],
    phases: {
      'Phase 1: Set up': {
        exit_code: { type: 'integer', min: 0, max: 0, example: 0 },
        log_text: { type: 'string', example: 'built in 3 s' },
      },
      'Phase 2: Build': { artifact_list: { type: 'list', min_length: 2 }, built_ok: { type: 'boolean' } },
    },
  });
});
