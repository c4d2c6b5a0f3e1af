// Broadcast: the events of a batch of commits, to everyone who listens and may read them.
//   B2  A connection hears an event once, however many of its topics the event belongs to; a redelivered record is
//       not pushed again by the process that pushed it.
//   B3  A connection hears the events of an instance in order; connections do not wait for each other.
//   B4  A subscription that is replaying is left to whoever replays it; one to the instance itself decides over the
//       others for what it covers, since its replay sends that.
//   B5  Whoever may not read the instance, or whose token has run out, hears nothing.
import { type Actor, mayRead, type Workflow } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Connections, Definitions, Message, Push, Sessions, Subscription } from '../ports.ts';
import { atOnce } from './at-once.ts';
import { createRecent } from './broadcast-recent.ts';
import { createSubscribers, type Listeners } from './broadcast-subscribers.ts';
import { textOf, type Told } from './publish-told.ts';
import { placed } from './session-scope.ts';
import { instanceTopic, topicsOf } from './topics.ts';

export interface BroadcastPorts {
  readonly connections: Connections;
  readonly push: Push;
  readonly definitions: Definitions;
  readonly sessions: Sessions;
}

/** The events of one batch; throws if nobody can be told, so that the batch comes again. */
export type Broadcast = (batch: readonly Told[], now: string) => Promise<void>;

/** Below the number of sockets an SDK client opens, so that none waits for another. */
const AT_ONCE = 40;
/** No function replays for longer: whoever did has died, and the client must come again. */
const LONGEST_REPLAY_MS = 60_000;

/** One event for one connection, and the subscriptions that ask for it. */
interface Delivery {
  readonly told: Told;
  readonly message: Message;
  readonly text: () => string;
  readonly asking: Subscription[];
}

export function createBroadcast({ connections, push, definitions, sessions }: BroadcastPorts): Broadcast {
  const subscribers = createSubscribers(connections);
  const recent = createRecent();

  async function drop(connection_id: string, close: boolean): Promise<void> {
    subscribers.forget(connection_id);
    if (close) await push.close(connection_id);
    await connections.forget(connection_id);
  }

  /** B4: replaying subscriptions are told of the last commit there is for them, or turn out to be live by now. */
  async function settle(deliveries: readonly Delivery[], listeners: Listeners): Promise<void> {
    const last = new Map<Subscription, number>();
    for (const { told, asking } of deliveries)
      for (const one of asking)
        if (one.phase.name === 'replaying' && told.seq > one.after)
          last.set(one, Math.max(told.seq, last.get(one) ?? 0));
    for (const [one, seq] of last) {
      const now = await connections.leaveToReplay(one, seq);
      if (now === 'left') continue;
      const others = listeners.get(one.topic);
      if (now === null) others?.delete(one.connection_id);
      else others?.set(one.connection_id, now);
      for (const { asking } of deliveries) {
        const at = asking.indexOf(one);
        if (at >= 0) asking.splice(at, 1, ...(now === null ? [] : [now]));
      }
    }
  }

  async function deliver(
    connection_id: string,
    deliveries: readonly Delivery[],
    listeners: Listeners,
    now: string,
  ): Promise<void> {
    const all = deliveries.flatMap(({ asking }) => asking);
    if (all.some((one) => isOver(one, now))) return drop(connection_id, true);
    await settle(deliveries, listeners);
    for (const { told, message, asking, text } of deliveries) {
      const key = `${connection_id} ${message.id}`;
      if (!isAskedFor(told, asking) || recent.has(key)) continue;
      const outcome = await push.send(connection_id, text());
      if (outcome !== 'sent') return drop(connection_id, outcome === 'stuck');
      recent.add(key);
    }
  }

  return async (batch, now) => {
    const commits = inOrder(await placed(sessions, batch)).filter(({ scope }) => scope !== 'nowhere');
    const topics = new Set(commits.flatMap((told) => told.messages.flatMap((one) => topicsOf(told, one))));
    if (topics.size === 0) return;
    const listeners = await subscribers.of(topics);
    const queues = new Map<string, Delivery[]>();
    for (const told of commits) {
      const heard = told.messages.flatMap((message) => deliveriesOf(told, message, listeners));
      if (heard.length === 0) continue;
      const workflow = told.only ? NOBODY : await workflowOf(definitions, told);
      for (const { to, delivery } of heard) {
        const asking = delivery.asking.filter(({ actor }) => mayHear(workflow, told, actor)); // B5
        if (asking.length === 0) continue;
        const queue = queues.get(to) ?? [];
        queues.set(to, queue);
        queue.push({ ...delivery, asking });
      }
    }
    await atOnce(AT_ONCE, queues, ([to, queue]) => deliver(to, queue, listeners, now));
  };
}

/** By instance and `seq`, each once: a batch may hold a record twice, and in any order. */
function inOrder(batch: readonly Told[]): readonly Told[] {
  const once = new Map(batch.map((told) => [`${told.instance_id} ${told.seq}`, told]));
  return [...once.values()].toSorted((a, b) => a.seq - b.seq);
}

function deliveriesOf(
  told: Told,
  message: Message,
  listeners: Listeners,
): { to: string; delivery: Delivery }[] {
  const asking = new Map<string, Subscription[]>();
  for (const topic of topicsOf(told, message))
    for (const [connection_id, one] of listeners.get(topic) ?? [])
      asking.set(connection_id, [...(asking.get(connection_id) ?? []), one]);
  let written: string | undefined;
  const text = () => (written ??= textOf(message));
  return [...asking].map(([to, all]) => ({ to, delivery: { told, message, text, asking: all } }));
}

/** B4. */
function isAskedFor(told: Told, asking: readonly Subscription[]): boolean {
  const topic = instanceTopic(told.instance_id);
  const own = asking.find((one) => one.topic === topic);
  if (own !== undefined && told.seq > own.after)
    return own.phase.name === 'live' && told.seq > own.phase.from;
  if (own?.resumed) return false;
  return asking.some((one) => one !== own);
}

const mayHear = (workflow: Pick<Workflow, 'audience'>, told: Told, actor: Actor): boolean =>
  told.only !== undefined || told.session_owner === actor.sub || mayRead(workflow, told, actor);

function isOver({ expires_at, phase, since }: Subscription, now: string): boolean {
  const at = Date.parse(now);
  if (expires_at * 1000 <= at) return true;
  return phase.name === 'replaying' && at - Date.parse(since) > LONGEST_REPLAY_MS;
}

/** A definition that cannot be read leaves the owner and admins: nobody else is known to be meant. */
async function workflowOf(definitions: Definitions, told: Told): Promise<Pick<Workflow, 'audience'>> {
  try {
    return (await definitions.version(told.workflow_id, told.definition)) ?? NOBODY;
  } catch (error) {
    if (error instanceof Fault && !error.retryable) return NOBODY;
    throw error;
  }
}

const NOBODY = { audience: new Set<string>() };
