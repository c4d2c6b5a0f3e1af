// Pings an open line, and notices when nobody answers any more.

export interface Pulse {
  readonly ping_ms: number;
  readonly pong_ms: number;
}

export class Keepalive {
  readonly #pulse: Pulse;
  readonly #dead: () => void;
  readonly #interval: ReturnType<typeof setInterval>;
  #deadline: ReturnType<typeof setTimeout> | null = null;

  constructor(pulse: Pulse, ping: () => void, dead: () => void) {
    this.#pulse = pulse;
    this.#dead = dead;
    this.#interval = setInterval(() => {
      this.#deadline ??= setTimeout(this.#dead, this.#pulse.pong_ms);
      ping();
    }, pulse.ping_ms);
  }

  /** Whatever was said, the other side is there. */
  heard(): void {
    if (this.#deadline) clearTimeout(this.#deadline);
    this.#deadline = null;
  }

  stop(): void {
    this.heard();
    clearInterval(this.#interval);
  }
}
