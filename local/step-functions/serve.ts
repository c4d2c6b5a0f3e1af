// The Step Functions endpoint: AWS JSON 1.0 over HTTP, for the unmodified SDK client.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ApiError } from './api.ts';

export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

type Operations = ReadonlyMap<string, (input: unknown) => Promise<unknown>>;

const TARGET = 'AWSStepFunctions.';
const MOST_BYTES = 1024 * 1024;

/** On a free port of this machine alone. */
export async function serveStepFunctions(operations: Operations): Promise<Endpoint> {
  const server = createServer((request, response) => {
    void answer(operations, request).then(
      (body) => write(response, 200, body),
      (error: unknown) => write(response, ...problemOf(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(operations: Operations, request: IncomingMessage): Promise<unknown> {
  const target = String(request.headers['x-amz-target'] ?? '');
  const run = target.startsWith(TARGET) ? operations.get(target.slice(TARGET.length)) : undefined;
  const text = await bodyOf(request);
  if (!run) throw new ApiError('UnknownOperationException', `"${target}" is not supported here.`);
  return run(parse(text));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new ApiError('RequestEntityTooLargeException', 'The request is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('SerializationException', 'The request is not JSON.');
  }
}

function problemOf(error: unknown): [number, object] {
  if (error instanceof ApiError) return [400, { __type: error.type, message: error.message }];
  const message = error instanceof Error ? error.message : String(error);
  return [500, { __type: 'InternalServerException', message }];
}

function write(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
}
