// The items of a session and back. Like commits they hold one text, which is parsed, never trusted.
import * as z from 'zod';
import { IdempotencyKey } from '../engine/index.ts';
import type { Closing, Opening } from '../ports.ts';

const Opened = z.strictObject({
  session_name: z.string(),
  id: z.string(),
  owner: z.string(),
  title: z.string().nullable(),
  created_at: z.string(),
  idempotency: IdempotencyKey.nullable(),
});
const Closed = z.strictObject({
  session_name: z.string(),
  owner: z.string(),
  kind: z.enum(['committed', 'cancelled']),
  by: z.string(),
  at: z.string(),
  reason: z.string().nullable(),
});
const Item = z.object({ pk: z.string(), sk: z.string(), session: z.string() });

export const sessionItem = (session: Opening | Closing) => ({ session: JSON.stringify(session) });

export const openingIn = (item: unknown): Opening => Opened.parse(JSON.parse(Item.parse(item).session));
export const closingIn = (item: unknown): Closing => Closed.parse(JSON.parse(Item.parse(item).session));
