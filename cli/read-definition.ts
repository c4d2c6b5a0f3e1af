// A definition file, compiled.
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { parse } from 'yaml';
import { type Compiled, compile } from '../shared/engine/compile/compile.ts';
import { FileError } from './command.ts';

export async function readDefinition(file: string): Promise<Compiled> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new FileError(`${file} cannot be read: ${(error as Error).message}.`);
  }
  return compile(parse(text), { name: basename(file, extname(file)) });
}
