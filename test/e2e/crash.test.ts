// `npm run crash` in short: killed four times under a mixed load and a faulty line to the store, nothing is lost.
import { describe, expect, it } from 'vitest';
import { runCrash } from '../../scripts/crash/run-crash.ts';
import { acknowledgedOnce, gapless } from '../../scripts/crash/verify.ts';
import { idempotencyOf } from '../../shared/app/idempotency.ts';
import type { Commit } from '../../shared/engine/index.ts';
import { STORE_KINDS } from '../support/stores.ts';

describe('a server and a store that are killed in turn', () => {
  it('lose nothing, double nothing and leave nothing open, on a line that throttles, fails and loses answers', async () => {
    const store = STORE_KINDS[0];
    const report = await runCrash({ seed: 7, kills: 4, players: 8, faults: 0.02, store });
    expect(report.problems).toEqual([]);
    expect(report.killed).toEqual({ server: 2, store: 2 });
    for (const count of Object.values(report.injected)) expect(count).toBeGreaterThan(0);
    expect(report.counts['acknowledged']).toBeGreaterThan(20);
    expect(report.counts['executions']).toBeGreaterThan(0);
  }, 240_000);
});

/** What the checks look at of a commit. */
const commit = (seq: number, key: string): Commit =>
  ({ seq, signal: { type: 'signal', body: {}, idempotency: idempotencyOf(key, 'ann', null) } }) as Commit;
const acknowledged = [{ instance_id: 'a', version: 2, sub: 'ann', key: 'k' }];

describe('the checks of a crash find', () => {
  it.each([
    ['nothing, where all is well', [commit(1, 's'), commit(2, 'k')], 0],
    ['an acknowledged signal that is gone', [commit(1, 's')], 1],
    ['one that is there twice', [commit(1, 's'), commit(2, 'k'), commit(3, 'k')], 1],
    ['one that is somewhere else', [commit(1, 'k'), commit(2, 's')], 1],
  ])('%s', (_, commits, found) => {
    expect(acknowledgedOnce(acknowledged, new Map([['a', commits]]))).toHaveLength(found);
  });

  it.each([
    ['no gap, where there is none', [commit(1, 's'), commit(2, 'k')], 0],
    ['a gap', [commit(1, 's'), commit(3, 'k')], 1],
    ['a log that does not begin', [commit(2, 's')], 1],
    ['no log at all', [], 1],
  ])('%s', (_, commits, found) => {
    expect(gapless(new Map([['a', commits]]))).toHaveLength(found);
  });
});
