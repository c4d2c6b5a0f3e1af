// A server of the demo's own: `stepgate start` on a free port, with a data folder that goes when it goes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, createClient } from '../../client/node.ts';
import { issueToken } from '../../local/issuer.ts';

const COMMAND = path.resolve(import.meta.dirname, '../../cli/bin.js');
const STOP_MS = 5_000;

export interface Person {
  readonly sub: string;
  readonly kind: 'human' | 'agent';
  readonly roles?: readonly string[];
}

export interface FreshServer {
  readonly url: string;
  /** A client for a person or an agent; closed with the server. */
  as(who: Person): Client;
  stop(): Promise<void>;
}

export async function startFreshServer(): Promise<FreshServer> {
  const data = await mkdtemp(path.join(tmpdir(), 'stepgate-demo-'));
  const child = spawn(process.execPath, [COMMAND, 'start'], {
    env: { ...process.env, PORT: '0', STEPGATE_DATA: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'exit');
  // Whatever ends this process, the server does not outlive it.
  const abandon = (): void => {
    child.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  const clients: Client[] = [];
  let stopped = false;
  const stop = async (): Promise<void> => {
    stopped = true;
    for (const client of clients) client.close();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      const insist = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await gone;
      clearTimeout(insist);
    }
    await rm(data, { recursive: true, force: true });
    process.off('exit', abandon);
  };
  try {
    const url = await addressOf(child, gone);
    return {
      url,
      as: ({ sub, kind, roles = [] }) => {
        const token = (): Promise<string> => {
          if (stopped) throw new Error('the server was stopped'); // a token would bring its folder back
          return issueToken(data, { sub, kind, roles });
        };
        const client = createClient({ url, token });
        clients.push(client);
        return client;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As it prints it when it is ready; all it said, if it ends before that. */
async function addressOf(child: ReturnType<typeof spawn>, gone: Promise<unknown>): Promise<string> {
  let said = '';
  const found = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
        const [, url] = /HTTP +(http:\S+)\s/.exec(said) ?? [];
        if (url !== undefined) resolve(url);
      });
  });
  const ended = gone.then(() => {
    throw new Error(`The server did not start:\n${said}`);
  });
  return Promise.race([found, ended]);
}
