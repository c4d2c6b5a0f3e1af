// What comes over the socket, told apart. Anything else is ignored: a newer server may say more.
import { errorOf, recordOf, statusOf, type StepgateError } from './error.ts';
import type { Answer, EventType, JsonObject } from './shapes.ts';

/** An event as the caller gets it. */
export interface StepgateEvent {
  readonly id: string;
  readonly type: EventType;
  readonly instance_id: string;
  readonly workflow_id: string;
  /** The commit it belongs to. */
  readonly seq: number;
  readonly at: string;
  readonly data: JsonObject;
}

/** An event on the wire: how many its commit has, and whether it was too large to come along. */
export interface WireEvent extends StepgateEvent {
  readonly of?: number;
  readonly notice?: string;
}

export type Message =
  | { readonly kind: 'event'; readonly event: WireEvent }
  | { readonly kind: 'subscribed'; readonly topic: string; readonly seq: number | null }
  | { readonly kind: 'result'; readonly request_id: string; readonly answer: Answer }
  | {
      readonly kind: 'error';
      readonly request_id?: string;
      readonly topic?: string;
      readonly error: StepgateError;
    }
  | { readonly kind: 'pong' };

export function readMessage(data: unknown): Message | null {
  const body = recordOf(parse(data));
  const { type, topic, request_id, seq } = body;
  switch (type) {
    case 'pong':
      return { kind: 'pong' };
    case 'subscribed':
      return { kind: 'subscribed', topic: String(topic), seq: typeof seq === 'number' ? seq : null };
    case 'result':
      return { kind: 'result', request_id: String(request_id), answer: answerIn(body) };
    case 'error':
      return {
        kind: 'error',
        ...(typeof request_id === 'string' ? { request_id } : {}),
        ...(typeof topic === 'string' ? { topic } : {}),
        error: refusalIn(body),
      };
    default:
      return isEvent(body) ? { kind: 'event', event: body } : null;
  }
}

/** What the caller sees of it. */
export function plain({ id, type, instance_id, workflow_id, seq, at, data }: WireEvent): StepgateEvent {
  return { id, type, instance_id, workflow_id, seq, at, data: data ?? {} };
}

const answerIn = ({ type: _type, request_id: _id, ...answer }: Record<string, unknown>): Answer =>
  answer as unknown as Answer; // the server's word, as over HTTP

const refusalIn = ({ type: _type, request_id: _id, topic: _topic, ...problem }: Record<string, unknown>) =>
  errorOf(statusOf(problem['code']), problem);

function isEvent(body: Record<string, unknown>): body is Record<string, unknown> & WireEvent {
  return (
    typeof body['id'] === 'string' &&
    typeof body['type'] === 'string' &&
    typeof body['instance_id'] === 'string' &&
    typeof body['seq'] === 'number'
  );
}

function parse(data: unknown): unknown {
  try {
    return JSON.parse(String(data)) as unknown;
  } catch {
    return undefined;
  }
}
