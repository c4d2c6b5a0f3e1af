// `npm run crash` in short: killed four times under a mixed load and a faulty line to the store, nothing is lost.
import { describe, expect, it } from 'vitest';
import { PLAYS } from '../../scripts/crash/plays.ts';
import { runCrash } from '../../scripts/crash/run-crash.ts';
import { STORE_KINDS } from '../support/stores.ts';

const SHORT = { seed: 7, kills: 4, players: 10, faults: 0.02, most_seconds: 230, store: STORE_KINDS[0] };

describe('a server and a store that are killed in turn', () => {
  it('lose nothing, double nothing and leave nothing open, on a line that throttles, fails and loses answers', async () => {
    const report = await runCrash(SHORT);
    expect(report.problems).toEqual([]);
    expect(report.killed).toEqual({ server: 2, store: 2 });
    for (const count of Object.values(report.injected)) expect(count).toBeGreaterThan(0);
    expect(Object.keys(report.played).toSorted()).toEqual(Object.keys(PLAYS).toSorted());
    for (const count of ['acknowledged', 'executions', 'sessions'])
      expect([count, report.counts[count]]).not.toEqual([count, 0]);
  }, 240_000);

  it('are given up on when nothing more happens', async () => {
    const stuck = runCrash({ ...SHORT, kills: 1_000, most_seconds: 3 });
    await expect(stuck).rejects.toThrow('given up after 3 s');
  }, 60_000);
});
