// The help texts, made from the commands themselves.
import { HELP } from './arguments.ts';
import type { Command } from './command.ts';

export function overview(commands: Readonly<Record<string, Command>>): string {
  return [
    'stepgate: workflows whose steps open only when their criteria are met.',
    '',
    'Usage: stepgate <command> [FILE] [options]',
    '',
    ...table(Object.values(commands).map(({ usage, summary }) => [usage, summary])),
    '',
    ...table([
      ['--help', 'Show this help; after a command, the help of that command.'],
      ['--version', 'Show the version.'],
    ]),
    '',
    'Exit codes: 0 all is well, 1 something does not prove, cannot be read or cannot start, 2 the command line is wrong.',
  ].join('\n');
}

export function commandHelp({ usage, summary, details, flags }: Command): string {
  const options = Object.entries({ ...flags, help: HELP });
  return [
    `Usage: stepgate ${usage}`,
    '',
    summary,
    details,
    '',
    ...table(
      options.map(([name, { type, value = 'N', description }]) => [
        type === 'boolean' ? `--${name}` : `--${name} ${value}`,
        description,
      ]),
    ),
  ].join('\n');
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
