// What the tests of workers share: workflows with agents of their own on the shared server, clients and workers that
// are gone after each test.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, vi } from 'vitest';
import {
  type Client,
  createClient,
  createWorker,
  type Handle,
  type Handled,
  type Worker,
  type WorkerContext,
  type WorkerLog,
  type WorkerOptions,
} from '../../client/node.ts';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';

export const DONE = { workflow_signal: { action: 'complete_step' } };
export const STAY = { workflow_signal: { action: 'stay' } };
export const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 20_000, interval: 20 });

export class Staff {
  #server: SharedServer | null = null;
  readonly #clients: Client[] = [];
  readonly #workers: Worker[] = [];

  constructor() {
    beforeAll(async () => {
      this.#server = await sharedServer(STORE_KINDS[0] ?? 'dynoxide');
    });
    afterEach(async () => {
      await Promise.all(this.#workers.splice(0).map((worker) => worker.stop({ grace_ms: 0 })));
      for (const client of this.#clients.splice(0)) client.close();
    });
  }

  get server(): SharedServer {
    if (!this.#server) throw new Error('there is no server yet');
    return this.#server;
  }

  async as(sub: string, roles: readonly string[] = [], kind: 'human' | 'agent' = 'agent'): Promise<Client> {
    return this.with(this.server.url, await this.server.token(sub, roles, kind));
  }

  with(url: string, token: string): Client {
    const client = createClient({ url, token });
    this.#clients.push(client);
    return client;
  }

  /** A workflow of two steps, the first for one agent, the second for another. */
  async workflow(more: object = {}) {
    const name = `w${randomUUID().slice(0, 8)}`;
    const owner = await this.as(`owner-${name}`, [], 'human');
    const admin = await this.as('boss', ['admin'], 'human');
    const writer = `${name}-writer`;
    const steps = [
      { id: 'write', agents: [writer], ...more },
      { id: 'check', agents: [`${name}-checker`] },
    ];
    await admin.publish(name, { steps });
    return {
      owner,
      writer,
      start: async () => (await owner.start({ workflow_id: name })).instance_id,
      stepOf: async (id: string) => (await owner.details(id)).current_step,
      actionsOf: async (id: string) =>
        (await owner.history(id)).items.map(({ action, result }) => `${action} ${String(result)}`),
    };
  }

  async hire(agent: string, handle: Handle, more: Partial<WorkerOptions> & { sub?: string } = {}) {
    const { sub = agent, ...options } = more;
    const logs: WorkerLog[] = [];
    const worker = createWorker({
      client: options.client ?? (await this.as(sub, [agent])),
      agent,
      handle,
      poll_ms: 200,
      backoff: { first_ms: 1, most_ms: 5 },
      log: (entry) => void logs.push(entry),
      ...options,
    });
    this.#workers.push(worker);
    await worker.ready;
    return { worker, logs };
  }
}

/** A handler that waits to be let go. */
export function held() {
  const calls: WorkerContext[] = [];
  let go: (result: Handled) => void = () => {};
  const result = new Promise<Handled>((resolve) => (go = resolve));
  const handle: Handle = (context) => {
    calls.push(context);
    return result;
  };
  return { calls, handle, go };
}
