// A worker: takes the tasks of a role or an agent, calls a handler for each, and signals what the handler returns.
//   WK1  The topic only says that there is something; the inbox is read at the start, whenever the line was down, when
//       a place gets free, and now and then, since a lease that runs out is not announced.
//   WK2  A turn is worked on once by a worker, unless its handler failed.
import type { Backoff } from './backoff.ts';
import type { Client } from './create-client.ts';
import { StepgateError } from './error.ts';
import type { StepgateEvent } from './messages.ts';
import { newId } from './new-id.ts';
import { SettledTurns } from './settled-turns.ts';
import type { Subscription } from './subscription.ts';
import { type LogLevel, toConsole, type WorkerLog } from './worker-log.ts';
import { type Handle, type Outcome, Run, type RunParts } from './worker-run.ts';

export interface WorkerOptions {
  readonly client: Client;
  /** Whose tasks it takes: a role that its token holds, or the name of an agent. */
  readonly role?: string;
  readonly agent?: string;
  /** Called once for each turn, with all there is to know. */
  readonly handle: Handle;
  /** Part of the idempotency keys; give one that survives a restart, and that no other worker has. */
  readonly name?: string;
  /** How many tasks at a time; 1. */
  readonly concurrency?: number;
  /** After this long without a sign of life another worker may take a task; 60. */
  readonly lease_seconds?: number;
  /** How often the inbox is read although nothing was heard; 15,000. */
  readonly poll_ms?: number;
  /** How long one call of the handler may take, in milliseconds; as long as it likes. */
  readonly handle_ms?: number;
  /** How often the handler is called for one turn if it throws, takes too long or if its step is blocked; 3. */
  readonly tries?: number;
  readonly backoff?: Backoff;
  readonly log?: (entry: WorkerLog) => void;
}

export interface Worker {
  readonly name: string;
  /** Resolves once the inbox was read for the first time. */
  readonly ready: Promise<void>;
  /** Resolves when it has stopped; rejects if it may not take these tasks. */
  readonly closed: Promise<void>;
  /** The instances it is working on. */
  readonly working: readonly string[];
  /** Takes nothing more, lets the handlers finish for so long (30,000), then gives their tasks back. */
  stop(options?: { readonly grace_ms?: number }): Promise<void>;
}

const INBOX_PAGE = 50;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const createWorker = (options: WorkerOptions): Worker => new LiveWorker(options);

class LiveWorker implements Worker {
  readonly name: string;
  readonly ready: Promise<void>;
  readonly closed: Promise<void>;
  readonly #options: WorkerOptions;
  readonly #mine: string;
  readonly #runs = new Map<string, { run: Run; ended: Promise<void> }>();
  readonly #settled = new SettledTurns();
  readonly #subscription: Subscription;
  readonly #poll: ReturnType<typeof setInterval>;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #missed = false;
  #state: 'open' | 'stopping' | 'ended' = 'open';
  #end: (error?: { reason: unknown }) => void = () => {};
  #begin: () => void = () => {};

