// Finds the definitions in a folder by looking: nothing registers itself.
//   V1  One workflow per file, one file per workflow: an id that two files claim belongs to neither.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CompileOptions } from '../engine/compile/compile.ts';
import type { Workflow } from '../engine/model/workflow.ts';
import type { ProofProblem } from '../engine/prove/problem.ts';
import { loadFile } from './load-file.ts';
import { asProof } from './text-problem.ts';

export interface Discovery {
  /** Those that prove, in the order of their files' names. */
  readonly workflows: readonly { readonly file: string; readonly workflow: Workflow }[];
  readonly problems: readonly (ProofProblem & { readonly file: string })[];
}

export function discover(folder: string, options: Omit<CompileOptions, 'name'> = {}): Discovery {
  let names: string[];
  try {
    names = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && /^[^.].*\.(?:ya?ml|json)$/i.test(entry.name))
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    const message = `the folder ${folder} cannot be read (${error instanceof Error ? error.message : String(error)})`;
    const problem = asProof({ message, fix: 'Name a folder that holds definitions.' }, folder);
    return { workflows: [], problems: [{ ...problem, file: folder }] };
  }
  const problems: (ProofProblem & { file: string })[] = [];
  const byId = new Map<string, { file: string; workflow: Workflow }[]>();
  for (const name of names) {
    const loaded = loadFile(join(folder, name), options);
    const { file } = loaded;
    if ('problems' in loaded) problems.push(...loaded.problems.map((problem) => ({ ...problem, file })));
    else byId.set(loaded.workflow.id, [...(byId.get(loaded.workflow.id) ?? []), loaded]);
  }
  for (const [id, claims] of byId) {
    if (claims.length < 2) continue;
    const files = claims.map(({ file }) => file);
    const message = `the files ${files.join(' and ')} all define "${id}"`;
    const problem = asProof({ message, fix: 'Give each an "id" of its own.' }, id);
    problems.push({ ...problem, file: files.join(', ') });
  }
  const workflows = [...byId.values()].filter((claims) => claims.length === 1).flat();
  return { workflows, problems };
}
