// subscribe, unsubscribe, signal, ping, and whatever else is said over a WebSocket.
import { messageEvents } from '../edge/websocket.ts';
import { dynamoClient, wire, wireSockets } from '../wiring.ts';

const client = dynamoClient();

export const handler = messageEvents({
  ...wire(process.env, client),
  ...wireSockets(process.env, client),
});
