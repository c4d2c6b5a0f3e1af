// The laptop cloud: store, gateway, Step Functions, functions and stream, started together and stopped in order.
//   B1  Nothing listens as ready before everything is: early callers are asked to try again.
//   B2  Stopping: the stream finishes its batch, requests under way are answered, the store goes last.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createVerifier } from '../functions/edge/verify-token.ts';
import { startClocks } from './clocks.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { applyEnvironment, environmentFor, KEYS_PATH, TABLES } from './environment.ts';
import { type Gateway, startGateway } from './gateway/gateway.ts';
import type { Handler } from './gateway/handler.ts';
import { AUDIENCE, ISSUER, keySet } from './issuer.ts';
import { loadHandlers, resolveWhenLoaded } from './load-handlers.ts';
import type { Settings } from './settings.ts';
import { messageOf } from './setup-error.ts';
import { ensureTables } from './store/ensure-tables.ts';
import { startStore, type Store } from './store/start-store.ts';
import { runInWorker, type StreamThread } from './stream/run-in-worker.ts';
import { writeDefinitions } from './write-definitions.ts';

export interface LocalServer {
  readonly origin: string;
  readonly store_kind: Store['kind'];
  readonly workflows: number;
  /** Settles if a part dies that nothing works without, with the reason. */
  readonly broken: Promise<string>;
  stop(): Promise<void>;
}

export async function startServer(settings: Settings, say: (line: string) => void): Promise<LocalServer> {
  const folder = openDataFolder(settings.data_dir);
  const started: { stop(): Promise<void> }[] = []; // stopped in reverse
  const stop = async () => {
    for (const part of started.reverse()) await part.stop();
    folder.release();
  };
  try {
    return { ...(await startParts(settings, folder, say, (part) => started.push(part))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  { port, host, store: kind }: Settings,
  folder: DataFolder,
  say: (line: string) => void,
  started: (part: { stop(): Promise<void> }) => void,
): Promise<Omit<LocalServer, 'stop'>> {
  let handlers: ReadonlyMap<string, Handler> | undefined;
  let thread: StreamThread | undefined;
  const definitions_file = folder.file('definitions.json');
  const workflows = writeDefinitions(definitions_file, process.cwd());

  const store = await startStore({ kind, dataDir: folder.path });
  started(store);
  const gateway = await listen(
    host,
    port,
    folder,
    resolveWhenLoaded(
      () => handlers,
      () => thread?.nudge(),
    ),
    say,
  );
  started(gateway);
  applyEnvironment(environmentFor({ store, ...gateway, definitions_file }, process.env));

  const stream_arn = await ensureBothTables();
  const clocks = await startClocks(() => thread?.nudge(), say);
  started(clocks);
  let breaks: (reason: string) => void = () => {};
  const broken = new Promise<string>((resolve) => (breaks = resolve));
  void store.exited.then((reason) => breaks(`The store ${store.kind} is gone (${reason}).`));
  const [loaded, running] = await Promise.all([
    loadHandlers(),
    runInWorker(
      {
        stream_arn,
        checkpoint_file: folder.file('stream-checkpoint.json'),
        dead_letter_file: folder.file('dead-letters.jsonl'),
        trim: store.kind === 'dynoxide' ? { data_dir: folder.path, table: TABLES.table } : null,
      },
      say,
      (error) => breaks(`The stream is no longer read (${messageOf(error)}).`),
    ),
  ]);
  thread = running;
  started(running);
  handlers = loaded;
  await clocks.takeUp();
  folder.announce(gateway.origin);
  return { origin: gateway.origin, store_kind: store.kind, workflows, broken };
}

async function listen(
  host: string,
  port: number,
  folder: DataFolder,
  resolve: ReturnType<typeof resolveWhenLoaded>,
  say: (line: string) => void,
): Promise<Gateway> {
  const keys = await keySet(folder.path);
  return startGateway({
    host,
    port,
    resolve,
    verify: (origin) =>
      createVerifier({ issuer: ISSUER, audience: [AUDIENCE], jwks_uri: `${origin}${KEYS_PATH}` }),
    documents: (origin) => ({
      '/health': { status: 'ok' },
      [KEYS_PATH]: keys,
      '/.well-known/openid-configuration': {
        issuer: ISSUER,
        jwks_uri: `${origin}${KEYS_PATH}`,
        id_token_signing_alg_values_supported: ['ES256'],
      },
    }),
    failed: (what, error) => say(`${what} failed: ${error instanceof Error ? error.stack : String(error)}`),
  });
}

async function ensureBothTables(): Promise<string> {
  const client = new DynamoDBClient({});
  try {
    return await ensureTables(client, TABLES);
  } finally {
    client.destroy();
  }
}
