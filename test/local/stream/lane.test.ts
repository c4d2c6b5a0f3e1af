// One consumer on one shard: order, partial failures, halving, giving up.
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Consumer, Lane } from '../../../local/stream/lane.ts';
import { earliest, sequenceOf } from '../../../local/stream/stream-record.ts';

const record = (n: number): DynamoDBRecord => ({ dynamodb: { SequenceNumber: String(n) } });
const upTo = (count: number) => Array.from({ length: count }, (_, index) => record(index + 1));
const numbers = (records: readonly DynamoDBRecord[]) => records.map((one) => Number(sequenceOf(one)));

/** A lane whose calls and burials are written down. */
function laneWith(
  handler: (ids: number[], call: number) => unknown,
  position?: string,
  batch_size = 100,
  apart_ms = 0,
  reachable: () => boolean = () => true,
) {
  const calls: number[][] = [];
  const buried: { id: number; reason: string }[] = [];
  const consumer: Consumer = async ({ Records }: DynamoDBStreamEvent) => {
    const ids = numbers(Records);
    calls.push(ids);
    const failed = await handler(ids, calls.length);
    return {
      batchItemFailures: (Array.isArray(failed) ? failed : []).map((id) => ({ itemIdentifier: String(id) })),
    };
  };
  const lane = new Lane(position, {
    handler: consumer,
    batch_size,
    apart_ms: (records) => records * apart_ms,
    tries: 3,
    backoff_ms: 1,
    reachable: () => Promise.resolve(reachable()),
    bury: (given, error) => buried.push({ id: Number(sequenceOf(given)), reason: String(error) }),
  });
  return { lane, calls, buried };
}

describe('a lane', () => {
  it('hands on batches in order, one at a time (L1)', async () => {
    let inside = 0;
    const { lane, calls } = laneWith(
      async () => {
        inside += 1;
        expect(inside).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
      },
      undefined,
      4,
    );
    lane.push(upTo(6), '6');
    lane.push([record(7), record(8), record(9)], '9');
    await lane.room(0);
    expect(calls).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9]]);
    expect(lane.position).toBe('9');
  });

  it('calls at once after a rest; what comes close behind is handled together', async () => {
    const { lane, calls } = laneWith(() => {}, undefined, 3, 60);
    lane.push([record(1)], '1');
    await lane.room(0);
    for (const n of [2, 3]) {
      lane.push([record(n)], String(n));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await lane.room(0);
    expect(calls).toEqual([[1], [2, 3]]);
  });

  it('goes past records nobody wants', async () => {
    const { lane, calls } = laneWith(() => {});
    lane.push([], '5');
    expect(lane.position).toBe('5');
    lane.push([record(7)], '10');
    await lane.room(0);
    expect(calls).toEqual([[7]]);
    expect(lane.position).toBe('10');
  });

  it('leaves out what it had before', async () => {
    const { lane, calls } = laneWith(() => {}, '4');
    lane.push(upTo(6), '6');
    lane.push(upTo(6), '6');
    await lane.room(0);
    expect(calls).toEqual([[5, 6]]);
  });

  it('compares sequence numbers as numbers, of any length', () => {
    expect(earliest(['9', '10'])).toBe('9');
    expect(earliest(['00000000000000000000010', '9'])).toBe('9');
    expect(earliest(['9', undefined])).toBeUndefined();
    expect(earliest([])).toBeUndefined();
  });

  it('takes up again at the first record that failed', async () => {
    const { lane, calls, buried } = laneWith((_ids, call) => (call === 1 ? [5, 3] : []));
    lane.push(upTo(6), '6');
    await lane.room(0);
    expect(calls).toEqual([
      [1, 2, 3, 4, 5, 6],
      [3, 4, 5, 6],
    ]);
    expect(buried).toEqual([]);
  });

  it('gives up a record that fails every time, and goes on (L2)', async () => {
    const { lane, calls, buried } = laneWith((ids) => ids.filter((id) => id === 3));
    lane.push(upTo(5), '5');
    await lane.room(0);
    expect(calls).toEqual([
      [1, 2, 3, 4, 5],
      [3, 4, 5],
      [3, 4, 5],
      [4, 5],
    ]);
    expect(buried).toEqual([{ id: 3, reason: expect.stringContaining('this record failed') }]);
    expect(lane.position).toBe('5');
  });

  it('gives nothing up while the store is away, however long that takes (L4)', async () => {
    let called = 0;
    const { lane, calls, buried } = laneWith(
      (ids, call) => ((called = call) < 8 ? ids : ids.filter((id) => id === 2)),
      undefined,
      100,
      0,
      () => called >= 8,
    );
    lane.push(upTo(3), '3');
    await lane.room(0);
    expect(calls.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => [1, 2, 3]));
    expect(calls.slice(8)).toEqual([[2, 3], [2, 3], [3]]);
    expect(buried.map(({ id }) => id)).toEqual([2]);
  });

  it.each<[string, (ids: number[]) => unknown]>([
    ['throws', (ids) => ids.includes(6) && Promise.reject(new Error('poison'))],
    ['names a record that is not in the batch', (ids) => (ids.includes(6) ? [99] : [])],
    ['names nothing', (ids) => (ids.includes(6) ? [''] : [])],
  ])('finds the record by halving when the function %s (L3)', async (_title, handler) => {
    const { lane, calls, buried } = laneWith(handler);
    lane.push(upTo(8), '8');
    await lane.room(0);
    expect(buried.map(({ id }) => id)).toEqual([6]);
    expect(calls.slice(0, 3)).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8],
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ]);
    expect(calls.filter((ids) => ids.length === 1 && ids[0] === 6)).toHaveLength(3);
    expect(lane.position).toBe('8');
  });

  it('stops after the call under way, and keeps its position', async () => {
    let finish = () => {};
    const { lane, calls } = laneWith(() => new Promise<void>((resolve) => (finish = resolve)), undefined, 2);
    lane.push(upTo(6), '6');
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    const stopped = lane.stop();
    finish();
    await stopped;
    expect(calls).toEqual([[1, 2]]);
    expect(lane.position).toBe('2');
  });

  it('whatever fails, each record is handled or buried, in order, and nothing is buried that ever passed', async () => {
    const fate = fc.array(fc.constantFrom('fine', 'poison', 'flaky'), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fate, fc.boolean(), fc.integer({ min: 1, max: 10 }), async (fates, says, size) => {
        const handled = new Set<number>();
        const seen = new Set<number>();
        const { lane, buried } = laneWith(
          (ids) => {
            const bad = ids.filter((id) => {
              const kind = fates[id - 1];
              const fails = kind === 'poison' || (kind === 'flaky' && !seen.has(id));
              seen.add(id);
              return fails;
            });
            if (!says && bad.length > 0) throw new Error('somewhere');
            for (const id of ids) if (!bad.includes(id)) handled.add(id);
            return bad;
          },
          undefined,
          size,
        );
        lane.push(upTo(fates.length), String(fates.length));
        await lane.room(0);
        const poison = fates.flatMap((kind, index) => (kind === 'poison' ? [index + 1] : []));
        expect(buried.map(({ id }) => id)).toEqual(poison);
        expect([...handled, ...poison].sort((a, b) => a - b)).toEqual(fates.map((_, index) => index + 1));
      }),
      { numRuns: 100 },
    );
  });
});
