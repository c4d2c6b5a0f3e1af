// What comes over a WebSocket: read, answered over the same socket, never a crash.
//   WM1  Whatever is wrong with a message is told to its sender as an `error`.
//   WM2  Once the token has run out, nothing is done but to say so and hang up.
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { DROPPED, hangUp, type Listening, subscribe, told, unsubscribe } from '../../shared/app/subscribe.ts';
import { tell } from '../../shared/app/tell.ts';
import type { App } from '../../shared/app/app.ts';
import { invalidRequest, plainJson, strict } from '../../shared/engine/index.ts';
import { Fault } from '../../shared/faults.ts';
import type { Connection } from '../../shared/ports.ts';
import { problemOf } from './problems.ts';
import { logger } from './telemetry.ts';
import { connectionOf } from './websocket-token.ts';

export interface MessageEvent {
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: { readonly connectionId: string; readonly authorizer?: unknown };
}

/** For the last push and for hanging up. */
const TIME_TO_END_MS = 5_000;

const request_id = z.string().max(200).optional();
const topic = z.string().min(1).max(300);

const ACTIONS = {
  subscribe: strict({ action: z.string(), request_id, topic, after: z.int().nonnegative().optional() }),
  unsubscribe: strict({ action: z.string(), request_id, topic }),
  signal: strict({
    action: z.string(),
    request_id,
    instance_id: z.string().min(1).max(200),
    idempotency_key: z.string().optional(),
    signal: z.unknown(),
  }),
  ping: strict({ action: z.string(), request_id }),
};
type Action = keyof typeof ACTIONS;

/** What every message may carry, so that an error can say which one it is about. */
const Echo = z.object({
  action: z.string().optional().catch(undefined),
  request_id: request_id.catch(undefined),
  topic: topic.optional().catch(undefined),
});

export type SocketPorts = App & Listening;

export function messageEvents(ports: SocketPorts) {
  const { chance, connections } = ports;

  async function act(
    connection: Connection,
    action: Action,
    message: unknown,
    hasTime: () => boolean,
  ): Promise<object | null> {
    switch (action) {
      case 'subscribe': {
        const asked = read('subscribe', message);
        await subscribe(ports, connection, asked, { now: chance.now(), id: chance.id(), hasTime });
        return null;
      }
      case 'unsubscribe':
        await unsubscribe(ports, connection, read('unsubscribe', message).topic);
        return null;
      case 'signal': {
        const { instance_id, signal, idempotency_key } = read('signal', message);
        const said = { instance_id, type: 'signal', body: signal, caller: connection.actor } as const;
        return { type: 'result', ...(await tell(ports, { ...said, key: idempotency_key })) };
      }
      case 'ping':
        read('ping', message);
        if ((await connections.find(connection.connection_id)) === null) throw DROPPED;
        return { type: 'pong' };
    }
  }

  return async (
    event: MessageEvent,
    context?: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<{ statusCode: number }> => {
    const hasTime = () => (context?.getRemainingTimeInMillis() ?? Number.POSITIVE_INFINITY) > TIME_TO_END_MS;
    const { connectionId } = event.requestContext;
    const started = performance.now();
    let echo: z.infer<typeof Echo> = {};
    let result = 'ok';
    try {
      const connection = connectionOf(connectionId, event.requestContext.authorizer);
      if (connection.expires_at * 1000 <= Date.parse(chance.now())) throw EXPIRED;
      const message = jsonIn(event);
      echo = Echo.catch({}).parse(message);
      const reply = await act(connection, actionIn(echo.action), message, hasTime);
      if (reply !== null)
        await told(ports, connectionId, JSON.stringify({ ...reply, request_id: echo.request_id }));
    } catch (error) {
      const { type: _type, title: _title, status, detail, ...rest } = problemOf(error);
      result = rest.code;
      if (status >= 500) logger.error('failed', { error: causeOf(error) });
      const { action: _action, ...about } = echo;
      await told(ports, connectionId, JSON.stringify({ type: 'error', ...about, ...rest, message: detail }));
      if (error === EXPIRED || error === DROPPED) await hangUp(ports, connectionId);
    }
    logger.info('websocket', {
      route: Object.hasOwn(ACTIONS, echo.action ?? '') ? echo.action : '$default',
      result,
      latency_ms: Math.round(performance.now() - started),
      connection_id: connectionId,
    });
    return { statusCode: 200 };
  };
}

const EXPIRED = new Fault('unauthenticated', 'The token has expired. Connect again with a new one.');

function jsonIn({ body, isBase64Encoded }: MessageEvent): unknown {
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString('utf8') : (body ?? '');
  try {
    return plainJson(JSON.parse(text), 'message');
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('invalid_request', 'The message is not JSON.', {
      issues: [{ path: '(message)', message: 'is not JSON' }],
    });
  }
}

function actionIn(action: string | undefined): Action {
  if (action !== undefined && Object.hasOwn(ACTIONS, action)) return action as Action; // a key of it, just checked
  const message = `must be one of ${Object.keys(ACTIONS).join(', ')}`;
  throw new Fault('invalid_request', `action ${message}.`, { issues: [{ path: 'action', message }] });
}

function read<A extends Action>(action: A, message: unknown): z.output<(typeof ACTIONS)[A]> {
  const parsed = ACTIONS[action].safeParse(message);
  if (!parsed.success) throw invalidRequest(parsed.error, `${action} message`, '(message)');
  return parsed.data as z.output<(typeof ACTIONS)[A]>; // TypeScript cannot tie the schema to A
}

/** For our logs: what the store said, not what the caller is told. */
const causeOf = (error: unknown): Error =>
  error instanceof Fault && error.cause instanceof Error ? error.cause : (error as Error); // only logged
