// stepgate validate: loads each definition and tells what does not prove, and how to mend it.
import { leftOpen } from '../../shared/engine/compile/compile.ts';
import type { ProofProblem } from '../../shared/engine/prove/problem.ts';
import { type Call, type Command, EXIT } from '../command.ts';

interface FileResult {
  readonly file: string;
  readonly ok: boolean;
  readonly workflow?: { readonly id: string; readonly version: string; readonly steps: number };
  readonly problems: readonly ProofProblem[];
  readonly unchecked?: readonly number[];
}

export const validate: Command = {
  usage: 'validate FILE… [--json]',
  summary: 'Prove definitions: every problem is named with its step and its remedy.',
  details: 'Exits with 0 if every file proves, with 1 if one does not.',
  files: 'many',
  flags: {
    json: { type: 'boolean', description: 'Print {files: [{file, ok, workflow, problems, unchecked}]}.' },
  },
  run: (call) => {
    const files = call.files.map((file) => judge(file, call));
    const bad = files.filter(({ ok }) => !ok).length;
    const { out } = call.streams;
    if (call.flags['json']) out(JSON.stringify({ files }, null, 2));
    else {
      for (const file of files) out(describe(file));
      const count = files.length === 1 ? '1 definition' : `${files.length} definitions`;
      out(bad === 0 ? `${count}: all prove.` : `${count}: ${files.length - bad} prove, ${bad} do not.`);
    }
    return bad === 0 ? EXIT.ok : EXIT.failed;
  },
};

function judge(file: string, { read }: Call): FileResult {
  const compiled = read(file);
  if ('problems' in compiled) {
    const { problems, unchecked = [] } = compiled;
    return { file, ok: false, problems, unchecked };
  }
  const { id, version, steps } = compiled.workflow;
  return { file, ok: true, workflow: { id, version, steps: steps.length }, problems: [] };
}

function describe({ file, workflow, problems, unchecked = [] }: FileResult): string {
  if (workflow) {
    const steps = workflow.steps === 1 ? '1 step' : `${workflow.steps} steps`;
    return `✓ ${workflow.id} (${steps}, version ${workflow.version.slice(0, 12)})`;
  }
  return [`✗ ${file}`, ...problems.flatMap(explain), ...leftOpen(unchecked).map((line) => `  ${line}`)].join(
    '\n',
  );
}

/** Check 0: the text could not be read as a definition at all. */
function explain({ check, step, message, fix, path }: ProofProblem): string[] {
  const where = [...(check > 0 ? [`check ${check}`] : []), ...(step === null ? [] : [`step "${step}"`])];
  return [
    `  ${where.length > 0 ? `${where.join(', ')}: ` : ''}${message}`,
    `    fix: ${fix}`,
    ...(path && path.length > 0 ? [`    path: ${path.join(' → ')}`] : []),
  ];
}
