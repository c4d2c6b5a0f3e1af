// Everything the application asks of the outside, in our words. Adapters live in shared/store and functions/.
import type { Commit, Workflow } from './engine/index.ts';

/** A commit as it is in the log, with the hash that the next one names. */
export interface Entry {
  readonly commit: Commit;
  readonly hash: string;
}

/** A commit about to be written: the log adds the hash of the one before it. */
export type NewCommit = Omit<Commit, 'previous'>;

/** The log of all instances: the lock, the audit trail, the outbox and the snapshot. Every read is consistent. */
export interface InstanceLog {
  latest(instance_id: string): Promise<Entry | null>;
  at(instance_id: string, seq: number): Promise<Entry | null>;
  /** In order of `seq`, from the one after `seq` on. */
  after(instance_id: string, seq: number, limit: number): Promise<readonly Entry[]>;
  /** Which commit was made under an idempotency key. */
  seqOfKey(instance_id: string, key: string): Promise<number | null>;
  /** A lost race is an answer, not an error. A retry of our own that had landed has won. */
  append(commit: NewCommit, before: Entry): Promise<Entry | { readonly lostTo: Entry }>;
  /** The first commit, with the owner's active pointer and the key's record where there are any, or none of it. */
  create(commit: NewCommit, with_: StartClaims): Promise<Entry | { readonly taken: 'id' | 'active' | 'key' }>;
  /** The instance an owner's active pointer names. */
  activeOf(owner: string, workflow_id: string): Promise<string | null>;
  /** All active pointers of an owner. */
  activesOf(owner: string): Promise<readonly { readonly workflow_id: string; readonly instance_id: string }[]>;
  startedUnder(sub: string, key: string): Promise<StartKey | null>;
}

export interface StartClaims {
  /** For workflows that allow one active instance per owner: the finished one to replace, or null. */
  readonly active?: { readonly replaces: string | null };
  readonly key?: StartKey & { readonly sub: string; readonly key: string };
}

export interface StartKey {
  readonly instance_id: string;
  readonly body: string;
}

export interface Definitions {
  /** What a new instance starts on. */
  current(workflow_id: string): Promise<Workflow | null>;
  /** What a running instance is pinned to. */
  version(workflow_id: string, version: string): Promise<Workflow | null>;
  list(): Promise<readonly Workflow[]>;
  /** Makes sure that this version can be found again, whatever is deployed later. */
  keep(workflow: Workflow): Promise<void>;
}

/** Facts about people, in the shape of Mem0: `memory` is the text. */
export interface Memory {
  add(fact: Fact): Promise<Fact>;
  list(user_id: string, category: string | undefined, limit: number, after?: string): Promise<readonly Fact[]>;
  count(user_id: string, category: string): Promise<number>;
}

export interface Fact {
  readonly id: string;
  readonly user_id: string;
  readonly category: string;
  readonly memory: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_by: string;
  readonly created_at: string;
}

/** What lists show of an instance. Eventually consistent; never moves back. */
export interface Head {
  readonly instance_id: string;
  readonly workflow_id: string;
  readonly definition_version: string;
  /** `seq` of the commit it was projected from. */
  readonly version: number;
  readonly status: string;
  readonly current_step: string;
  readonly percent: number;
  readonly owner: string;
  readonly created_by: string;
  readonly subject: string | null;
  readonly session_name: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** Whose inbox it is in: roles and agents' names; none when it waits for its owner or is finished. */
  readonly assigned_to: readonly string[];
  readonly assigned_at: string;
}

export interface Listings {
  /** Later than what is there, or nothing happens. */
  project(head: Head): Promise<void>;
  /** Newest first. `before` is the position of the last one seen. */
  list(by: ListKey, before: string | undefined, limit: number): Promise<readonly Listed[]>;
  /** Oldest assignment first. */
  inbox(role: string, after: string | undefined, limit: number): Promise<readonly Listed[]>;
}

export type ListKey =
  | { readonly owner: string }
  | { readonly workflow: string }
  | { readonly session: string };

export interface Listed {
  readonly head: Head;
  /** Where it stands in this order; the same in every list of the same order. */
  readonly position: string;
}

/** Read once per request, at the edge; tests write them as literals. */
export interface Chance {
  now(): string;
  id(): string;
}
