// Starts each store this machine can run, once for the whole test run, and ends them with it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { CHILD_KINDS, type ChildKind, missing } from '../../local/store/choose-store.ts';
import { startStore } from '../../local/store/start-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Endpoints of the stores that run. */
    stores: Partial<Record<ChildKind, string>>;
  }
}

export default async function startStores(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'stepgate-stores-'));
  const only = process.env['STEPGATE_TEST_STORES']?.split(',');
  const kinds = CHILD_KINDS.filter((kind) => {
    const reason = only && !only.includes(kind) ? 'STEPGATE_TEST_STORES does not name it' : missing(kind);
    if (reason !== undefined) console.warn(`Tests on ${kind} are left out: ${reason}.`);
    return reason === undefined;
  });
  const stores = await Promise.all(
    kinds.map((kind) => startStore({ kind, dataDir: path.join(folder, kind) })),
  );
  project.provide('stores', Object.fromEntries(stores.map(({ kind, endpoint }) => [kind, endpoint])));
  return async () => {
    await Promise.all(stores.map((store) => store.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
}
