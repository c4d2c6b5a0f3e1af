// Everything the application asks of the outside, in our words. Adapters live in shared/store and functions/.
import type { Actor, Commit, IdempotencyKey, JsonObject, Wait, Workflow } from './engine/index.ts';

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
  /** A lost race is an answer, not an error: lost to the winner, or to nobody where the instance is gone or
   *  a transaction is still at work. A retry of our own that had landed has won. */
  append(commit: NewCommit, before: Entry): Promise<Entry | { readonly lostTo: Entry | null }>;
  /** Like `append`, for a commit that brings a finished instance back: takes its owner's active pointer with it. */
  revive(
    commit: NewCommit,
    before: Entry,
    active: ActiveClaim,
  ): Promise<Entry | { readonly lostTo: Entry | null } | { readonly taken: 'active' | 'busy' }>;
  /** The first commit, with the owner's active pointer and the key's record where there are any, or none of it. */
  create(commit: NewCommit, with_: StartClaims): Promise<Entry | { readonly taken: StartTaken }>;
  /** Overwrites every commit and what its start claimed; nobody can write to it again. Until `expires_at` (seconds
   *  since 1970) tombstones hold its keys. May be repeated after a crash half-way. */
  erase(instance_id: string, expires_at: number): Promise<void>;
  /** The items as they are, in order of their keys, from the one after `seq` on: nothing is parsed or trusted. */
  raw(instance_id: string, seq: number, limit: number): Promise<readonly RawCommit[]>;
  /** The instance an owner's active pointer names. */
  activeOf(owner: string, workflow_id: string): Promise<string | null>;
  /** What taking that pointer over needs to say, so that nobody else has taken it meanwhile. */
  activeClaim(owner: string, workflow_id: string): Promise<ActiveClaim>;
  /** All active pointers of an owner. */
  activesOf(
    owner: string,
  ): Promise<readonly { readonly workflow_id: string; readonly instance_id: string }[]>;
  startedUnder(sub: string, key: string): Promise<StartKey | null>;
}

export interface StartClaims {
  /** For workflows that allow one active instance per owner. */
  readonly active?: ActiveClaim;
  readonly key?: StartKey & { readonly sub: string; readonly key: string };
  /** The session it starts in, which must still be open then. */
  readonly session?: string;
  /** For a fork: the commit that notes it in the log of its source. */
  readonly source?: { readonly commit: NewCommit; readonly before: Entry };
}

export interface ActiveClaim {
  /** The finished instance to replace, or null. */
  readonly replaces: string | null;
  /** With which of its commits that one took the pointer: one that was resumed since has taken it again. */
  readonly since?: number | undefined;
}

export interface RawCommit {
  readonly seq: number;
  readonly text: string | null;
  /** Of that text; empty without one. */
  readonly hash: string;
  /** The idempotency key by which the index finds it. */
  readonly key: string | null;
}

/** What stood in the way of a start; `busy`: others were at the same items, and nothing is known of them. */
export type StartTaken = 'id' | 'active' | 'key' | 'session' | 'source' | 'busy';

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
  /** Makes a version the one that new instances start on. Content that was there before is not a new version. */
  publish(workflow: Workflow, by: Publishing): Promise<Published>;
  /** Every version there is, the latest published first. */
  versions(workflow_id: string): Promise<readonly VersionEntry[]>;
}

export interface Publishing {
  readonly sub: string;
  readonly at: string;
  readonly under?: IdempotencyKey | undefined;
}

export interface VersionEntry {
  readonly version: string;
  readonly label: string | null;
  readonly title: string;
  readonly steps: number;
  /** Null for one that ships, or shipped, with the code. */
  readonly published_at: string | null;
  readonly published_by: string | null;
}

export interface Published {
  readonly entry: VersionEntry;
  /** `restored`: an earlier version is the current one again. */
  readonly change: 'created' | 'restored' | 'unchanged';
  readonly replayed?: true;
}

/** Facts about people, in the shape of Mem0: `memory` is the text. */
export interface Memory {
  /** Under an idempotency key, a repeat answers with the first fact. */
  add(fact: Fact, under?: IdempotencyKey): Promise<Fact>;
  list(user_id: string, category: string | undefined, limit: number, after?: string): Promise<FactPage>;
  count(user_id: string, category: string): Promise<number>;
}

export interface FactPage {
  readonly facts: readonly Fact[];
  /** Where the next page begins; null at the end. */
  readonly last: string | null;
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
  /** Its session's name, once that was committed; until then it is in its session's list only. */
  readonly committed_from_session?: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** Whose inbox it is in: roles and agents' names; none when it waits for its owner or is finished. */
  readonly assigned_to: readonly string[];
  readonly assigned_at: string;
}

export interface Listings {
  /** Later than what is there, or of the same commit and no longer hidden in a session; else nothing happens. */
  project(head: Head, hash?: string): Promise<void>;
  /** From every list, and no late projection brings it back. */
  erase(instance_id: string, expires_at: number): Promise<void>;
  /** The latest commit of an instance that was projected, and its hash. */
  seen(instance_id: string): Promise<{ readonly version: number; readonly hash: string } | null>;
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
  /** Waits a little, longer and less predictably with each lost race. */
  backOff(losses: number): Promise<void>;
}

/** What the world is told of a commit: one message per event, the same on the socket and on the bus. */
export interface Message {
  /** `<instance>:<seq>.<index>` */
  readonly id: string;
  readonly type: string;
  readonly instance_id: string;
  readonly workflow_id: string;
  readonly seq: number;
  /** How many events its commit has. */
  readonly of: number;
  readonly at: string;
  readonly data: JsonObject;
}

