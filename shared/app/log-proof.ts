// What can be wrong with one item of a log, given the one before it. Nothing in an item is trusted.
import { Commit, readCommitText, replay, type State, type Versions } from '../engine/index.ts';
import type { RawCommit } from '../ports.ts';

export interface Problem {
  readonly seq: number;
  /** A commit that is not there; its text, place, link, key or state; or where it was forked from. */
  readonly what: 'missing' | 'text' | 'place' | 'chain' | 'key' | 'state' | 'source';
  readonly detail: string;
}

/** A commit that was proven; before the first there is no state. */
export interface Proven {
  readonly seq: number;
  readonly hash: string;
  readonly state: State | null;
}

export const NOTHING: Proven = { seq: 0, hash: '', state: null };

/** An item is asked for its commit more than once, and reading it costs the most. */
const known = new WeakMap<RawCommit, Commit | Problem>();

/** The commit in an item, or why there is none. */
export function readItem(item: RawCommit): Commit | Problem {
  const read = known.get(item) ?? parse(item);
  known.set(item, read);
  return read;
}

function parse({ seq, text }: RawCommit): Commit | Problem {
  const wrong = (detail: string): Problem => ({ seq, what: 'text', detail });
  if (text === null) return wrong(`The item of commit ${seq} holds no commit.`);
  let json: unknown;
  try {
    json = readCommitText(text);
  } catch {
    return wrong(`The text of commit ${seq} is not JSON.`);
  }
  const parsed = Commit.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return wrong(`The text of commit ${seq} is not a commit: ${issue?.path.join('.')}: ${issue?.message}`);
}

export const isProblem = (read: Commit | Problem): read is Problem => 'what' in read;

/** `after`: the item that follows, if it is known; it tells which of two commits was changed. */
export function wrongWith(
  instance_id: string,
  item: RawCommit,
  before: Proven,
  versions: Versions,
  after?: RawCommit,
): Problem | null {
  const seq = before.seq + 1;
  if (item.seq !== seq) {
    const detail = `Commit ${seq} is missing: after ${before.seq} comes ${item.seq}.`;
    return { seq, what: 'missing', detail };
  }
  const commit = readItem(item);
  if (isProblem(commit)) return commit;
  const { state, signal, previous } = commit;
  if (commit.seq !== seq || state.instance_id !== instance_id) {
    const found = `commit ${commit.seq} of "${state.instance_id}"`;
    return { seq, what: 'place', detail: `In the place of commit ${seq} there is ${found}.` };
  }
  if (previous !== before.hash) return brokenLink(seq, item, after);
  if (item.key !== (signal.idempotency?.key ?? null))
    return {
      seq,
      what: 'key',
      detail: `Commit ${seq} is indexed under another key than it was written with.`,
    };
  const replayed = replay(versions, [commit], before.state);
  if (replayed.ok) return null;
  const detail = `Commit ${seq} does not follow from its signal: ${replayed.differs}.`;
  return { seq, what: 'state', detail };
}

/** Either the commit before was changed after this one was written, or the link in this one was. */
function brokenLink(seq: number, item: RawCommit, after: RawCommit | undefined): Problem {
  const next = after && readItem(after);
  if (seq > 1 && !(next && !isProblem(next) && next.previous !== item.hash)) {
    const detail = `Commit ${seq - 1} was changed: commit ${seq} was written after another text of it.`;
    return { seq: seq - 1, what: 'chain', detail };
  }
  return { seq, what: 'chain', detail: `Commit ${seq} does not name the commit before it.` };
}
