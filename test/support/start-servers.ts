// One server per store for the whole test run, started by the first test that asks for it and ended with the run.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { startServer, type TestServer } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Asked for a store's endpoint, it answers with the server that runs on it. */
    servers: string;
  }
}

export default async function startServers(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<TestServer>>();
  const starter = createServer((request, response) => {
    const store = new URL(request.url ?? '', 'http://starter').searchParams.get('store') ?? '';
    const server = started.get(store) ?? startServer({ store });
    started.set(store, server);
    server.then(
      ({ url, ws_url, data_dir }) => response.end(JSON.stringify({ url, ws_url, data_dir })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => starter.listen(0, '127.0.0.1', resolve));
  project.provide('servers', `http://127.0.0.1:${(starter.address() as AddressInfo).port}`); // it listens on TCP
  return async () => {
    starter.closeAllConnections();
    starter.close();
    await Promise.allSettled([...started.values()].map(async (server) => (await server).stop()));
  };
}
