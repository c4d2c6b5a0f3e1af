// A request's body, up to a limit.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../../shared/faults.ts';

export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.removeAllListeners('data').pause();
        reject(tooLarge(limit));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** Reads on to the end and keeps nothing. False if it was too much, or broken off. */
export async function discardRest(request: IncomingMessage, limit: number): Promise<boolean> {
  if (request.complete || request.destroyed) return request.complete;
  return new Promise((resolve) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return;
      request.pause();
      resolve(false);
    });
    request.once('end', () => resolve(true));
    request.once('close', () => resolve(false));
    request.resume();
  });
}

const EMPTY = Buffer.alloc(0);

const tooLarge = (limit: number): Fault =>
  new Fault('state_too_large', `The body is larger than ${Math.floor(limit / 1024)} KB. Send less at once.`, {
    limit,
  });
