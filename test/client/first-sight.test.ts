// Topics without replay: each event once, in order as far as a short wait allows. Cites F1, F2 of first-sight.ts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirstSight } from '../../client/first-sight.ts';

const event = (instance_id: string, seq: number, index = 0, of?: number) => ({
  id: `${instance_id}:${seq}.${index}`,
  instance_id,
  seq,
  ...(of === undefined ? {} : { of }),
});
const ids = (events: readonly { id: string }[]) => events.map(({ id }) => id);

describe('an event on a topic without replay', () => {
  it('goes on at once if it is the first of its instance, or follows the one before it', () => {
    const order = new FirstSight();
    expect(ids(order.offer(event('a', 7, 1, 2)))).toEqual(['a:7.1']);
    expect(ids(order.offer(event('a', 8, 0, 2)))).toEqual(['a:8.0']);
    expect(ids(order.offer(event('a', 8, 1, 2)))).toEqual(['a:8.1']);
    expect(ids(order.offer(event('b', 3)))).toEqual(['b:3.0']);
    expect(order.behind).toBe(false);
  });

  it('F1: goes on once', () => {
    const order = new FirstSight();
    order.offer(event('a', 7));
    expect(order.offer(event('a', 7))).toEqual([]);
  });

  it('F2: waits for the one before it, and goes on with it', () => {
    const order = new FirstSight();
    order.offer(event('a', 7, 0, 2));
    expect(order.offer(event('a', 8, 0, 1))).toEqual([]);
    expect(order.behind).toBe(true);
    expect(ids(order.offer(event('a', 7, 1, 2)))).toEqual(['a:7.1', 'a:8.0']);
    expect(order.behind).toBe(false);
  });

  it('F2: does not wait for ever, and what comes too late still goes on', () => {
    const order = new FirstSight();
    order.offer(event('a', 1));
    order.offer(event('a', 9));
    order.offer(event('a', 5));
    expect(ids(order.settle())).toEqual(['a:5.0', 'a:9.0']);
    expect(ids(order.offer(event('a', 3)))).toEqual(['a:3.0']);
    expect(ids(order.offer(event('a', 10)))).toEqual(['a:10.0']);
  });

  it('F1: whatever is sent how often in which order, each goes on exactly once', () => {
    const Event = fc
      .record({ instance: fc.constantFrom('a', 'b'), seq: fc.integer({ min: 1, max: 6 }), index: fc.nat(1) })
      .map(({ instance, seq, index }) => event(instance, seq, index, 2));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(Event, fc.constant('settle' as const)), { maxLength: 60 }),
        (happenings) => {
          const order = new FirstSight<ReturnType<typeof event>>();
          const given = happenings.flatMap((one) => (one === 'settle' ? order.settle() : order.offer(one)));
          given.push(...order.settle());
          const sent = happenings.filter((one) => one !== 'settle');
          expect(ids(given).toSorted()).toEqual([...new Set(ids(sent))].toSorted());
        },
      ),
    );
  });
});
