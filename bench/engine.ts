// decide() against XState's pure transition, and how its cost grows with the definition.
import { compile } from '../shared/engine/index.ts';
import { stepgate, xstate } from './decide.ts';
import { interleaved, milliseconds } from './measure.ts';
import { atLeast, atMost, type Row } from './rows.ts';
import { definitionOf } from './workflows.ts';

export function engine(): Row[] {
  const measured = interleaved([stepgate('decide', 7), xstate('xstate', 7), stepgate('decide 1000', 1_000)]);
  const rate = (name: string) => measured.get(name) ?? Number.NaN;
  const rows: Row[] = [
    { what: 'decide, 7 steps', value: rate('decide'), unit: 'signals/s' },
    { what: 'XState transition, 7 states', value: rate('xstate'), unit: 'events/s' },
    atLeast('decide against XState', rate('decide') / rate('xstate'), 1),
    { what: 'decide, 1,000 steps', value: rate('decide 1000'), unit: 'signals/s' },
    atMost('cost of a decision in 1,000 steps against 7', rate('decide') / rate('decide 1000'), 2),
  ];
  let before: number | undefined;
  for (const steps of [100, 1_000, 10_000]) {
    const ms = milliseconds(() => prove(steps), steps >= 10_000 ? 5 : 15);
    rows.push({ what: `compile and prove ${steps.toLocaleString('en')} steps`, value: ms, unit: 'ms' });
    if (before !== undefined) rows.push({ what: '  for ten times the steps', value: ms / before, unit: '×' });
    before = ms;
  }
  return rows;
}

function prove(steps: number): void {
  if ('problems' in compile(definitionOf(steps))) throw new Error('does not prove');
}
