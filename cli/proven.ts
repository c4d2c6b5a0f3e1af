// A workflow for commands that need one: a definition that does not prove is an error that says so.
import type { Workflow } from '../shared/engine/model/workflow.ts';
import { type Call, FileError } from './command.ts';

export function proven({ files, read }: Call): Workflow {
  const file = files[0] ?? '';
  const compiled = read(file);
  if ('workflow' in compiled) return compiled.workflow;
  const told = compiled.problems.map(
    ({ check, message, fix }) => `  ${check > 0 ? `check ${check}: ` : ''}${message} ${fix}`,
  );
  throw new FileError([`${file} does not prove:`, ...told].join('\n'));
}
