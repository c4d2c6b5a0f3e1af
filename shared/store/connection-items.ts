// Connections and subscriptions as items: what never changes is one text, what conditions look at are attributes.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { Actor } from '../engine/index.ts';
import { PK, SK, TTL } from '../names.ts';
import type { Connection, Subscription } from '../ports.ts';
import { connectionKey, subscriptionKey } from './keys.ts';

export type Item = Record<string, AttributeValue>;
export type Key = { readonly pk: string; readonly sk: string };

/** API Gateway ends a connection after two hours. */
const LIFE_SECONDS = 2 * 3600 + 600;

export const asItem = ({ pk, sk }: Key): Item => ({ [PK]: { S: pk }, [SK]: { S: sk } });
const lastsUntil = (now: string): string => String(Math.ceil(Date.parse(now) / 1000) + LIFE_SECONDS);

const About = z.object({ connection_id: z.string(), actor: Actor, expires_at: z.number() });
const AboutSubscription = About.extend({
  topic: z.string(),
  since: z.string(),
  after: z.number(),
  resumed: z.boolean(),
});

export const connectionItem = ({ connection_id, actor, expires_at }: Connection, now: string): Item => ({
  ...asItem(connectionKey(connection_id)),
  about: { S: JSON.stringify({ connection_id, actor, expires_at }) },
  [TTL]: { N: lastsUntil(now) },
});

export const connectionIn = (item: Item): Connection => About.parse(JSON.parse(item.about?.S ?? ''));

export const subscriptionItem = ({ phase, id, ...about }: Subscription): Item => ({
  ...asItem(subscriptionKey(about.topic, about.connection_id)),
  id: { S: id },
  about: { S: JSON.stringify(about) },
  phase: { S: phase.name },
  ...(phase.name === 'live' ? { live_from: { N: String(phase.from) } } : {}),
  [TTL]: { N: lastsUntil(about.since) },
});

export function subscriptionIn(item: Item): Subscription {
  const about = AboutSubscription.parse(JSON.parse(item.about?.S ?? ''));
  const id = z.string().parse(item.id?.S);
  if (item.phase?.S !== 'live') return { ...about, id, phase: { name: 'replaying' } };
  return { ...about, id, phase: { name: 'live', from: Number(item.live_from?.N) } };
}
