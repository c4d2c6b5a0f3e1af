// The client for Node, where not every version has a WebSocket of its own.
import { WebSocket } from 'ws';
import { type Client, type ClientOptions, createClient as create } from './create-client.ts';
import type { SocketConstructor } from './socket.ts';

export * from './index.ts';

export const createClient = (options: ClientOptions): Client =>
  create({ WebSocket: WebSocket as unknown as SocketConstructor, ...options }); // its listeners take more than ours ask for
