// Signals over the socket: each is said again, under the same key, until it is answered.
import { delayOf, pause } from './backoff.ts';
import { StepgateError } from './error.ts';
import type { Message } from './messages.ts';
import { isPassing, type Transport, type WriteOptions } from './request.ts';
import type { Answer, Signal } from './shapes.ts';

interface Waiting {
  readonly message: unknown;
  readonly answer: (answer: Answer) => void;
  readonly refuse: (error: unknown) => void;
}

export class SocketSignals {
  readonly #transport: Transport;
  readonly #send: (message: unknown) => void;
  readonly #waiting = new Map<string, Waiting>();

  constructor(transport: Transport, send: (message: unknown) => void) {
    this.#transport = transport;
    this.#send = send;
  }

  async signal(instance_id: string, signal: Signal, options: WriteOptions = {}): Promise<Answer> {
    const { tries, backoff, random, newId } = this.#transport;
    const idempotency_key = options.idempotency_key ?? newId();
    for (let tried = 0; ; tried++) {
      try {
        return await this.#ask({ action: 'signal', instance_id, idempotency_key, signal }, options);
      } catch (error) {
        const hopeful = error instanceof StepgateError && isPassing(error, signal);
        if (!hopeful || tried + 1 >= (options.tries ?? tries)) throw error;
        await pause(delayOf(backoff, tried, random()), options.signal);
      }
    }
  }

  /** A new line is open: whatever is unanswered may never have arrived. */
  again(): void {
    for (const { message } of this.#waiting.values()) this.#send(message);
  }

  hear(message: Extract<Message, { kind: 'result' | 'error' }>): void {
    const waiting = this.#waiting.get(message.request_id ?? '');
    if (message.kind === 'result') waiting?.answer(message.answer);
    else waiting?.refuse(message.error);
  }

  failAll(error: unknown): void {
    for (const { refuse } of this.#waiting.values()) refuse(error);
  }

  async #ask(
    body: object,
    { signal, timeout_ms = this.#transport.timeout_ms }: WriteOptions,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    const request_id = this.#transport.newId();
    const message = { ...body, request_id };
    let stop: () => void = () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise((answer, refuse) => {
        const late = new StepgateError(0, 'timeout', 'The signal was not answered in time.', {
          retryable: true,
        });
        timer = setTimeout(() => refuse(late), timeout_ms);
        stop = () => refuse(signal?.reason as Error);
        signal?.addEventListener('abort', stop);
        this.#waiting.set(request_id, { message, answer, refuse });
        this.#send(message);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      this.#waiting.delete(request_id);
    }
  }
}
