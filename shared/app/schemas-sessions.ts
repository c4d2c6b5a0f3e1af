// What callers send about sessions, and what they are answered.
import * as z from 'zod';
import { strict } from '../engine/index.ts';
import { ListedInstance } from './schemas-answers.ts';

const Instant = z.iso.datetime();

/** Stays readable in a URL, a topic and a key. */
const SessionName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._~:-]{0,199}$/,
    'must have 1 to 200 letters, digits or . _ ~ : -, and begin with a letter or a digit',
  );

/** The name may be given as `name` too. */
export const SessionRequest = strict({
  session_name: SessionName.optional(),
  name: SessionName.optional().describe('Another word for `session_name`.'),
  title: z.string().trim().min(1).max(500).optional(),
}).transform(({ session_name, name = session_name, title }, context) => {
  if (name !== undefined && (session_name ?? name) === name)
    return { session_name: name, ...(title === undefined ? {} : { title }) };
  const message = name === undefined ? 'is needed' : 'must be the same as name, or left out';
  context.addIssue({ code: 'custom', path: ['session_name'], message });
  return z.NEVER;
});
export type SessionRequest = z.infer<typeof SessionRequest>;

export const CommitRequest = strict({});
export const CancelRequest = strict({ reason: z.string().max(5_000).optional() });

const session = {
  session_name: z.string(),
  title: z.string().nullable(),
  owner: z.string(),
  status: z.enum(['open', 'committed', 'cancelled']),
  created_at: Instant,
  closed_at: Instant.nullable(),
  closed_by: z.string().nullable(),
  reason: z.string().nullable(),
};
export const Session = z.object(session);
export const OpenedSession = z.object({ ...session, replayed: z.literal(true).optional() });
export const SessionPage = z.object({
  ...session,
  instances: z.array(ListedInstance).describe('Newest first; eventually consistent.'),
  next: z.string().nullable().describe('Leads to the next page; null on the last one.'),
  consistency: z.literal('eventual'),
});
