// The beginning and the end of a WebSocket, as API Gateway tells of them.
import type { Chance, Connections } from '../../shared/ports.ts';
import { logger } from './telemetry.ts';
import { connectionOf, type Handshake, protocolFor } from './websocket-token.ts';

export interface ConnectionEvent extends Handshake {
  readonly requestContext: {
    readonly connectionId: string;
    readonly routeKey: string;
    readonly authorizer?: unknown;
  };
}

interface Reply {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function connectionEvents(connections: Connections, chance: Pick<Chance, 'now'>) {
  return async (event: ConnectionEvent): Promise<Reply> => {
    const { connectionId, routeKey, authorizer } = event.requestContext;
    logger.info('websocket', { route: routeKey, connection_id: connectionId });
    if (routeKey === '$disconnect') {
      await connections.forget(connectionId);
      return { statusCode: 200 };
    }
    await connections.open(connectionOf(connectionId, authorizer), chance.now());
    const protocol = protocolFor(event);
    return { statusCode: 200, ...(protocol ? { headers: { 'Sec-WebSocket-Protocol': protocol } } : {}) };
  };
}
