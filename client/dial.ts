// Opens one socket with a fresh token, or says why not.
import { StepgateError } from './error.ts';
import { type Token, tokenOf } from './request.ts';
import type { Socket, SocketConstructor } from './socket.ts';

export interface Dialling {
  readonly url: string;
  readonly token: Token;
  readonly WebSocket: SocketConstructor;
  /** Subprotocols stay out of access logs; a token that cannot be one goes into the query. */
  readonly token_in: 'protocol' | 'query';
  readonly timeout_ms: number;
}

export interface Line {
  readonly socket: Socket;
  /** For how long its token lasts, if it says so and a new one can be had. */
  readonly lasts_ms: number | null;
}

/** What the server looks for; it answers with the name that is no token. */
const PROTOCOL = 'stepgate';

export async function dial(dialling: Dialling, now: number): Promise<Line> {
  const { token, timeout_ms } = dialling;
  const secret = await tokenOf(token);
  const socket = socketWith(dialling, secret);
  await opened(socket, timeout_ms);
  return { socket, lasts_ms: typeof token === 'function' ? lifetimeOf(secret, now) : null };
}

function socketWith({ url, WebSocket, token_in }: Dialling, secret: string): Socket {
  if (token_in === 'protocol' && /^[\w.-]+$/.test(secret))
    return new WebSocket(url, [PROTOCOL, `${PROTOCOL}.token.${secret}`]);
  const at = new URL(url);
  at.searchParams.set('token', secret);
  return new WebSocket(at.href);
}

function opened(socket: Socket, timeout_ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (reason: string): void => {
      clearTimeout(timer);
      reject(
        new StepgateError(0, 'unreachable', `The WebSocket did not open: ${reason}`, { retryable: true }),
      );
    };
    const timer = setTimeout(() => {
      refuse('no answer in time');
      socket.close();
    }, timeout_ms);
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.addEventListener('error', ({ message }) => refuse(message ?? 'refused'));
    socket.addEventListener('close', ({ code }) => refuse(`closed with ${code}`));
  });
}

/** From the claims of a JWT; null for any other token, or one that does not end. */
function lifetimeOf(token: string, now: number): number | null {
  try {
    const claims = token.split('.')[1] ?? '';
    const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'));
    const { exp } = JSON.parse(text) as { exp?: unknown }; // read only to plan ahead; the server verifies
    return typeof exp === 'number' ? exp * 1_000 - now : null;
  } catch {
    return null;
  }
}
