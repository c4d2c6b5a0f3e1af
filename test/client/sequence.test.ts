// The order of an instance's events, whatever happens on the way. Properties cite O1–O3 of client/sequence.ts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sequence, type Sequenced } from '../../client/sequence.ts';

const event = (seq: number, index: number, of?: number): Sequenced => ({
  id: `delivery-a.b:c:${seq}.${index}`,
  seq,
  ...(of === undefined ? {} : { of }),
});
const ids = (events: readonly Sequenced[]) => events.map(({ id }) => id.slice(id.lastIndexOf(':') + 1));

/** A log: how many events each commit has. */
const commitsOf = (sizes: readonly number[], counted: boolean) =>
  sizes.map((size, at) => ({
    seq: at + 1,
    events: Array.from({ length: size }, (_, index) => event(at + 1, index, counted ? size : undefined)),
  }));

describe('an event', () => {
  it('is handed on at once if it is the next', () => {
    const sequence = new Sequence(4);
    expect(ids(sequence.offer(event(5, 0, 2)))).toEqual(['5.0']);
    expect(sequence.behind).toBe(true);
    expect(ids(sequence.offer(event(5, 1, 2)))).toEqual(['5.1']);
    expect([sequence.cursor, sequence.behind]).toEqual([5, false]);
  });

  it('is held until the earlier one is there', () => {
    const sequence = new Sequence(4);
    expect(sequence.offer(event(6, 0, 1))).toEqual([]);
    expect(sequence.offer(event(5, 1, 2))).toEqual([]);
    expect(sequence.behind).toBe(true);
    expect(ids(sequence.offer(event(5, 0, 2)))).toEqual(['5.0', '5.1', '6.0']);
    expect([sequence.cursor, sequence.behind]).toEqual([6, false]);
  });

  it('is dropped if it was handed on before, or lies before the beginning', () => {
    const sequence = new Sequence(4);
    sequence.offer(event(5, 0, 2));
    expect(sequence.offer(event(5, 0, 2))).toEqual([]);
    expect(sequence.offer(event(4, 0, 1))).toEqual([]);
    sequence.offer(event(5, 1, 2));
    expect(sequence.offer(event(5, 1, 2))).toEqual([]);
    sequence.offer(event(6, 0));
    expect(sequence.offer(event(6, 0))).toEqual([]);
    expect(sequence.behind).toBe(false);
  });

  it('waits for the history where its commit does not say how many events it has', () => {
    const sequence = new Sequence(4);
    expect(ids(sequence.offer(event(5, 0)))).toEqual(['5.0']);
    expect([sequence.cursor, sequence.behind]).toEqual([4, false]);
    expect(sequence.offer(event(6, 0))).toEqual([]);
    expect(sequence.behind).toBe(true);
    expect(ids(sequence.fill([{ seq: 5, events: [event(5, 0), event(5, 1)] }]))).toEqual(['5.1', '6.0']);
  });
});

describe('the history', () => {
  it('closes a gap, also over commits that had no events', () => {
    const sequence = new Sequence(4);
    sequence.offer(event(8, 0, 1));
    const filled = sequence.fill([
      { seq: 5, events: [] },
      { seq: 6, events: [event(6, 0)] },
      { seq: 7, events: [] },
    ]);
    expect(ids(filled)).toEqual(['6.0', '8.0']);
    expect([sequence.cursor, sequence.behind]).toEqual([8, false]);
  });

  it('may overlap what is there, and leave commits out that have nothing to tell', () => {
    const sequence = new Sequence(4);
    sequence.offer(event(5, 0, 2));
    const filled = sequence.fill([
      { seq: 4, events: [event(4, 0)] },
      { seq: 5, events: [event(5, 0), event(5, 1)] },
      { seq: 9, events: [event(9, 0)] },
    ]);
    expect(ids(filled)).toEqual(['5.1', '9.0']);
    expect(sequence.cursor).toBe(9);
  });

  it('is asked for when a commit is known to exist and does not come', () => {
    const sequence = new Sequence<Sequenced>(4);
    sequence.expect(4);
    expect(sequence.behind).toBe(false);
    sequence.expect(6);
    sequence.expect(5);
    expect(sequence.behind).toBe(true);
    sequence.fill([
      { seq: 5, events: [] },
      { seq: 6, events: [] },
    ]);
    expect(sequence.behind).toBe(false);
  });
});

/** A push of one event of the log, or a page of history from the cursor on; drops are pushes that never come. */
const Happening = fc.oneof(
  { weight: 8, arbitrary: fc.record({ push: fc.nat(), shuffle: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ page: fc.integer({ min: 1, max: 5 }) }) },
);

describe('any order, any duplicates, any drops', () => {
  it('O1, O2: what was handed on is always the beginning of the log, and in the end all of it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 25 }),
        fc.boolean(),
        fc.array(Happening, { maxLength: 150 }),
        (sizes, counted, happenings) => {
          const commits = commitsOf(sizes, counted);
          const all = ids(commits.flatMap(({ events }) => events));
          const wire = commits.flatMap(({ events }) => events);
          const sequence = new Sequence<Sequenced>(0);
          const given: string[] = [];
          const give = (events: readonly Sequenced[]): void => {
            given.push(...ids(events));
            expect(given).toEqual(all.slice(0, given.length));
            const whole = commits.slice(0, sequence.cursor).flatMap(({ events }) => events).length;
            expect(given.length).toBeGreaterThanOrEqual(whole);
          };
          const read = (size: number): void =>
            give(sequence.fill(commits.slice(sequence.cursor, sequence.cursor + size)));
          let at = 0;
          for (const happening of happenings) {
            if ('page' in happening) {
              read(happening.page);
              continue;
            }
            const pushed = wire[(at++ + happening.shuffle * (happening.push % 3)) % Math.max(wire.length, 1)];
            if (pushed) give(sequence.offer(pushed));
          }
          sequence.expect(commits.length);
          while (sequence.behind) read(3);
          expect(given).toEqual(all);
          expect(sequence.cursor).toBe(commits.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('O1: with counts, a shuffled log without drops needs no history where every commit has events', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 20 });
    const shuffled = sizes.chain((of) => {
      const wire = commitsOf(of, true).flatMap(({ events }) => events);
      return fc.record({
        wire: fc.constant(wire),
        order: fc.shuffledSubarray([...wire, ...wire], {
          minLength: wire.length * 2,
          maxLength: wire.length * 2,
        }),
      });
    });
    fc.assert(
      fc.property(shuffled, ({ wire, order }) => {
        const sequence = new Sequence<Sequenced>(0);
        expect(ids(order.flatMap((next) => sequence.offer(next)))).toEqual(ids(wire));
        expect(sequence.behind).toBe(false);
      }),
    );
  });

  it('O3: who resumes at the cursor, at any time, gets the rest of the log and nothing twice but a started commit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 15 }),
        fc.nat(40),
        (sizes, stopAt) => {
          const commits = commitsOf(sizes, true);
          const wire = commits.flatMap(({ events }) => events);
          const first = new Sequence<Sequenced>(0);
          for (const next of wire.slice(0, stopAt)) first.offer(next);
          const second = new Sequence<Sequenced>(first.cursor);
          second.expect(commits.length);
          const rest = ids(second.fill(commits));
          expect(rest).toEqual(ids(wire.filter(({ seq }) => seq > first.cursor)));
          const stopped = Math.min(stopAt, wire.length);
          expect(rest.length).toBeGreaterThanOrEqual(wire.length - stopped);
          expect(rest.length).toBeLessThanOrEqual(wire.length - stopped + 2);
        },
      ),
    );
  });
});
