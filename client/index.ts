// The client for browsers. It also works in Node, given a WebSocket: client/node.ts brings one.
export {
  type Client,
  type ClientOptions,
  createClient,
  type SignalOptions,
  type Timing,
} from './create-client.ts';
export { type ErrorCode, StepgateError } from './error.ts';
export type { EventsOptions } from './events-of.ts';
export type { StepgateEvent } from './messages.ts';
export type { CallOptions, Token, WriteOptions } from './request.ts';
export type * from './shapes.ts';
export type { Socket, SocketConstructor } from './socket.ts';
export type { SubscribeOptions, Subscription, SubscriptionState, Topic } from './subscription.ts';
export { createWorker, type Worker, type WorkerOptions } from './worker.ts';
export type { WorkerLog } from './worker-log.ts';
export type { Handle, WorkerContext } from './worker-run.ts';
export type { Handled } from './worker-signal.ts';
