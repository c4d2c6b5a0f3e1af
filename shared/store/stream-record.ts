// A record of the table's stream, as Lambda hands it over: the new commit, or the closing of a session, in it.
import * as z from 'zod';
import { readCommitText } from '../engine/index.ts';
import { COMMIT_PREFIX } from '../names.ts';
import type { Closing } from '../ports.ts';
import { hashOf } from './commit-item.ts';
import { instanceOf, isClosingKey, isCommitPartition } from './keys.ts';
import { closingIn } from './session-items.ts';
import { isTombstone } from './tombstone.ts';

const Text = z.object({ S: z.string() });
const Inserted = z.object({
  eventName: z.literal('INSERT'),
  dynamodb: z.object({
    Keys: z.object({ pk: Text, sk: z.object({ S: z.string().startsWith(COMMIT_PREFIX) }) }),
  }),
});
const imageOf = <T extends z.ZodType>(image: T) => z.object({ dynamodb: z.object({ NewImage: image }) });
const Image = imageOf(z.custom<Parameters<typeof isTombstone>[0]>((image) => typeof image === 'object'));
const Committed = imageOf(z.object({ commit: Text }));
const Closed = imageOf(z.object({ session: Text }));

export type Recorded =
  | { readonly commit: unknown; readonly hash: string }
  | { readonly closing: Closing }
  /** The id of an instance that is being deleted. */
  | { readonly erased: string };

/** On a laptop all consumers are handed the same records: each is read once. */
const known = new WeakMap<object, Recorded | null>();

/** Null if the record is about something else. Throws if there is nothing where a commit or a closing should be. */
export function readRecord(record: object): Recorded | null {
  const before = known.get(record);
  if (before !== undefined) return before;
  const read = parseRecord(record);
  known.set(record, read);
  return read;
}

function parseRecord(record: object): Recorded | null {
  const inserted = Inserted.safeParse(record);
  if (!inserted.success) return null;
  const { Keys } = inserted.data.dynamodb;
  const key = { pk: Keys.pk.S, sk: Keys.sk.S };
  if (isClosingKey(key)) {
    const { session } = Closed.parse(record).dynamodb.NewImage;
    return { closing: closingIn({ ...key, session: session.S }) };
  }
  if (!isCommitPartition(key.pk)) return null;
  if (isTombstone(Image.parse(record).dynamodb.NewImage)) return { erased: instanceOf(key.pk) };
  const text = Committed.parse(record).dynamodb.NewImage.commit.S;
  return { commit: readCommitText(text), hash: hashOf(text) };
}
