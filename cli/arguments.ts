// Arguments to a call: flags the command knows, and the right number of files.
import { parseArgs } from 'node:util';
import { didYouMean } from '../shared/engine/model/strict.ts';
import { type Command, type Flag, UsageError } from './command.ts';

export interface Arguments {
  readonly files: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

export const HELP: Flag = { type: 'boolean', description: 'Show this help.' };

export function readArguments(name: string, command: Command, args: readonly string[]): Arguments {
  const known: Readonly<Record<string, Flag>> = { ...command.flags, help: HELP };
  const options = Object.fromEntries(
    Object.entries(known).map(([flag, { type }]) => [
      flag,
      { type: type === 'boolean' ? type : ('string' as const) },
    ]),
  );
  const short = { help: { type: 'boolean', short: 'h' } } as const;
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, ...short },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const files: string[] = [];
  const flags: Record<string, string | boolean> = {};
  const lists: Record<string, string[]> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') files.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (flag === undefined) {
      const names = Object.keys(known).map((option) => `--${option}`);
      throw new UsageError(
        `"stepgate ${name}" has no option ${token.rawName}${didYouMean(token.rawName, names)}.`,
      );
    }
    if (flag.type !== 'boolean' && (token.value === undefined || token.value === ''))
      throw new UsageError(`${token.rawName} needs a value, as in ${token.rawName}=${flag.value ?? '100'}.`);
    if (flag.type === 'boolean' && token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value.`);
    if (flag.type === 'list') (lists[token.name] ??= []).push(token.value ?? '');
    else flags[token.name] = token.value ?? true;
  }
  if (!flags['help']) checkFiles(name, command, files);
  return { files, flags, lists };
}

function checkFiles(name: string, command: Command, files: readonly string[]): void {
  const { noun = 'file' } = command;
  const one = /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
  if (command.files === 'none') {
    if (files.length > 0) throw new UsageError(`"stepgate ${name}" takes no file, and "${files[0]}" is one.`);
    return;
  }
  const wanted = command.files === 'two' ? 2 : 1;
  if (files.length < wanted)
    throw new UsageError(`"stepgate ${name}" needs ${one}. Usage: stepgate ${command.usage}`);
  if (command.files !== 'many' && files.length > wanted)
    throw new UsageError(
      wanted === 1
        ? `"stepgate ${name}" takes one ${noun}, not ${files.length}.`
        : `"stepgate ${name}" takes ${one}, and "${files[wanted] ?? ''}" is more than that.`,
    );
}
