// $connect and $disconnect: remembers who is connected, and forgets.
import { chance } from '../chance.ts';
import { connectionEvents } from '../edge/websocket-connection.ts';
import { wireConnections } from '../wiring.ts';

export const handler = connectionEvents(wireConnections(process.env), chance);
