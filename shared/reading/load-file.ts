// A definition's file, read and compiled. The one place of this folder, with discover.ts, that touches the disk.
//   F1  Whatever the file, the answer is a workflow or problems that name it; nothing is thrown.
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, sep } from 'node:path';
import { type Compiled, compile, type CompileOptions } from '../engine/compile/compile.ts';
import { type ReadDefinition, readDefinition } from './read-definition.ts';
import { resolveDocument } from './resolve-document.ts';
import { asProof, MAX_TEXT } from './text-problem.ts';

/** `file` is the path as it was given. */
export type Loaded = Compiled & { readonly file: string };

const FORMATS: Readonly<Record<string, 'yaml' | 'json' | 'markdown'>> = {
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.json': 'json',
  '.md': 'markdown',
};

export function loadFile(path: string, options: Omit<CompileOptions, 'name'> = {}): Loaded {
  const name = basename(path, extname(path));
  const read = readFile(path, name);
  return { ...('problems' in read ? read : compile(read.definition, { ...options, name })), file: path };
}

function readFile(path: string, name: string): ReadDefinition {
  const format = FORMATS[extname(path).toLowerCase()];
  if (format === undefined) {
    const message = `the file ${path} is not a definition`;
    return { problems: [asProof({ message, fix: 'Use a .yaml, .yml, .json or .md file.' }, name)] };
  }
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    const message = `the file ${path} cannot be read (${error instanceof Error ? error.message : String(error)})`;
    return { problems: [asProof({ message, fix: 'Check the path, and save the file as UTF-8.' }, name)] };
  }
  if (format !== 'markdown')
    return readDefinition(text, { format, name, readDocument: (document) => readBeside(path, document) });
  const { steps, title, problems } = resolveDocument(text, basename(path), name, undefined);
  if (problems.length > 0) return { problems };
  return { definition: { id: name, ...(title === undefined ? {} : { title }), steps } };
}

function readText(path: string): string {
  const found = statSync(path);
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size > 4 * MAX_TEXT) throw new Error(`it has ${found.size} bytes`);
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
}

/** A link that leads out of the folder is outside, whatever its own name is. */
function readBeside(path: string, document: string): string {
  const folder = realpathSync(dirname(path));
  const file = realpathSync(join(folder, document));
  if (!file.startsWith(folder + sep)) throw new Error('it leads out of the folder');
  return readText(file);
}
