// A listed instance as items: one with the keys of all indexes, and one more for each further role or person that
// an index must find it under.
import * as z from 'zod';
import { INDEX } from '../names.ts';
import type { Head } from '../ports.ts';
import {
  creatorEntryKey,
  headKey,
  LISTING_SHARDS,
  ownerPartition,
  positionOf,
  roleEntryKey,
  rolePartition,
  sessionPartition,
  workflowPartition,
} from './keys.ts';

export type Entry = Head & { readonly pk: string; readonly sk: string; readonly rank: number } & Readonly<
    Record<string, unknown>
  >;

/** Which of two projections is later: of the later commit, or of the same one and no longer hidden in a session. */
const rankOf = ({ version }: Head, hidden: boolean): number => 2 * version + (hidden ? 0 : 1);

/** `besides` is marked on the first, so that a projection sees by its own condition whether there are any. */
export function entriesOf(listed: Head): { first: Entry; besides: readonly Entry[] } {
  const { instance_id, owner, created_by, workflow_id, session_name, assigned_to } = listed;
  const hidden = session_name !== null && listed.committed_from_session === undefined;
  const head = { ...listed, rank: rankOf(listed, hidden) };
  const created = { [INDEX.owner.sk]: positionOf(head.created_at, instance_id) };
  // Until its session is committed, an instance is only in its session's list.
  const session = session_name === null ? {} : { [INDEX.session.pk]: sessionPartition(session_name) };
  if (hidden) return { first: { ...head, ...headKey(instance_id), ...created, ...session }, besides: [] };
  const shard = shardOf(instance_id);
  const inbox = (role: string) => ({
    [INDEX.role.pk]: rolePartition(role, shard),
    [INDEX.role.sk]: positionOf(head.assigned_at, instance_id),
  });
  const ownedBy = (sub: string) => ({ ...created, [INDEX.owner.pk]: ownerPartition(sub) });
  const [role, ...more] = assigned_to;
  const besides: Entry[] = more.map((name) => ({
    ...head,
    ...roleEntryKey(instance_id, name),
    ...inbox(name),
  }));
  if (created_by !== owner)
    besides.push({ ...head, ...creatorEntryKey(instance_id), ...ownedBy(created_by) });
  const first = {
    ...head,
    ...headKey(instance_id),
    ...ownedBy(owner),
    ...session,
    [INDEX.workflow.pk]: workflowPartition(workflow_id, shard),
    ...(role === undefined ? {} : inbox(role)),
    ...(besides.length === 0 ? {} : { besides: besides.length }),
  };
  return { first, besides };
}

/** Always the same for the same instance, and evenly spread (FNV-1a). */
function shardOf(instance_id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < instance_id.length; i++) hash = Math.imul(hash ^ instance_id.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % LISTING_SHARDS;
}

const Stored = z.object({
  instance_id: z.string(),
  workflow_id: z.string(),
  definition_version: z.string(),
  version: z.number(),
  status: z.string(),
  current_step: z.string(),
  percent: z.number(),
  owner: z.string(),
  created_by: z.string(),
  subject: z.string().nullable(),
  session_name: z.string().nullable(),
  committed_from_session: z.string().exactOptional(),
  created_at: z.string(),
  updated_at: z.string(),
  assigned_to: z.array(z.string()),
  assigned_at: z.string(),
});

/** Keys of the store are left out. */
export const headIn = (item: Record<string, unknown>): Head => Stored.parse(item);
