// What the world is told of a commit: its events as messages, the same on the socket and on the bus.
//   PB1  A message's id is the same however often it is sent: `<instance>:<seq>.<index>`.
//   PB2  What is too large for one message is told of by a notice with its id, to be read over HTTP.
import * as z from 'zod';
import type { JsonObject } from '../engine/index.ts';
import type { Message } from '../ports.ts';

/** Where an instance exists: inside a session only, until that is committed; nowhere once it is cancelled. */
export type Scope = 'everywhere' | 'session' | 'nowhere';

/** A commit as its listeners need it: whose it is, and what to say. */
export interface Told {
  readonly instance_id: string;
  readonly workflow_id: string;
  readonly definition: string;
  readonly owner: string;
  readonly created_by: string;
  readonly session_name: string | null;
  readonly scope: Scope;
  /** While it is hidden in a session: whose that is. */
  readonly session_owner?: string | null;
  /** Heard on these topics alone, by whoever may listen to them. */
  readonly only?: readonly string[];
  readonly seq: number;
  readonly messages: readonly Message[];
}

const Listened = z.object({
  seq: z.int().positive(),
  at: z.string(),
  events: z.array(z.object({ type: z.string(), data: z.custom<JsonObject>(isRecord) })),
  state: z.object({
    instance_id: z.string(),
    workflow_id: z.string(),
    definition: z.string(),
    owner: z.string(),
    created_by: z.string(),
    session_name: z.string().nullable(),
  }),
});

/** Reads only what it needs: the whole state is not parsed for each listener. Throws on anything else. */
export function readTold(commit: unknown): Told {
  const { seq, at, events, state } = Listened.parse(commit);
  const { instance_id, workflow_id } = state;
  const messages = events.map(({ type, data }, index) => ({
    id: `${instance_id}:${seq}.${index}`,
    type,
    instance_id,
    workflow_id,
    seq,
    of: events.length,
    at,
    data,
  }));
  return { ...state, scope: state.session_name === null ? 'everywhere' : 'session', seq, messages };
}

/** 128 KB is the limit of API Gateway; some of it is left for what it adds. */
const MOST_BYTES = 120 * 1024;
/** No UTF-16 unit takes more than three bytes in UTF-8: shorter texts need no count. */
const MAX_BYTES_PER_UNIT = 3;

/** PB2. */
export function textOf(message: Message): string {
  const text = JSON.stringify(message);
  if (text.length * MAX_BYTES_PER_UNIT <= MOST_BYTES || Buffer.byteLength(text) <= MOST_BYTES) return text;
  const { data: _data, ...rest } = message;
  const { instance_id, seq } = rest;
  const href = `/api/workflows/${encodeURIComponent(instance_id)}/history?after=${seq - 1}&limit=1`;
  return JSON.stringify({ ...rest, notice: 'too_large', href });
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
