// The definitions found in workflows/, proven and written as the one file that the functions read.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { discover } from '../shared/reading/discover.ts';
import { SetupError } from './setup-error.ts';
import { writeAtomically } from './write-atomically.ts';

const OURS = fileURLToPath(new URL('../workflows', import.meta.url));

/** Ours, and those in `workflows/` of the folder we were started in, which come before ours of the same id. */
export function writeDefinitions(file: string, cwd: string): number {
  const theirs = path.join(cwd, 'workflows');
  const folders = theirs !== OURS && existsSync(theirs) ? [OURS, theirs] : [OURS];
  const found = folders.map((folder) => discover(folder));
  const problems = found.flatMap((discovery) => discovery.problems);
  if (problems.length > 0) {
    const told = problems.map(({ file: where, message, fix }) => `  ${where}: ${message} ${fix}`);
    throw new SetupError(
      [
        'Not every workflow proves:',
        ...told,
        'Mend them ("stepgate validate FILE" tells more) and start again.',
      ].join('\n'),
    );
  }
  const sources = found.flatMap(({ workflows }) =>
    workflows.map(({ workflow }) => [workflow.id, workflow.source] as const),
  );
  const byId = Object.fromEntries(sources);
  writeAtomically(file, JSON.stringify(byId));
  return Object.keys(byId).length;
}
