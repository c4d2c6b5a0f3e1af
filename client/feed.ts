// What stands between a topic's messages and its caller.
import type { StepgateEvent, WireEvent } from './messages.ts';

export interface Feed {
  /** Where to resume; undefined where nothing can be replayed, or nothing is known yet. */
  readonly after: number | undefined;
  /** The server has taken the subscription in; its latest commit, for an instance. */
  began(seq: number | null): void;
  take(event: WireEvent): void;
  stop(): void;
}

export interface FeedTiming {
  /** How long a missing event may still be on its way before the history is read. */
  readonly grace_ms: number;
  /** Between two readings of the history that brought nothing. */
  readonly again_ms: number;
}

/** One page of an instance's history as events, complete commit by complete commit. */
export type ReadHistory = (
  instance_id: string,
  after: number,
  signal: AbortSignal,
) => Promise<readonly { readonly seq: number; readonly events: readonly WireEvent[] }[]>;

export interface FeedParts {
  readonly deliver: (events: readonly StepgateEvent[]) => void;
  readonly fail: (error: unknown) => void;
  readonly history: ReadHistory;
  readonly timing: FeedTiming;
}
