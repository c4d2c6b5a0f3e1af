// Pushing to one WebSocket through the gateway's @connections endpoint.
// A connection that takes too long, or cannot be reached, is `stuck`: an answer for that connection alone.
import {
  type ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { Push } from '../ports.ts';

/** Long enough for the SDK's own retries after being throttled. */
const LONGEST_MS = 3_000;

export function createPush(client: ApiGatewayManagementApiClient, longest = LONGEST_MS): Push {
  return {
    async send(ConnectionId, Data) {
      try {
        await client.send(new PostToConnectionCommand({ ConnectionId, Data }), {
          abortSignal: AbortSignal.timeout(longest),
        });
        return 'sent';
      } catch (error) {
        return error instanceof GoneException ? 'gone' : 'stuck';
      }
    },
    async close(ConnectionId) {
      try {
        await client.send(new DeleteConnectionCommand({ ConnectionId }), {
          abortSignal: AbortSignal.timeout(longest),
        });
      } catch {
        // It is gone, or the gateway will end it; its next ping tells the client that we have forgotten it.
      }
    },
  };
}
