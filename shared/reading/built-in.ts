// The workflows we ship: the definitions in workflows/, read when asked for.
import { fileURLToPath } from 'node:url';
import { Fault } from '../faults.ts';
import type { Workflow } from '../engine/model/workflow.ts';
import { discover } from './discover.ts';

const FOLDER = fileURLToPath(new URL('../../workflows', import.meta.url));

/** By id. One that does not prove is a mistake of ours: a Fault with the whole report. */
export function builtInWorkflows(): ReadonlyMap<string, Workflow> {
  const { workflows, problems } = discover(FOLDER);
  if (problems.length > 0) {
    const report = problems.map(({ file, message, fix }) => `${file}: ${message} ${fix}`).join('\n');
    throw new Fault('invalid_definition', `A built-in workflow does not prove:\n${report}`, { problems });
  }
  return new Map(workflows.map(({ workflow }) => [workflow.id, workflow]));
}
