// npm run bench: one table, and the same numbers as JSON in bench/out (not kept in git).
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile } from '../shared/engine/index.ts';
import { stepgate, xstate } from './decide.ts';
import { interleaved, milliseconds } from './measure.ts';
import { definitionOf } from './workflows.ts';

interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: string;
  readonly met?: boolean;
}

const rows: Row[] = [];

const short = interleaved([stepgate('decide', 7), xstate('xstate', 7), stepgate('decide 1000', 1_000)]);
const rate = (name: string) => short.get(name) ?? Number.NaN;
const versus = rate('decide') / rate('xstate');
const longer = rate('decide') / rate('decide 1000');
rows.push(
  { what: 'decide, 7 steps', value: rate('decide'), unit: 'signals/s' },
  { what: 'XState transition, 7 states', value: rate('xstate'), unit: 'events/s' },
  { what: 'decide against XState', value: versus, unit: '×', target: '≥ 1', met: versus >= 1 },
  { what: 'decide, 1,000 steps', value: rate('decide 1000'), unit: 'signals/s' },
  { what: 'cost in 1,000 steps against 7', value: longer, unit: '×', target: '≤ 2', met: longer <= 2 },
);

let before: number | undefined;
for (const steps of [100, 1_000, 10_000]) {
  const definition = definitionOf(steps);
  const ms = milliseconds(
    () => {
      if ('problems' in compile(definition)) throw new Error('does not prove');
    },
    steps >= 10_000 ? 5 : 15,
  );
  rows.push({ what: `compile and prove ${steps.toLocaleString('en')} steps`, value: ms, unit: 'ms' });
  if (before !== undefined) rows.push({ what: '  for ten times the steps', value: ms / before, unit: '×' });
  before = ms;
}

const width = Math.max(...rows.map(({ what }) => what.length));
for (const { what, value, unit, target, met } of rows) {
  const number = value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 2 : 0 }).padStart(12);
  const judged = target === undefined ? '' : `   target ${target}: ${met ? 'met' : 'MISSED'}`;
  console.log(`${what.padEnd(width)} ${number} ${unit}${judged}`);
}

const out = path.join(import.meta.dirname, 'out');
mkdirSync(out, { recursive: true });
const at = new Date().toISOString();
writeFileSync(
  path.join(out, 'results.json'),
  `${JSON.stringify({ at, node: process.version, rows }, null, 2)}\n`,
);
