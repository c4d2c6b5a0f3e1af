// Every key in both tables. Nothing else builds one.
import { COMMIT_PREFIX } from '../names.ts';

/** So many digits that logs sort by `seq` for as long as anyone lives. */
const SEQ_DIGITS = 12;

export const commitKey = (instance_id: string, seq: number) => ({
  pk: `W#${instance_id}`,
  sk: `${COMMIT_PREFIX}${String(seq).padStart(SEQ_DIGITS, '0')}`,
});
export const isCommitPartition = (pk: string): boolean => pk.startsWith('W#');
export const instanceOf = (pk: string): string => pk.slice('W#'.length);
export const seqOf = (sk: string): number => Number(sk.slice(COMMIT_PREFIX.length));

/** A person's own corner: the active pointers and the keys of starts. */
export const activeKey = (owner: string, workflow_id: string) => ({
  pk: `U#${owner}`,
  sk: `ACTIVE#${workflow_id}`,
});
export const activesOf = (owner: string) => ({ pk: `U#${owner}`, prefix: 'ACTIVE#' });
export const startKey = (sub: string, key: string) => ({ pk: `U#${sub}`, sk: `START#${key}` });

/** A session is a log of its own: opened by its first item, closed by its second. Its instances stand beside them. */
const OPENED = 1;
const CLOSED = 2;
const ofSession = (session_name: string, seq: number) => ({
  pk: `S#${session_name}`,
  sk: commitKey('', seq).sk,
});
export const openingKey = (session_name: string) => ofSession(session_name, OPENED);
export const closingKey = (session_name: string) => ofSession(session_name, CLOSED);
export const isClosingKey = ({ pk, sk }: { pk: string; sk: string }): boolean =>
  pk.startsWith('S#') && seqOf(sk) === CLOSED;
export const membersOf = (session_name: string) => ({ pk: openingKey(session_name).pk, prefix: 'I#' });
export const memberKey = (session_name: string, instance_id: string) => ({
  pk: openingKey(session_name).pk,
  sk: `I#${instance_id}`,
});

export const definitionKey = (workflow_id: string, version: string) => ({
  pk: `D#${workflow_id}`,
  sk: `V#${version}`,
});

export const versionsOf = (workflow_id: string) => ({ pk: `D#${workflow_id}`, prefix: 'V#' });
/** Which version new instances start on; and, for all workflows at once, that one was published. */
export const currentVersionKey = (workflow_id: string) => ({ pk: `D#${workflow_id}`, sk: 'CURRENT' });
export const publishKey = (workflow_id: string, key: string) => ({ pk: `D#${workflow_id}`, sk: `K#${key}` });
export const catalogueKey = (workflow_id: string) => ({ pk: 'DEFINITIONS', sk: workflow_id });

export const factKey = (user_id: string, category: string, id: string) => ({
  pk: `M#${user_id}`,
  sk: `F#${encodeURIComponent(category)}#${id}`,
});

export const factRequestKey = (user_id: string, key: string) => ({ pk: `M#${user_id}`, sk: `K#${key}` });
export const factsOf = (user_id: string, category?: string) => ({
  pk: `M#${user_id}`,
  prefix: category === undefined ? 'F#' : `F#${encodeURIComponent(category)}#`,
});

/** Listings: what lists show of an instance, apart from its log so that reading the log never meets it. */
export const headKey = (instance_id: string) => ({ pk: `H#${instance_id}`, sk: 'HEAD' });
/** The same instance once more, where one index needs it under a second key. */
export const creatorEntryKey = (instance_id: string) => ({ pk: `H#${instance_id}`, sk: 'CREATOR' });
export const roleEntryKey = (instance_id: string, role: string) => ({
  pk: `H#${instance_id}`,
  sk: `ROLE#${role}`,
});

/** Partitions of the listing indexes. Those that many instances share are spread over shards. */
export const LISTING_SHARDS = 4;
export const ownerPartition = (owner: string): string => `O#${owner}`;
/** A person's sessions, apart from their instances. */
export const sessionsPartition = (owner: string): string => `OS#${owner}`;
export const sessionPartition = (session: string): string => `S#${session}`;
export const workflowPartition = (workflow_id: string, shard: number): string => `F#${workflow_id}#${shard}`;
export const rolePartition = (role: string, shard: number): string => `R#${role}#${shard}`;
/** Where an instance stands in a list: by time, and by id where times are equal. */
export const positionOf = (at: string, instance_id: string): string => `${at}#${instance_id}`;

/** The connections table: who is connected, who listens to what, and how often that has changed. */
export const connectionKey = (connection_id: string) => ({ pk: `C#${connection_id}`, sk: 'CONNECTION' });
export const subscriptionKey = (topic: string, connection_id: string) => ({
  pk: `T#${topic}`,
  sk: connection_id,
});
export const generationKey = () => ({ pk: 'GENERATION', sk: 'GENERATION' });

/** The task token a clock's execution waits with. */
export const tokenKey = (instance_id: string, key: string) => ({ pk: `T#${instance_id}`, sk: key });
