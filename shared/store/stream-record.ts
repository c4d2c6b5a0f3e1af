// A record of the table's stream, as Lambda hands it over: the commit in it, if it is about a new one.
import * as z from 'zod';
import { COMMIT_PREFIX } from '../names.ts';

const Inserted = z.object({
  eventName: z.literal('INSERT'),
  dynamodb: z.object({ Keys: z.object({ sk: z.object({ S: z.string().startsWith(COMMIT_PREFIX) }) }) }),
});
const Image = z.object({
  dynamodb: z.object({ NewImage: z.object({ commit: z.object({ S: z.string() }) }) }),
});

/** Undefined if the record is about something else. Throws if there is no commit where one should be. */
export function commitIn(record: unknown): unknown {
  if (!Inserted.safeParse(record).success) return undefined;
  return JSON.parse(Image.parse(record).dynamodb.NewImage.commit.S) as unknown;
}
