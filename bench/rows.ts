// The table a run prints, and the same as JSON.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: string;
  readonly met?: boolean;
}

export const atLeast = (what: string, value: number, least: number, unit = '×'): Row => ({
  what,
  value,
  unit,
  target: `≥ ${least}`,
  met: value >= least,
});

export const atMost = (what: string, value: number, most: number, unit = '×'): Row => ({
  what,
  value,
  unit,
  target: `≤ ${most}`,
  met: value <= most,
});

export function print(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}`);
  for (const { what, value, unit, target, met } of rows) {
    const number = value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 });
    const judged = target === undefined ? '' : `   target ${target}: ${met ? 'met' : 'MISSED'}`;
    console.log(`  ${what.padEnd(58)} ${number.padStart(10)} ${unit}${judged}`);
  }
}

export function save(sections: Readonly<Record<string, readonly Row[]>>): string {
  const out = path.join(import.meta.dirname, 'out');
  mkdirSync(out, { recursive: true });
  const file = path.join(out, 'results.json');
  const run = { at: new Date().toISOString(), node: process.version, sections };
  writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
  return file;
}
