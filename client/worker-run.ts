// One task from its assignment to its signal.
//   WR1  A signal names the turn it answers and carries a key made of it, so that it counts once, whoever repeats it.
//   WR2  Each call of the handler is a fresh one: with the context as it is then, and with nothing of the call before
//       but what was saved.
//   WR3  What a handler throws, leaves out or gets wrong is logged and becomes a `stay`.
import { type Backoff, delayOf, pause } from './backoff.ts';
import type { Client } from './create-client.ts';
import { StepgateError } from './error.ts';
import { isPassing } from './request.ts';
import type { AgentContext, Answer, JsonObject, Signal } from './shapes.ts';
import { isAnswered } from './worker-answered.ts';
import { codeOf, type Interruption, keepLease } from './worker-lease.ts';
import type { LogLevel } from './worker-log.ts';
import { type Handled, readHandled } from './worker-signal.ts';

export interface WorkerContext extends AgentContext {
  /** Aborted when its work is no longer wanted: the turn is over, the lease is lost, it took too long, or the worker stops. */
  readonly signal: AbortSignal;
  readonly client: Client;
  /** 1, and more when the same turn is tried again. */
  readonly try: number;
  /** What was missing when the step was to be completed in this turn. */
  readonly blocked?: Pick<Answer, 'reason' | 'missing_criteria'>;
  /** Saves into the step's data (`shared`: into the shared context) what the next call will find in `step_context`. */
  readonly save: (data: JsonObject) => Promise<void>;
}

export type Handle = (context: WorkerContext) => Promise<Handled | void> | Handled | void;

export interface RunParts {
  readonly client: Client;
  readonly handle: Handle;
  /** Whose tasks: a role or an agent. */
  readonly mine: string;
  readonly as: { readonly role?: string; readonly agent?: string };
  readonly name: string;
  readonly lease_seconds: number;
  readonly tries: number;
  readonly handle_ms: number | undefined;
  readonly backoff: Backoff;
  readonly random: () => number;
  readonly log: (level: LogLevel, message: string, more?: { error?: unknown; turn?: number }) => void;
}

/** `elsewhere`: it is not ours now. `failed`: the handler threw each time. */
export type Outcome = 'answered' | 'elsewhere' | 'failed' | Interruption;

/** Refusals after which there is nothing to say any more. Any other is of what the handler wants: a `stay` follows. */
const OVER = ['not_found', 'workflow_finished', 'unauthenticated'];

export class Run {
  readonly #parts: RunParts;
  readonly #id: string;
  /** The turn being answered; 0 until there is one. A claim may open another. */
  turn = 0;
  #known = false;
  #heard = 0;
  #stop = new AbortController();
  #why: Interruption | null = null;

  constructor(parts: RunParts, instance_id: string) {
    this.#parts = parts;
    this.#id = instance_id;
  }

  /** Is there an assignment after the one it answered? */
  get behind(): boolean {
    return this.turn > 0 && this.#heard > this.turn;
  }

