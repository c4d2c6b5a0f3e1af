// The folder everything is kept in: there, writable, and used by one server at a time.
//   F1  The lock is the kernel's (through SQLite): it ends with the process, however that ends.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { codeOf, messageOf, SetupError } from './setup-error.ts';
import { writeAtomically } from './write-atomically.ts';

export interface DataFolder {
  readonly path: string;
  readonly file: (name: string) => string;
  /** Tells whoever comes second where the first one is. */
  announce(url: string): void;
  release(): void;
}

export function openDataFolder(folder: string): DataFolder {
  const file = (name: string) => path.join(folder, name);
  try {
    mkdirSync(folder, { recursive: true });
    writeAtomically(file('.writable'), '');
    rmSync(file('.writable'));
  } catch (error) {
    throw new SetupError(
      `The data folder ${folder} cannot be written (${codeOf(error) ?? messageOf(error)}). ` +
        'Make it writable, or choose another: STEPGATE_DATA=/some/folder npm start.',
    );
  }
  const lock = new DatabaseSync(file('lock.db'), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new SetupError(
      messageOf(error).includes('locked')
        ? `${firstOne(file('server.json'))} uses the data folder ${folder}. ` +
            'Stop it, or choose another folder: STEPGATE_DATA=/some/folder npm start.'
        : `The data folder ${folder} cannot be locked (${messageOf(error)}).`,
    );
  }
  return {
    path: folder,
    file,
    announce: (url) => writeAtomically(file('server.json'), JSON.stringify({ pid: process.pid, url })),
    release: () => {
      rmSync(file('server.json'), { force: true });
      lock.close();
    },
  };
}

function firstOne(file: string): string {
  try {
    const { pid, url } = JSON.parse(readFileSync(file, 'utf8')) as { pid: unknown; url: unknown }; // only shown
    return `Another server (process ${String(pid)}, ${String(url)})`;
  } catch {
    return 'Another server';
  }
}