  constructor(options: WorkerOptions) {
    const { role, agent, client, name = newId(), poll_ms = 15_000 } = options;
    const mine = role ?? agent;
    if (mine === undefined || (role !== undefined && agent !== undefined))
      throw new TypeError('A worker takes the tasks of a role or of an agent: name one of them.');
    this.name = name;
    this.#options = options;
    this.#mine = mine;
    this.closed = new Promise((resolve, reject) => {
      this.#end = (error) => (error ? reject(error.reason as Error) : resolve());
    });
    this.ready = Promise.race([new Promise<void>((resolve) => (this.#begin = resolve)), this.closed]);
    for (const promise of [this.ready, this.closed]) promise.catch(() => {}); // heard through whichever is awaited
    this.#poll = setInterval(() => this.#look(), poll_ms);
    this.#subscription = client.subscribe(`role:${mine}`, {
      onEvent: (event) => this.#hear(event),
      onState: ({ state }) => {
        if (state === 'live') this.#look();
      },
    });
    this.#subscription.closed.catch((error: unknown) => this.#withoutLine(error));
    this.#look();
  }

  get working(): readonly string[] {
    return [...this.#runs.keys()];
  }

  async stop({ grace_ms = 30_000 } = {}): Promise<void> {
    if (this.#state === 'ended') return;
    this.#state = 'stopping';
    this.#quiet();
    const all = Promise.all([...this.#runs.values()].map(({ ended }) => ended)).then(() => true);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), grace_ms)));
    if (!(await Promise.race([all, late])))
      await Promise.all(
        [...this.#runs.values()].map(({ run }) => {
          run.interrupt('stopping');
          return run.release('The worker has stopped.');
        }),
      );
    clearTimeout(timer);
    this.#state = 'ended';
    this.#end();
  }

  #fail(reason: unknown): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#quiet();
    for (const { run } of this.#runs.values()) run.interrupt('stopping');
    this.#end({ reason });
  }

  #quiet(): void {
    clearInterval(this.#poll);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#subscription?.close();
  }

  /** Without a line the inbox is still read now and then; a refusal is the end. */
  #withoutLine(error: unknown): void {
    if (isRefusal(error)) this.#fail(error);
    else this.#log('warn', 'there are no live events; the inbox is read now and then', { error });
  }

  #hear({ type, instance_id, data: { turn } }: StepgateEvent): void {
    if (type === 'workflow.task.assigned' && typeof turn === 'number') this.#offer(instance_id, turn);
  }

  /** WK2. */
  #offer(instance_id: string, turn: number): void {
    if (this.#state !== 'open') return;
    const busy = this.#runs.get(instance_id);
    if (busy) return busy.run.hear(turn);
    if (this.#settled.has(instance_id, turn)) return;
    if (this.#runs.size >= (this.#options.concurrency ?? 1)) this.#missed = true;
    else this.#begun(instance_id);
  }

  #begun(instance_id: string): void {
    const run = new Run(this.#partsFor(instance_id), instance_id);
    const ended = run
      .run()
      .catch((error: unknown): Outcome => {
        this.#log('info', 'the task was not taken', { instance_id, error });
        return 'elsewhere';
      })
      .then((outcome) => this.#ended(instance_id, run, outcome));
    this.#runs.set(instance_id, { run, ended });
  }

  #ended(instance_id: string, run: Run, outcome: Outcome): void {
    this.#runs.delete(instance_id);
    if (outcome === 'answered' || outcome === 'failed')
      this.#settled.add(instance_id, run.turn, outcome === 'failed');
    if (this.#state !== 'open') return;
    if (outcome === 'superseded' || run.behind) this.#begun(instance_id);
    if (this.#missed) this.#look();
  }

  /** WK1. */
  #look(): void {
    if (this.#state !== 'open') return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = this.#readInbox()
      .catch((error: unknown) => {
        if (isRefusal(error)) this.#fail(error);
        else this.#log('warn', 'the inbox could not be read', { error });
      })
      .then(() => {
        this.#looking = null;
        this.#begin();
        if (!this.#lookAgain) return;
        this.#lookAgain = false;
        this.#look();
      });
  }

  async #readInbox(): Promise<void> {
    const { client } = this.#options;
    this.#missed = false;
    let next: string | null = null;
    do {
      const page: Awaited<ReturnType<Client['tasks']>> = await client.tasks({
        role: this.#mine,
        limit: INBOX_PAGE,
        ...(next === null ? {} : { next }),
      });
      for (const { instance_id, turn, not_before } of page.tasks) {
        if (not_before !== undefined && Date.parse(not_before) > Date.now()) this.#lookAt(not_before);
        else this.#offer(instance_id, turn);
      }
      next = page.next;
    } while (next !== null && !this.#missed && this.#state === 'open');
  }

  #lookAt(instant: string): void {
    const wait = Math.min(Math.max(Date.parse(instant) - Date.now(), 0), LONGEST_TIMER_MS);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#look();
    }, wait);
    this.#timers.add(timer);
  }

  #partsFor(instance_id: string): RunParts {
    const { client, handle, role, agent, lease_seconds = 60, tries = 3, handle_ms, backoff } = this.#options;
    return {
      client,
      handle,
      mine: this.#mine,
      as: role === undefined ? (agent === undefined ? {} : { agent }) : { role },
      name: this.name,
      lease_seconds,
      tries,
      handle_ms,
      backoff: backoff ?? { first_ms: 1_000, most_ms: 30_000 },
      random: Math.random,
      log: (level, message, more) => this.#log(level, message, { instance_id, ...more }),
    };
  }

  #log(level: LogLevel, message: string, more: Omit<WorkerLog, 'level' | 'message' | 'worker'>): void {
    const { log = toConsole } = this.#options;
    log({ level, message, worker: this.name, ...more });
  }
}

/** Trying again would not help. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StepgateError && [401, 403, 404].includes(error.status);
