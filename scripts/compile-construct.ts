// The CDK construct for apps that do not run TypeScript: plain modules with their types.
import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './bundle-plugins.ts';

/** Read by the construct where it lies. */
const MACHINE = 'attempts.asl.json';

/** Writes `<dist>/construct/infra/stepgate.js` and what it imports of ours. */
export async function compileConstruct(dist: string): Promise<void> {
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = path.join(ROOT, 'infra', 'tsconfig.json');
  const outDir = path.join(dist, 'construct');
  try {
    await promisify(execFile)(process.execPath, [compiler, '-p', project, '--outDir', outDir]);
  } catch (error) {
    const said = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    throw new Error(`The construct does not compile:\n${said}`);
  }
  copyFileSync(path.join(ROOT, 'infra', MACHINE), path.join(outDir, 'infra', MACHINE));
}
