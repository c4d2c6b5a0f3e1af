// One open socket: its limits, its messages on their way to functions, and what is sent to it.
//   S1  A socket that does not take what is sent to it is cut off: nobody waits for it longer than the limit.
//   S2  However it ends, `$disconnect` is told once, after the messages it sent have been heard.
import type { RawData, WebSocket } from 'ws';
import type { Peer } from './socket-event.ts';

export interface SocketLimits {
  readonly message_bytes: number;
  readonly idle_ms: number;
  readonly life_ms: number;
  /** How long a push may wait for the socket to take it. */
  readonly push_ms: number;
  /** Messages of one socket being handled at once; further ones wait in the socket. */
  readonly in_flight: number;
}

/** API Gateway's own, but for the last two, which it does not tell. */
export const SOCKET_LIMITS: SocketLimits = {
  message_bytes: 128 * 1024,
  idle_ms: 10 * 60_000,
  life_ms: 2 * 3_600_000,
  push_ms: 2_000,
  in_flight: 32,
};

export interface Listeners {
  /** Tells the function; an accident there is its own affair. */
  readonly message: (body: string) => Promise<void>;
  readonly gone: (end: { readonly code: number; readonly reason: string }) => Promise<void>;
}

export class LiveConnection {
  readonly peer: Peer;
  readonly authorizer: object;
  /** Settled when `$disconnect` has been told. */
  readonly ended: Promise<void>;
  last_active_at: number;
  readonly #socket: WebSocket;
  readonly #limits: SocketLimits;
  readonly #waiting: string[] = [];
  readonly #handling = new Set<Promise<void>>();
  /** Called whenever nothing is being handled. */
  #quiet = () => {};
  #idle: NodeJS.Timeout;
  readonly #life: NodeJS.Timeout;

  constructor(socket: WebSocket, peer: Peer, authorizer: object, limits: SocketLimits, listeners: Listeners) {
    this.peer = peer;
    this.authorizer = authorizer;
    this.last_active_at = peer.connected_at;
    this.#socket = socket;
    this.#limits = limits;
    this.#idle = this.#idleTimer();
    this.#life = setTimeout(() => this.close(1001, 'Going away'), limits.life_ms);
    socket.on('message', (data, binary) => this.#hear(data, binary, listeners.message));
    socket.on('ping', () => this.#touch());
    socket.on('error', () => {}); // 'close' follows
    this.ended = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        clearTimeout(this.#idle);
        clearTimeout(this.#life);
        const leave = () => void listeners.gone({ code, reason: reason.toString() }).then(resolve);
        if (this.#handling.size === 0) leave();
        else this.#quiet = leave;
      });
    });
  }

  /** True once the socket has taken the bytes. */
  async send(text: string): Promise<boolean> {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.#socket.terminate();
        resolve(false);
      }, this.#limits.push_ms);
      this.#socket.send(text, (error) => {
        clearTimeout(late);
        if (!error) this.#touch();
        resolve(!error);
      });
    });
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #hear(data: RawData, binary: boolean, message: Listeners['message']): void {
    this.#touch();
    if (binary) return this.close(1003, 'Binary messages are not supported');
    const body = Array.isArray(data)
      ? Buffer.concat(data).toString()
      : Buffer.from(data as Buffer).toString(); // ws gives Buffers unless told otherwise
    this.#waiting.push(body);
    this.#next(message);
  }

  /** What the socket had read before it could be paused waits here. */
  #next(message: Listeners['message']): void {
    while (this.#handling.size < this.#limits.in_flight) {
      const body = this.#waiting.shift();
      if (body === undefined) break;
      const handled = message(body).finally(() => {
        this.#handling.delete(handled);
        this.#next(message);
      });
      this.#handling.add(handled);
    }
    if (this.#waiting.length > 0) this.#socket.pause();
    else if (this.#socket.isPaused) this.#socket.resume();
    if (this.#handling.size === 0) this.#quiet();
  }

  #touch(): void {
    this.last_active_at = Date.now();
    this.#idle.refresh();
  }

  #idleTimer(): NodeJS.Timeout {
    return setTimeout(() => this.close(1001, 'Idle for too long'), this.#limits.idle_ms);
  }
}
