// The servers that are measured, each as a process of its own with a store of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { issueToken } from '../local/issuer.ts';
import { definitionOf } from './workflows.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

export interface Served {
  readonly origin: string;
  readonly token?: string;
  stop(): Promise<void>;
}

/** `stepgate start`, in a folder with the workflows that are measured. */
export async function stepgateServer(): Promise<Served> {
  const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-bench-server-'));
  mkdirSync(path.join(folder, 'workflows'));
  const put = (name: string, definition: object) =>
    writeFileSync(path.join(folder, 'workflows', `${name}.json`), JSON.stringify(definition));
  put('linear-7', definitionOf(7));
  put('watched', { id: 'watched', steps: [{ id: 'only', agents: ['worker'], outputs: ['never'] }] });
  const data = path.join(folder, 'data');
  const env = { ...process.env, PORT: '0', STEPGATE_DATA: data };
  const child = spawn(process.execPath, [path.join(ROOT, 'cli/bin.js'), 'start'], { cwd: folder, env });
  const origin = await printed(child, /HTTP\s+(http:\S+)/);
  return {
    origin,
    token: await issueToken(data, { sub: 'bench', roles: ['worker'], kind: 'agent', ttl_seconds: 3_600 }),
    async stop() {
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The bare server of floor-server.ts on a store. */
export async function floorServer(endpoint: string): Promise<Served> {
  const file = path.join(ROOT, 'bench/floor-server.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', file, endpoint], { cwd: ROOT });
  const port = await printed(child, /^(\d+)$/m);
  return { origin: `http://127.0.0.1:${port}`, stop: () => ended(child) };
}

function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const look = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const found = pattern.exec(output)?.[1];
      if (found) resolve(found);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${output}`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await gone;
}
