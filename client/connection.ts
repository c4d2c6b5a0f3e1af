// Keeps one WebSocket alive for as long as it is wanted.
//   K1  A lost line is dialled again after a growing, jittered wait; one that never said a word counts as failed.
//   K2  It is pinged before it can go idle; a line that does not answer is given up.
//   K3  Before its age or its token ends it, the next line is open: the old one closes only then.
import { type Backoff, delayOf, pause } from './backoff.ts';
import type { Line } from './dial.ts';
import { StepgateError } from './error.ts';
import { Keepalive, type Pulse } from './keepalive.ts';
import { type Message, readMessage } from './messages.ts';
import { OPEN, type Socket } from './socket.ts';

export interface ConnectionTiming extends Pulse {
  readonly most_age_ms: number;
  /** How long an old line still listens beside the new one. */
  readonly overlap_ms: number;
  readonly backoff: Backoff;
}

export interface Listener {
  /** A line is open, on which nothing was said yet. */
  up(): void;
  heard(message: Message): void;
  /** It is down, and dialled again after a while. */
  down(retry_in_ms: number): void;
  /** The time to repeat what should be known on the other side. */
  tick(): void;
  /** It cannot be had: the token is refused. */
  failed(error: unknown): void;
}

export interface ConnectionParts {
  readonly dial: () => Promise<Line>;
  /** Throws if trying again is pointless. */
  readonly probe: () => Promise<void>;
  readonly timing: ConnectionTiming;
  readonly random: () => number;
}

const SHORTEST_LIFE_MS = 5_000;

/** A line with what was set up around it. */
interface Held {
  readonly socket: Socket;
  readonly keepalive: Keepalive;
  readonly renewal: ReturnType<typeof setTimeout>;
}

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #listener: Listener;
  #stop: AbortController | null = null;
  #held: Held | null = null;
  #dialling = false;
  /** Tries and lines in a row that came to nothing. */
  #failures = 0;

  constructor(parts: ConnectionParts, listener: Listener) {
    this.#parts = parts;
    this.#listener = listener;
  }

  /** From now on it is wanted. */
  open(): void {
    if (this.#stop) return;
    this.#stop = new AbortController();
    void this.#connect(this.#stop.signal);
  }

  /** What is said while it is down is lost: `up` is the time to say it again. */
  send(message: unknown): void {
    const { socket } = this.#held ?? {};
    if (socket?.readyState === OPEN) socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.#failures = 0;
    this.#let()?.close(1000);
  }

  /** This line is of no use: its token has run out. */
  redial(): void {
    if (this.#held && this.#stop) this.#lost(this.#held.socket, this.#stop.signal);
  }

  async #connect(stop: AbortSignal): Promise<void> {
    if (this.#dialling) return;
    this.#dialling = true;
    const { dial, timing, random } = this.#parts;
    try {
      for (let failed = this.#failures; ; failed++) {
        if (failed > 0) {
          const wait = delayOf(timing.backoff, failed - 1, random());
          if (!this.#held) this.#listener.down(wait);
          await pause(wait, stop);
        }
        try {
          const line = await dial();
          if (stop.aborted) line.socket.close(1000);
          else this.#adopt(line, stop);
          return;
        } catch (error) {
          stop.throwIfAborted();
          await this.#failIfPointless(error, failed);
          stop.throwIfAborted();
        }
      }
    } catch (error) {
      if (!stop.aborted) this.#fail(error);
    } finally {
      this.#dialling = false;
    }
  }

  /** A browser does not say why a socket was refused; an HTTP call with the same token does. */
  async #failIfPointless(error: unknown, failed: number): Promise<void> {
    if (!(error instanceof StepgateError) || !error.retryable) throw error;
    if (failed > 0) await this.#parts.probe();
  }

  #fail(error: unknown): void {
    this.close();
    this.#listener.failed(error);
  }

  #adopt({ socket, lasts_ms }: Line, stop: AbortSignal): void {
    const { timing } = this.#parts;
    const old = this.#let();
    if (old) setTimeout(() => old.close(1000), timing.overlap_ms);
    const lost = (): void => this.#lost(socket, stop);
    const ping = (): void => {
      this.send({ action: 'ping' });
      this.#listener.tick();
    };
    const life = Math.min(timing.most_age_ms, Math.max(SHORTEST_LIFE_MS, (lasts_ms ?? Infinity) * 0.8));
    const keepalive = new Keepalive(timing, ping, lost);
    this.#held = { socket, keepalive, renewal: setTimeout(() => void this.#connect(stop), life) };
    socket.addEventListener('close', lost);
    socket.addEventListener('message', ({ data }) => {
      if (stop.aborted) return;
      keepalive.heard();
      const message = readMessage(data);
      if (message?.kind !== 'error') this.#failures = 0;
      if (message) this.#listener.heard(message);
    });
    this.#listener.up();
  }

  #lost(socket: Socket, stop: AbortSignal): void {
    if (this.#held?.socket !== socket) return;
    this.#let()?.close();
    this.#failures++;
    void this.#connect(stop);
  }

  /** Lets go of the line that is held. */
  #let(): Socket | null {
    const held = this.#held;
    this.#held = null;
    if (!held) return null;
    held.keepalive.stop();
    clearTimeout(held.renewal);
    return held.socket;
  }
}
