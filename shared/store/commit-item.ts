// A commit as an item of the table and back. The text of a commit is what is hashed, so it is stored as it was written.
//   C1  `previous` of a commit is the hash of the text of the one before it: changing one item breaks the next.
//   C2  What is read is parsed, never trusted.
import { createHash } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { Commit, commitText, readCommitText } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import { INDEX } from '../names.ts';
import type { Entry, NewCommit } from '../ports.ts';
import { commitKey } from './keys.ts';

export type Item = Record<string, AttributeValue>;

const MAX_STATE_BYTES = 300 * 1024;
/** DynamoDB's limit is 400 KB with keys and names; a commit holds the signal and the events besides the state. */
const MAX_COMMIT_BYTES = 395 * 1024;
/** No UTF-16 unit takes more than three bytes in UTF-8: shorter texts need no count. */
const MAX_BYTES_PER_UNIT = 3;

export interface Sealed {
  readonly entry: Entry;
  readonly item: Item;
}

/** Throws state_too_large: then nothing is written. */
export function seal(commit: NewCommit, previous: string): Sealed {
  const whole: Commit = { ...commit, previous };
  const text = commitText(whole);
  checkSize(text, whole);
  const { pk, sk } = commitKey(commit.state.instance_id, commit.seq);
  const key = commit.signal.idempotency?.key;
  return {
    entry: { commit: whole, hash: hashOf(text) },
    item: {
      pk: { S: pk },
      sk: { S: sk },
      commit: { S: text },
      ...(key === undefined ? {} : { [INDEX.key.sk]: { S: key } }),
    },
  };
}

function checkSize(text: string, { state }: Commit): void {
  if (text.length * MAX_BYTES_PER_UNIT <= MAX_STATE_BYTES) return;
  const bytes = Buffer.byteLength(JSON.stringify(state));
  if (bytes <= MAX_STATE_BYTES && Buffer.byteLength(text) <= MAX_COMMIT_BYTES) return;
  throw new Fault(
    'state_too_large',
    `With this the instance would hold ${Math.ceil(bytes / 1024)} KB, past the limit of 300 KB a state and 395 KB a commit. Keep large content outside and send a reference.`,
  );
}

/** The entry in an item of the log. */
export function entryOf(item: Item): Entry {
  const text = item.commit?.S;
  if (text === undefined) throw new TypeError(`${item.pk?.S} ${item.sk?.S} holds no commit`);
  return { commit: Commit.parse(readCommitText(text)), hash: hashOf(text) };
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