  /** There is an assignment with this turn: anything older is over. */
  hear(turn: number): void {
    this.#heard = Math.max(this.#heard, turn);
    if (this.#known && turn > this.turn) this.interrupt('superseded');
  }

  interrupt(why: Interruption): void {
    this.#why ??= why;
    this.#stop.abort(new StepgateError(0, 'closed', `This turn is ${why}.`));
  }

  /** Gives the task back, if it is held. */
  async release(reason: string): Promise<void> {
    const { client } = this.#parts;
    if (this.turn === 0) return;
    await client.release(this.#id, { turn: this.turn, reason }, { tries: 2 }).catch(() => {}); // it runs out by itself
  }

  async run(): Promise<Outcome> {
    const { client, mine, as, lease_seconds } = this.#parts;
    const seen = await client.context(this.#id);
    if (!isFor(seen, mine)) return 'elsewhere';
    const { turn } = seen;
    const claimed = await client.claim(this.#id, { ...as, turn, lease_seconds });
    this.turn = turn;
    if (claimed.result === 'blocked') return 'failed';
    const context = await client.context(this.#id);
    if (!isFor(context, mine)) return 'elsewhere';
    this.turn = context.turn;
    this.#known = true;
    if (this.behind) return 'superseded';
    if (await isAnswered(client, context)) return 'answered';
    return this.#answer(context);
  }

  /** A sign of life three times in the time in which it is expected. */
  #hold({ lease_until, heartbeat_seconds }: AgentContext): () => Promise<void> {
    const { client, as, lease_seconds } = this.#parts;
    const waits = [lease_until ? lease_seconds : Infinity, heartbeat_seconds ?? Infinity];
    const every_ms = (Math.min(...waits) * 1_000) / 3;
    if (!Number.isFinite(every_ms)) return () => Promise.resolve();
    const interrupt = (why: Interruption): void => this.interrupt(why);
    return keepLease({
      client,
      instance_id: this.#id,
      turn: this.turn,
      lease_seconds,
      as,
      every_ms,
      interrupt,
    });
  }

  async #answer(first: AgentContext): Promise<Outcome> {
    const { tries, log } = this.#parts;
    const { turn } = this;
    let context = first;
    let blocked: Answer | null = null;
    for (let tried = 1; ; tried++) {
      const leave = this.#hold(context);
      const handled = await this.#call(context, tried, blocked);
      await leave();
      if (this.#why) return this.#why;
      if (handled === 'failed') return this.#stay('failed');
      const read = readHandled(handled);
      if ('problem' in read) {
        log('warn', `${read.problem}; it stays on "${context.current_step}"`, { turn });
        return this.#stay('answered', read.reply);
      }
      const answer = await this.#send(read.signal, tried);
      if (typeof answer === 'string') return answer;
      if (answer.result !== 'blocked') return 'answered';
      log('info', `blocked: ${answer.reason ?? ''}`, { turn });
      if (tried >= tries) return 'answered';
      blocked = answer;
      context = await this.#parts.client.context(this.#id);
      if (context.turn !== turn) return 'superseded';
    }
  }

  /** WR2, WR3. */
  async #call(context: AgentContext, tried: number, blocked: Answer | null): Promise<unknown> {
    const { client, as, tries, backoff, random, log } = this.#parts;
    const { turn } = this;
    const save = async (data: JsonObject): Promise<void> => {
      await client.signal(this.#id, { ...as, action: 'stay', turn, data });
    };
    for (let failed = 0; ; ) {
      const fresh = { ...context, client, save, try: tried + failed };
      try {
        return await this.#inTime(blocked ? { ...fresh, blocked } : fresh);
      } catch (error) {
        if (this.#why) return 'failed';
        failed++;
        log(failed < tries ? 'warn' : 'error', 'the handler failed', { error, turn });
        if (failed >= tries) return 'failed';
        await pause(delayOf(backoff, failed - 1, random()), this.#stop.signal).catch(() => {}); // looked at by whoever called
        if (this.#why) return 'failed';
      }
    }
  }

  /** A handler that takes longer than it may is let go of, as if it had thrown. */
  async #inTime(context: Omit<WorkerContext, 'signal'>): Promise<unknown> {
    const { handle, handle_ms } = this.#parts;
    const stop = this.#stop.signal;
    if (handle_ms === undefined) return handle({ ...context, signal: stop });
    const late = AbortSignal.timeout(handle_ms);
    const overdue = new Promise<never>((_, reject) => {
      late.onabort = () => reject(new Error('longer than handle_ms'));
    });
    return Promise.race([handle({ ...context, signal: AbortSignal.any([stop, late]) }), overdue]);
  }

  /** Sent until it is answered: what was worked out must not be lost with a connection. */
  async #send(signal: Signal, tried: number): Promise<Answer | Outcome> {
    const { client, as, backoff, random, log } = this.#parts;
    const { turn } = this;
    const body = { ...as, ...signal, turn };
    let number = tried;
    for (let failures = 0; ; ) {
      try {
        const answer = await client.signal(this.#id, body, { idempotency_key: this.#key(number) });
        if (!(answer.replayed && answer.result === 'blocked')) return answer;
        number++; // what blocked it before a restart may be there now
      } catch (error) {
        if (this.#why) return this.#why;
        const code = codeOf(error);
        if (code === 'idempotency_mismatch')
          number++; // said something else before a restart; this turn still counts
        else if (code === 'stale_turn') return 'superseded';
        else if (code === 'not_holder') return 'lost';
        else if (error instanceof StepgateError && isPassing(error, body)) {
          log('warn', `${signal.action ?? 'stay'} was not heard; trying again`, { error, turn });
          await pause(delayOf(backoff, failures++, random()), this.#stop.signal).catch(() => {});
          if (this.#why) return this.#why;
        } else {
          log('warn', `${signal.action ?? 'stay'} was refused`, { error, turn });
          return code !== null && OVER.includes(code) ? 'elsewhere' : this.#stay('answered', signal.reply);
        }
      }
    }
  }

  async #stay(outcome: Outcome, reply?: string): Promise<Outcome> {
    const { client, as } = this.#parts;
    const body = { ...as, action: 'stay', turn: this.turn, ...(reply === undefined ? {} : { reply }) };
    await client.signal(this.#id, body, { idempotency_key: `${this.#key(1)}:stay` }).catch(() => {}); // it stays anyway
    return outcome;
  }

  /** WR1. */
  #key(number: number): string {
    const key = `${this.#id}:${this.turn}:${this.#parts.name}`;
    return number === 1 ? key : `${key}:${number}`;
  }
}

const isFor = ({ status, assigned_to }: AgentContext, mine: string): boolean =>
  status === 'in_progress' && assigned_to.includes(mine);
