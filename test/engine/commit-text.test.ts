// The text of a commit leaves out what is as usual, and says the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitText, readCommitText } from '../../shared/engine/index.ts';
import { Commit } from '../../shared/engine/model/decision.ts';
import { generating } from './views/sample.ts';
import { GROUNDS } from './properties/definitions.ts';
import { moves, walk } from './properties/walk.ts';

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the text of a commit', () => {
  it.each(GROUNDS)('CT1: of $name reads as the same commit, wherever it has been', (ground) => {
    let records = 0;
    fc.assert(
      fc.property(moves, (script) => {
        for (const { signal, actor, facts, now, decision, after } of walk(ground, script).said) {
          if (decision.kind !== 'commit') continue;
          const { type, body } = signal;
          const { events, verdict } = decision;
          const commit = { id: 'c', seq: after.seq, at: now, actor, signal: { type, body }, facts };
          const whole = Commit.parse(plain({ ...commit, events, state: after, verdict, previous: '' }));
          expect(readCommitText(commitText(whole))).toEqual(plain(whole));
          records += after.steps.length;
        }
      }),
      { numRuns: 60 },
    );
    expect(records).toBeGreaterThan(100);
  });

  it('is much shorter than all of it', () => {
    const [last] = generating().done().done().commits.slice(-1);
    if (!last) throw new Error('nothing was committed');
    const steps = (text: string) => JSON.stringify((JSON.parse(text) as Commit).state.steps).length; // written above
    expect(steps(commitText(last))).toBeLessThan(0.7 * JSON.stringify(last.state.steps).length);
  });

  it.each(['[]', '{}', '{"state":null}', '{"state":{"steps":7}}', '{"state":{"steps":[null,1,[]]}}'])(
    'CT2: which %s is not stays what it is, for its schema to judge',
    (text) => {
      expect(readCommitText(text)).toEqual(JSON.parse(text));
    },
  );
});
