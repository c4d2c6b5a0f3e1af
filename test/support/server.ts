// The real server as a process of its own, on a free port and a temporary data folder, for end-to-end tests.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { issueToken } from '../../local/issuer.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PATIENCE_MS = 25_000;

export interface ServerOptions {
  /** `dynoxide`, `dynamodb-local` or a URL; the server's own choice if not said. */
  readonly store?: string;
  /** Kept after the test; a temporary one, removed by `stop`, if not said. */
  readonly data_dir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How long a start may take. */
  readonly patience_ms?: number;
}

export interface TestServer {
  readonly url: string;
  readonly ws_url: string;
  readonly data_dir: string;
  readonly pid: number;
  /** Everything it has printed. */
  output(): string;
  token(
    sub: string,
    roles?: readonly string[],
    kind?: 'human' | 'agent',
    ttl_seconds?: number,
  ): Promise<string>;
  /** As Ctrl-C: resolves with the exit code. Removes a temporary data folder. */
  stop(): Promise<number | null>;
  /** As the kernel would: no goodbye. The data folder stays. */
  kill9(): Promise<void>;
  /** Starts it again on the same data; the port stays the same. */
  restart(): Promise<void>;
}

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const data_dir = options.data_dir ?? mkdtempSync(path.join(tmpdir(), 'stepgate-server-'));
  const remove = () => {
    if (options.data_dir === undefined) rmSync(data_dir, { recursive: true, force: true });
  };
  let running = await launch(options, data_dir, '0').catch((error: unknown) => {
    remove();
    throw error;
  });
  const { url } = running;
  return {
    url,
    ws_url: `${url.replace('http', 'ws')}/ws`,
    data_dir,
    get pid() {
      return running.child.pid ?? 0;
    },
    output: () => running.output(),
    token: (sub, roles = [], kind = 'human', ttl_seconds = 3600) =>
      issueToken(data_dir, { sub, roles, kind, ttl_seconds }),
    stop: async () => {
      const code = await end(running.child, 'SIGINT');
      remove();
      return code;
    },
    kill9: async () => void (await end(running.child, 'SIGKILL')),
    restart: async () => {
      await end(running.child, 'SIGINT');
      running = await launch(options, data_dir, new URL(url).port);
    },
  };
}

/** Starts it with settings it cannot start with: what it said, and its exit code. */
export async function failToStart(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; said: string }> {
  const { child, output } = spawnServer(env);
  const [code] = (await once(child, 'close')) as [number | null]; // what the event carries
  return { code, said: output() };
}

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  output(): string;
}

async function launch(
  { store, env = {}, patience_ms = PATIENCE_MS }: ServerOptions,
  data_dir: string,
  PORT: string,
): Promise<Running> {
  const settings = { PORT, STEPGATE_DATA: data_dir, ...(store === undefined ? {} : { STEPGATE_DB: store }) };
  const { child, output } = spawnServer({ ...settings, ...env });
  const url = await new Promise<string>((resolve, reject) => {
    const give = (why: string) => reject(new Error(`The server ${why}. It said:\n${output()}`));
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      give('was not ready in time');
    }, patience_ms);
    child.once('exit', (code) => {
      clearTimeout(late);
      give(`ended with ${code}`);
    });
    child.stdout?.on('data', () => {
      const [, ready] = /ready in \d+ ms[\s\S]*?HTTP +(http:\S+)/.exec(output()) ?? [];
      if (ready === undefined) return;
      clearTimeout(late);
      resolve(ready);
    });
  });
  return { child, url, output };
}

function spawnServer(env: Readonly<Record<string, string>>): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [path.join(ROOT, 'cli/bin.js'), 'start'], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const keep = (chunk: Buffer) => {
    said += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return { child, output: () => said };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
  return child.exitCode;
}
