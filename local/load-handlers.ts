// The functions that API Gateway calls, loaded into this process. Those of the stream have a thread of their own.
import { Fault } from '../shared/faults.ts';
import { fileOf, HTTP_FUNCTIONS, SOCKET_ROUTES } from '../shared/routes.ts';
import type { Handler, Resolve } from './gateway/handler.ts';

const NAMES = [
  ...HTTP_FUNCTIONS.map(fileOf),
  fileOf('mcp'),
  'websocket/authorize',
  ...new Set(Object.values(SOCKET_ROUTES).map((name) => `websocket/${name}`)),
];

/** Reads their environment as it is now. */
export async function loadHandlers(): Promise<ReadonlyMap<string, Handler>> {
  return new Map(await Promise.all(NAMES.map(async (name) => [name, await load(name)] as const)));
}

async function load(name: string): Promise<Handler> {
  const file = `../functions/${name}.ts`;
  const { handler } = (await import(file)) as { handler?: unknown }; // looked at below
  if (typeof handler !== 'function') throw new TypeError(`functions/${name}.ts exports no handler`);
  return handler as Handler; // every function of ours takes an event and a context
}

/** Those whose calls write no commits; after all others the stream may have something to read. */
const QUIET = ['http/reads', 'websocket/authorize', 'websocket/connection'];

/** Until they are loaded, callers are asked to try again. */
export function resolveWhenLoaded(
  loaded: () => ReadonlyMap<string, Handler> | undefined,
  wrote: () => void,
): Resolve {
  return (name) => {
    const handler = loaded()?.get(name);
    if (handler === undefined)
      throw new Fault('unavailable', 'The server is starting. Try again in a moment.');
    if (QUIET.includes(name)) return handler;
    return async (event, context) => {
      try {
        return await handler(event, context);
      } finally {
        wrote();
      }
    };
  };
}
