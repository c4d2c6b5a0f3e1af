// Topics: what a connection can listen to, and which topics an event belongs to.
//   TP1  An instance inside a session is heard on its own topic and on its session's, nowhere else.
import { type Actor, isAdmin } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Message } from '../ports.ts';
import type { Told } from './publish-told.ts';

const KINDS = ['instance', 'user', 'role', 'session'] as const;
type Kind = (typeof KINDS)[number];

export interface Topic {
  readonly kind: Kind;
  readonly name: string;
}

const MOST_CHARACTERS = 300;

export const topicKey = ({ kind, name }: Topic): string => `${kind}:${name}`;
export const instanceTopic = (instance_id: string): string =>
  topicKey({ kind: 'instance', name: instance_id });

/** As the caller may name it: `user:me` is the caller. Whatever is not theirs to hear does not exist for them. */
export function readTopic(text: unknown, caller: Actor): Topic {
  const said = typeof text === 'string' && text.length <= MOST_CHARACTERS ? text : '';
  const colon = said.indexOf(':');
  const kind = KINDS.find((known) => known === said.slice(0, colon));
  const name = said.slice(colon + 1);
  if (kind === undefined || name === '') {
    const message = 'must be instance:<id>, user:me, role:<role> or session:<name>';
    throw new Fault('invalid_request', `topic ${message}.`, { issues: [{ path: 'topic', message }] });
  }
  const heard = { kind, name: kind === 'user' && name === 'me' ? caller.sub : name };
  if (!mayAsk(heard, caller)) throw noTopic(said);
  return heard;
}

export const noTopic = (topic: string): Fault =>
  new Fault('not_found', `There is no topic "${topic}" that you may hear.`, { topic });

function mayAsk({ kind, name }: Topic, caller: Actor): boolean {
  switch (kind) {
    case 'instance':
      return true; // judged on the instance itself
    case 'user':
      return name === caller.sub;
    case 'role':
      return caller.roles.includes(name) || isAdmin(caller);
    case 'session':
      return true; // judged on the session itself
  }
}

/** The keys of the topics on which one message of a commit is heard. */
export function topicsOf(told: Told, message: Message): readonly string[] {
  const { instance_id, owner, created_by, session_name } = told;
  if (told.only) return told.only;
  const own = instanceTopic(instance_id);
  const session = session_name === null ? [] : [topicKey({ kind: 'session', name: session_name })];
  if (told.scope !== 'everywhere') return [own, ...session];
  const people = owner === created_by ? [owner] : [owner, created_by];
  return [
    own,
    ...session,
    ...people.map((name) => topicKey({ kind: 'user', name })),
    ...rolesOf(told, message).map((name) => topicKey({ kind: 'role', name })),
  ];
}

/** Assignments, claims and messages name whom they are for; a release is of those who are assigned again with it. */
function rolesOf({ messages }: Told, { type, data }: Message): readonly string[] {
  if (type === 'workflow.task.assigned') return textIn(data, 'assigned_to_role');
  if (type === 'workflow.task.claimed') return textIn(data, 'role');
  if (type === 'workflow.message') return textIn(data, 'assigned_to');
  if (type !== 'workflow.task.released') return [];
  const again = messages.filter((other) => other.type === 'workflow.task.assigned');
  return [...new Set(again.flatMap((other) => textIn(other.data, 'assigned_to_role')))];
}

function textIn(data: Message['data'], key: string): string[] {
  const values = [data[key]].flat();
  return values.filter((value) => typeof value === 'string');
}
