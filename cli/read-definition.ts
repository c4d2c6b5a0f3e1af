// A definition file, compiled. What keeps it from being read is told in one sentence.
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { parse } from 'yaml';
import { type Compiled, compile } from '../shared/engine/compile/compile.ts';
import { FileError } from './command.ts';

export async function readDefinition(file: string): Promise<Compiled> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = { ENOENT: 'there is no such file', EISDIR: 'it is a directory' }[error.code ?? ''];
    throw new FileError(`${file} cannot be read: ${why ?? error.message}.`);
  });
  let input: unknown;
  try {
    input = parse(text, { maxAliasCount: 100 });
  } catch (error) {
    const [why] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new FileError(`${file} is neither YAML nor JSON: ${why?.replace(/:$/, '') ?? ''}.`);
  }
  return compile(input, { name: basename(file, extname(file)) });
}
