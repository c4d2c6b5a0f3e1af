// A child process that cannot outlive us.
//   G1  However we end, `kill -9` included, the child ends: a watcher reads a pipe that only we hold open, and
//       ends the child when the kernel closes it.
//   G2  Ctrl-C in a terminal reaches only us: the child has a process group of its own and is stopped last.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** `$$` is the shell's id, which the child takes over with `exec`. */
const GUARD = '(cat <&3 >/dev/null; kill "$$") >/dev/null 2>&1 & exec "$@" 3<&-';
const KEPT_OUTPUT = 4_000;
const PATIENCE_MS = 5_000;

export interface GuardedChild {
  readonly pid: number;
  /** The last of what it printed, for error messages. */
  output(): string;
  /** Why it is no longer there, or undefined while it is. */
  ended(): string | undefined;
  readonly exited: Promise<void>;
  /** Asks, waits, insists. */
  stop(): Promise<void>;
}

export async function spawnGuarded(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<GuardedChild> {
  const child = launch(command, args, cwd);
  let output = '';
  let ended: string | undefined;
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
      child.stdio[3]?.destroy();
      resolve();
    });
  });
  child.stdio[3]?.on('error', () => {}); // the watcher may go first
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    output: () => output.trim(),
    ended: () => ended,
    exited,
    stop: () => stop(child),
  };
}

function launch(command: string, args: readonly string[], cwd: string): ChildProcess {
  const stdio: ('ignore' | 'pipe')[] = ['ignore', 'pipe', 'pipe', 'pipe'];
  if (process.platform === 'win32') return spawn(command, args, { cwd, stdio, windowsHide: true });
  return spawn('/bin/sh', ['-c', GUARD, 'stepgate-store', command, ...args], { cwd, stdio, detached: true });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const insist = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  await gone;
  clearTimeout(insist);
}
