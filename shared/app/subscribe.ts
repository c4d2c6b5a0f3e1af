// Subscribing: what was missed first, then live, without a gap and without a double.
//   G1  The subscription is written and counted before the log's end is read: a commit after that end finds it.
//   G2  Until it goes live, whoever subscribes sends every commit up to `from`; from then on broadcast sends every
//       commit after `from`. It goes live only if broadcast has met none in between.
//   G3  What was begun and cannot be finished is taken back: a client is told, or hung up on and comes again, with
//       what it has got so far.
import type { Connection, Connections, Push, Subscription } from '../ports.ts';
import { Fault } from '../faults.ts';
import type { App } from './app.ts';
import { findInstance } from './find-instance.ts';
import { readTold, textOf } from './publish-told.ts';
import { mayListen } from './session-scope.ts';
import { noTopic, readTopic, type Topic, topicKey } from './topics.ts';

/** To a connection that we have forgotten because it could not be reached: its client must come again. */
export const DROPPED = new Fault('unavailable', 'This connection was dropped. Connect again.');

export interface Listening extends Pick<App, 'log' | 'definitions' | 'sessions'> {
  readonly connections: Connections;
  readonly push: Push;
}

export interface Asked {
  readonly topic: string;
  /** The last commit the client has. */
  readonly after?: number | undefined;
}

/** Read at the edge. */
export interface Occasion {
  readonly now: string;
  readonly id: string;
  /** Is there time to send more? */
  readonly hasTime?: () => boolean;
  readonly mostReplayed?: number;
}

/** More commits are for the history: the client sees the gap and reads it there. */
const MOST_REPLAYED = 2_000;
/** Commits hold whole states: few at a time. */
const PAGE = 25;
const MOST_ROUNDS = 50;

export async function subscribe(
  ports: Listening,
  connection: Connection,
  asked: Asked,
  occasion: Occasion,
): Promise<void> {
  const topic = readTopic(asked.topic, connection.actor);
  const begun = { ...connection, id: occasion.id, topic: topicKey(topic), since: occasion.now };
  if (topic.kind === 'session' && !(await mayListen(ports, topic.name, connection.actor)))
    throw noTopic(asked.topic);
  if (topic.kind !== 'instance') {
    await write(ports, { ...begun, after: 0, resumed: false, phase: { name: 'live', from: 0 } });
    await told(ports, connection.connection_id, subscribed(asked.topic, 0));
    return;
  }
  const after = await startOf(ports, topic, connection, asked.after);
  const subscription: Subscription = {
    ...begun,
    after,
    resumed: asked.after !== undefined,
    phase: { name: 'replaying' },
  };
  await write(ports, subscription);
  try {
    await catchUp(ports, subscription, { instance_id: topic.name, said: asked.topic, ...occasion });
  } catch (error) {
    await ports.connections.unsubscribe(subscription.topic, subscription.connection_id); // G3
    throw error;
  }
}

export async function unsubscribe(ports: Listening, connection: Connection, said: string): Promise<void> {
  const { connection_id, actor } = connection;
  await ports.connections.unsubscribe(topicKey(readTopic(said, actor)), connection_id);
  await told(ports, connection_id, JSON.stringify({ type: 'unsubscribed', topic: said }));
}

/** Sends a text; a connection that does not take it is dropped, so that its client comes again and resumes. */
export async function told(
  { push, connections }: Pick<Listening, 'push' | 'connections'>,
  connection_id: string,
  text: string,
): Promise<boolean> {
  const outcome = await push.send(connection_id, text);
  if (outcome === 'sent') return true;
  if (outcome === 'stuck') await hangUp({ push, connections }, connection_id);
  else await connections.forget(connection_id);
  return false;
}

/** What the client has, or the present; the caller may read the instance, or it does not exist. */
async function startOf(
  ports: Listening,
  { name }: Topic,
  { actor }: Connection,
  after: number | undefined,
): Promise<number> {
  const { state } = await findInstance(ports, name, actor);
  if (after === undefined) return state.seq;
  if (after <= state.seq) return after;
  const message = `must not be past the latest commit, which is ${state.seq}`;
  throw new Fault('invalid_request', `after ${message}.`, {
    issues: [{ path: 'after', message }],
    version: state.seq,
  });
}

async function write({ connections }: Listening, subscription: Subscription): Promise<void> {
  const outcome = await connections.subscribe(subscription);
  if (outcome === 'not_connected') throw DROPPED;
  if (outcome === 'too_many')
    throw new Fault(
      'too_many_requests',
      'This connection listens to too many topics. Unsubscribe from some.',
    );
}

interface Catching extends Occasion {
  readonly instance_id: string;
  readonly said: string;
}

/** G1 and G2. */
async function catchUp(ports: Listening, subscription: Subscription, catching: Catching): Promise<void> {
  const { connection_id, after, resumed } = subscription;
  const { instance_id, said, mostReplayed = MOST_REPLAYED } = catching;
  const end = (await ports.log.latest(instance_id))?.commit.seq ?? after;
  const start = Math.max(after, end - mostReplayed);
  // Without `after` the client counts from where it asked.
  const greeting = subscribed(said, resumed ? end : after, start > after ? { after: start } : {});
  if (!(await told(ports, connection_id, greeting))) return;
  let from: number | null = start;
  if (start < end) from = await replay(ports, connection_id, catching, start);
  for (let round = 0; from !== null; round++) {
    if ((await ports.connections.goLive(subscription, from)) !== 'behind') return;
    if (round === MOST_ROUNDS)
      throw new Fault('unavailable', 'The instance moves faster than it can be replayed. Subscribe again.');
    from = await replay(ports, connection_id, catching, from);
  }
}

/** Everything after a commit, in order. Returns the last one sent, or null if the connection is gone. */
async function replay(
  ports: Listening,
  connection_id: string,
  { instance_id, hasTime = () => true }: Catching,
  start: number,
): Promise<number | null> {
  for (let from = start; ; ) {
    const entries = await ports.log.after(instance_id, from, PAGE);
    for (const { commit } of entries) {
      if (!hasTime()) return hangUp(ports, connection_id); // G3
      for (const message of readTold(commit).messages)
        if (!(await told(ports, connection_id, textOf(message)))) return null;
      from = commit.seq;
    }
    if (entries.length < PAGE) return from;
  }
}

/** The client comes again, and resumes. */
export async function hangUp(
  { push, connections }: Pick<Listening, 'push' | 'connections'>,
  connection_id: string,
): Promise<null> {
  await connections.forget(connection_id);
  await push.close(connection_id);
  return null;
}

const subscribed = (topic: string, seq: number, more: { after?: number } = {}): string =>
  JSON.stringify({ type: 'subscribed', topic, seq, ...more });
