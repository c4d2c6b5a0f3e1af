// Several lists in the same order, read as one: page by page, each instance once, with a cursor to go on from.
import * as z from 'zod';
import { Fault } from '../faults.ts';
import type { Listed } from '../ports.ts';

/** One page after a position. */
export type ReadPage = (past: string | undefined, limit: number) => Promise<readonly Listed[]>;
/** Does `a` come before `b`? */
export type Order = (a: string, b: string) => boolean;

export const NEWEST_FIRST: Order = (a, b) => a > b;
export const OLDEST_FIRST: Order = (a, b) => a < b;

/** In order from `past` on, each instance once; reads no more than it is asked for. */
export async function* merged(
  sources: readonly ReadPage[],
  { order, past, size }: { order: Order; past: string | undefined; size: number },
): AsyncGenerator<Listed & { source: number }> {
  const queues = await Promise.all(
    sources.map(async (read) => ({ read, list: [...(await read(past, size))], more: true })),
  );
  for (const queue of queues) queue.more = queue.list.length === size;
  const seen = new Set<string>();
  for (;;) {
    let best: { listed: Listed; source: number } | undefined;
    for (const [source, { list }] of queues.entries()) {
      const [listed] = list;
      if (listed && (best === undefined || order(listed.position, best.listed.position)))
        best = { listed, source };
    }
    if (best === undefined) return;
    const { listed, source } = best;
    const queue = queues[source];
    queue?.list.shift();
    if (queue?.more && queue.list.length === 0) {
      queue.list = [...(await queue.read(listed.position, size))];
      queue.more = queue.list.length === size;
    }
    if (seen.has(listed.head.instance_id)) continue;
    seen.add(listed.head.instance_id);
    yield { ...listed, source };
  }
}

const Position = z.string().regex(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z#.{1,300}$/su);

export const cursorAt = (position: string): string => Buffer.from(position).toString('base64url');

/** The position in a cursor that we gave. */
export function positionIn(next: string | undefined): string | undefined {
  if (next === undefined) return undefined;
  const position = Position.safeParse(Buffer.from(next, 'base64url').toString('utf8'));
  if (position.success && cursorAt(position.data) === next) return position.data;
  const message = 'is not a cursor of ours; send the `next` of the page before, as it was given';
  throw new Fault('invalid_request', `next ${message}.`, { issues: [{ path: 'next', message }] });
}
