// stepgate test: the exhaustive walk of a definition, with what it covered and what it could not.
import { walk, type WalkReport } from '../../shared/exhaustive/walk.ts';
import { type Command, EXIT, UsageError } from '../command.ts';
import { proven } from '../proven.ts';

export const test: Command = {
  usage: 'test FILE [--json] [--max N]',
  summary: 'Walk every step × outcome × role × parameter combination on the real engine.',
  details:
    'Exits with 1 if a case fails or a transition is never taken. A transition whose guard no sample\nsatisfies is listed as skipped, with the reason.',
  files: 'one',
  flags: {
    json: { type: 'boolean', description: 'Print the whole report, every case with its id.' },
    max: { type: 'string', description: 'At most N parameter combinations (200).' },
  },
  run: (call) => {
    const { json, max } = call.flags;
    const maxCombinations = max === undefined ? 200 : Number(max);
    if (!Number.isInteger(maxCombinations) || maxCombinations < 1)
      throw new UsageError(`--max needs a whole number from 1 up, not "${String(max)}".`);
    const report = walk(proven(call), { maxCombinations });
    call.streams.out(json ? JSON.stringify(report, null, 2) : tell(report));
    return report.ok ? EXIT.ok : EXIT.failed;
  },
};

const SHOWN = 30;

function tell(report: WalkReport): string {
  const { coverage, failures, cases } = report;
  const marks = { taken: '✓', skipped: '–', never: '✗' } as const;
  const rows = coverage.map(({ status, step, on, to, taken, blocked, refused }) => [
    marks[status],
    step,
    on,
    to,
    String(taken),
    String(blocked),
    String(refused),
  ]);
  const untaken = coverage.filter(({ status }) => status !== 'taken');
  return [
    `${report.workflow} (version ${report.version.slice(0, 12)})`,
    '',
    ...table([['', 'step', 'on', 'to', 'taken', 'blocked', 'refused'], ...rows]),
    '',
    ...section(
      'Not taken',
      untaken.map((row) => `${marks[row.status]} ${row.step} —${row.on}→ ${row.to}: ${row.reason ?? ''}`),
    ),
    ...section('Skipped', report.skipped),
    ...section(
      'Failed cases',
      failures.map(({ id, failures: told }) => `✗ ${id}: ${told.join(' ')}`),
    ),
    `${cases.length} cases, ${report.signals} signals in ${report.situations} situations, ${count(report.combinations, 'parameter combination')}: ` +
      `${coverage.length - untaken.length} of ${coverage.length} transitions taken, ` +
      `${coverage.filter(({ status }) => status === 'skipped').length} skipped, ${count(failures.length, 'case')} failed.`,
  ].join('\n');
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0
    ? []
    : [
        `${title}:`,
        ...lines.slice(0, SHOWN).map((line) => `  ${line}`),
        ...(lines.length > SHOWN ? [`  … and ${lines.length - SHOWN} more; --json lists them all.`] : []),
        '',
      ];

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
