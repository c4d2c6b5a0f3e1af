// Files that are whole or not there: written aside, then put in place in one step.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from './setup-error.ts';

/** Replaces what is there. */
export function writeAtomically(file: string, text: string): void {
  const aside = beside(file);
  writeFileSync(aside, text);
  renameSync(aside, file);
}

/** Leaves what is there: of two writers the first one wins, and both find the same file after it. For its owner only. */
export function createOnce(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const aside = beside(file);
  writeFileSync(aside, text, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(aside, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(aside);
  }
}

const beside = (file: string): string => `${file}.${randomUUID()}.new`;