/** An open WebSocket and whose it is. */
export interface Connection {
  readonly connection_id: string;
  readonly actor: Actor;
  /** When its token expires, in seconds since 1970. */
  readonly expires_at: number;
}

/** One connection's wish to hear one topic. */
export interface Subscription extends Connection {
  /** Of this very subscription: subscribing again makes another. */
  readonly id: string;
  readonly topic: string;
  readonly since: string;
  /** Commits up to here are not its business; `resumed` if the client says that it has them. */
  readonly after: number;
  readonly resumed: boolean;
  /** While it is `replaying`, whoever subscribed sends; once it is `live`, broadcast sends what comes after `from`. */
  readonly phase: { readonly name: 'replaying' } | { readonly name: 'live'; readonly from: number };
}

export interface Connections {
  open(connection: Connection, now: string): Promise<void>;
  find(connection_id: string): Promise<Connection | null>;
  /** With all its subscriptions. */
  forget(connection_id: string): Promise<void>;
  /** Written first, then counted as a change. */
  subscribe(subscription: Subscription): Promise<'subscribed' | 'not_connected' | 'too_many'>;
  unsubscribe(topic: string, connection_id: string): Promise<void>;
  /** From replaying to live, unless broadcast has met a commit after `from` meanwhile. */
  goLive(subscription: Subscription, from: number): Promise<'live' | 'behind' | 'replaced'>;
  /** How often subscriptions have changed; a consistent read. */
  generation(): Promise<number>;
  /** A consistent read. */
  subscribers(topic: string): Promise<readonly Subscription[]>;
  /** Tells a replaying subscription that there is a commit; otherwise what it has become, or null if it is gone. */
  leaveToReplay(subscription: Subscription, seq: number): Promise<'left' | Subscription | null>;
}

/** To one connection. That it cannot be reached is an answer, not an error. */
export interface Push {
  send(connection_id: string, text: string): Promise<'sent' | 'gone' | 'stuck'>;
  close(connection_id: string): Promise<void>;
}

/** The event bus. Answers with those that it did not take. */
export interface Bus {
  publish<P extends Publication>(publications: readonly P[]): Promise<readonly P[]>;
}

export interface Publication {
  readonly type: string;
  readonly at: string;
  /** The message, as JSON. */
  readonly text: string;
}

/** A session is a log of two: it is opened, and once closed, for good. Every read but `ofOwner` is consistent. */
export interface Sessions {
  /** The name belongs to whoever took it first; a retry of our own that had landed has won. */
  open(opening: Opening): Promise<'opened' | { readonly taken: Opening }>;
  find(session_name: string): Promise<Session | null>;
  /** Null while it is open; a closing is remembered, since it never changes. */
  closingOf(session_name: string): Promise<Closing | null>;
  /** Remembered, since it never changes. */
  ownerOf(session_name: string): Promise<string | null>;
  /** One wins; the answer is the closing that stands. */
  close(closing: Closing): Promise<Closing>;
  /** The instances started in it that its closing has not reached yet, by id. */
  members(session_name: string, after: string | undefined, limit: number): Promise<readonly string[]>;
  /** Its closing has reached this instance. */
  release(session_name: string, instance_id: string): Promise<void>;
  /** Newest first. `before` is the position of the last one seen. */
  ofOwner(owner: string, before: string | undefined, limit: number): Promise<readonly ListedSession[]>;
}

export interface Opening {
  readonly session_name: string;
  /** Of this very request. */
  readonly id: string;
  readonly owner: string;
  readonly title: string | null;
  readonly created_at: string;
  readonly idempotency: IdempotencyKey | null;
}

export interface Closing {
  readonly session_name: string;
  readonly owner: string;
  readonly kind: 'committed' | 'cancelled';
  readonly by: string;
  readonly at: string;
  readonly reason: string | null;
}

export interface Session {
  readonly opening: Opening;
  readonly closing: Closing | null;
}

export interface ListedSession extends Session {
  readonly position: string;
}

/** One clock of one instance; its key follows from the state. */
export interface ClockId {
  readonly instance_id: string;
  readonly key: string;
}

/** What an execution waits with. It never leaves the backend. */
export interface ClockToken extends ClockId {
  readonly token: string;
  /** What is waited for, and the commit that says so. */
  readonly awaited: Wait;
  readonly seq: number;
}

export interface Tokens {
  /** In place of the one before it. `ttl`: seconds since 1970. */
  keep(token: ClockToken, ttl: number): Promise<void>;
  /** A consistent read. */
  of(instance_id: string): Promise<readonly ClockToken[]>;
  /** Unless there is a newer one. */
  drop(token: ClockToken): Promise<void>;
  /** Whatever is kept for that clock. */
  forget(clock: ClockId): Promise<void>;
}

/** Those who supply time: one execution for each clock. All of it may be asked any number of times. */
export interface Executions {
  start(clock: ClockId): Promise<void>;
  stop(clock: ClockId, cause: string): Promise<void>;
  /** Gives a token back, if it still counts. */
  release(token: string): Promise<void>;
  /** A sign of life, if the token still counts. */
  beat(token: string): Promise<void>;
}

/** Says to which step a person's message belongs, as far as it can tell. */
export interface Classifier {
  /** Null, or a low confidence, if it cannot tell: the message then goes to the current agent. */
  classify(text: string, steps: readonly Intended[], current: string): Promise<Guess | null>;
}

/** What a classifier may know of a step. */
export interface Intended {
  readonly id: string;
  readonly title: string;
  readonly intents: readonly string[];
}

export interface Guess {
  readonly step: string;
  /** From 0 to 1. */
  readonly confidence: number;
}
