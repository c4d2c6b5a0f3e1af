// The default store: one static binary over one SQLite file, from an optional package for this platform.
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;

/** The binary for this machine, or the sentence that says why there is none. */
export function findDynoxide(): { readonly binary: string } | { readonly missing: string } {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
    const binary = path.join(
      path.dirname(manifest),
      process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide',
    );
    accessSync(binary, constants.X_OK);
    return { binary };
  } catch {
    return { missing: `the package ${PACKAGE} with the dynoxide binary is not installed` };
  }
}

export const dynoxideFile = (dataDir: string): string => path.join(dataDir, 'dynoxide.db');

export const dynoxideArguments = (port: number, dataDir: string): string[] => [
  '--port',
  String(port),
  '--db-path',
  dynoxideFile(dataDir),
];
