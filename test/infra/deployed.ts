// The built functions, each in a thread of its own with exactly the environment and the permissions of the stack.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { FUNCTIONS, type FunctionName } from '../../infra/functions/catalogue.ts';
import { bundleFunctions } from '../../scripts/bundle.ts';
import { ENV } from '../../shared/names.ts';
import { freshTables } from '../support/stores.ts';
import { allowed } from './allowed.ts';
import { type Guard, startGuard } from './guard.ts';
import { Synthesis } from './synthesis.ts';

export interface Deployed {
  readonly made: Synthesis;
  readonly guard: Guard;
  readonly tables: { readonly table: string; readonly connections: string };
  invoke(name: FunctionName, event: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

export interface DeployedProps {
  /** Where it is built; whoever made it removes it. */
  readonly folder: string;
  readonly issuer: { readonly url: string; readonly audience: string };
  /** The issuer's keys. */
  readonly jwks: unknown;
  /** Definitions that one function alone has beside it, by id. */
  readonly shipped: Readonly<Partial<Record<FunctionName, Readonly<Record<string, unknown>>>>>;
}

/** As Lambda does: load the module once, then hand it one event after the other. */
const RUNTIME = `
const { parentPort, workerData } = require('node:worker_threads');
const loaded = import(workerData);
parentPort.on('message', async (event) => {
  try {
    parentPort.postMessage({ result: await (await loaded).handler(event) });
  } catch (error) {
    parentPort.postMessage({ error: String(error?.stack ?? error) });
  }
});
`;

export async function deploy({ folder, issuer, jwks, shipped }: DeployedProps): Promise<Deployed> {
  const dist = path.join(folder, 'built');
  await bundleFunctions(FUNCTIONS, dist);
  for (const [name, more] of Object.entries(shipped)) {
    const file = path.join(dist, 'functions', name, 'definitions.json');
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...more }));
  }
  const made = new Synthesis(folder, { dist, issuer: { url: issuer.url, audience: [issuer.audience] } });
  const tables = await freshTables('dynoxide');
  const guard = await startGuard({
    allows: new Map(FUNCTIONS.map(({ bundle }) => [bundle, new Set(allowed(made, bundle))])),
    tables: { [tables.table]: 'main', [tables.connections]: 'connections' },
    store: tables.endpoint,
    documents: { '/jwks.json': jwks },
  });
  const here: Readonly<Record<string, string>> = {
    [ENV.table]: tables.table,
    [ENV.connections]: tables.connections,
    [ENV.bus]: 'bus',
    [ENV.machine]: 'arn:aws:states:local:000000000000:stateMachine:clocks',
    [ENV.websocket]: `${guard.url}/live`,
    [ENV.issuer]: issuer.url,
    [ENV.audience]: issuer.audience,
    [ENV.jwks]: `${guard.url}/jwks.json`,
  };
  const workers = new Map<FunctionName, Worker>();

  function start(name: FunctionName): Worker {
    const file = path.join(dist, 'functions', name, 'index.mjs');
    const given = Object.keys(made.functionOf(name).Properties.Environment?.Variables ?? {});
    const definitions = { [ENV.definitions]: path.join(path.dirname(file), 'definitions.json') };
    const worker = new Worker(RUNTIME, {
      eval: true,
      workerData: file,
      stdout: true,
      stderr: true,
      env: {
        ...Object.fromEntries(given.map((variable) => [variable, { ...here, ...definitions }[variable]])),
        AWS_REGION: 'local',
        AWS_ACCESS_KEY_ID: name,
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_ENDPOINT_URL: guard.url,
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      },
    });
    workers.set(name, worker);
    return worker;
  }

  return {
    made,
    guard,
    tables,
    invoke(name, event) {
      const worker = workers.get(name) ?? start(name);
      return new Promise((resolve, reject) => {
        worker.once('message', ({ result, error }: { result?: unknown; error?: string }) =>
          error === undefined ? resolve(result) : reject(new Error(error)),
        );
        worker.postMessage(event);
      });
    },
    async stop() {
      await Promise.all([...workers.values()].map((worker) => worker.terminate()));
      await guard.stop();
    },
  };
}
