// Size of each function, and how long a process takes to load it, against an empty handler. Whole Node processes on
// this machine: a Lambda sandbox has other absolute times.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FUNCTIONS } from '../infra/functions/catalogue.ts';
import { bundleFunctions } from '../scripts/bundle.ts';
import { ENV } from '../shared/names.ts';
import { median } from './rounds.ts';
import { atMost, type Row } from './rows.ts';

const ROUNDS = 7;
const MOST_KB = 600;

export async function bundles(): Promise<Row[]> {
  const dist = mkdtempSync(path.join(tmpdir(), 'stepgate-bundles-'));
  try {
    const made = await bundleFunctions(FUNCTIONS, dist);
    const empty = path.join(dist, 'functions', 'empty');
    mkdirSync(empty);
    writeFileSync(path.join(empty, 'index.mjs'), 'export const handler = async () => ({});');
    const floor = startUp(empty);
    const rows: Row[] = [{ what: 'start-up of an empty handler', value: floor, unit: 'ms' }];
    for (const { name, bytes } of made) {
      const ms = startUp(path.join(dist, 'functions', name));
      rows.push(atMost(`${name}: minified`, bytes / 1_000, MOST_KB, 'KB'));
      rows.push({ what: '  start-up', value: ms, unit: 'ms' });
      rows.push({ what: '  against an empty handler', value: ms / floor, unit: '×' });
    }
    return rows;
  } finally {
    rmSync(dist, { recursive: true, force: true });
  }
}

/** Milliseconds from spawning Node until the module is loaded and the process has ended. */
function startUp(folder: string): number {
  const env = { ...process.env, ...environment(), AWS_LAMBDA_FUNCTION_NAME: 'bench' };
  const code = `await import(${JSON.stringify(path.join(folder, 'index.mjs'))}); process.exit(0)`;
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { env, stdio: 'ignore' });
    return performance.now() - start;
  });
  return median(times);
}

/** Enough for every function to load; the definitions stand beside it. */
function environment(): Record<string, string> {
  const values = Object.values(ENV)
    .filter((name) => name !== ENV.definitions)
    .map((name) => [name, 'https://bench.example']);
  return {
    ...Object.fromEntries(values),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  };
}
