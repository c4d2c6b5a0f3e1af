// Runs executions: calls their functions, keeps their timers, and journals every rest before it acts on it.
//   RN1  Nothing happens for a rest that is not in the journal, so a runner that is killed at any point can be
//       followed by another: what was under way is done again, what was waited for is waited for again.
//   RN2  One execution takes one step at a time. What comes late, for a try that is over, changes nothing.
import type { Json } from '../../shared/engine/index.ts';
import { abort, begin, fail, proceed, succeed } from './advance.ts';
import type { Moment } from './arrive.ts';
import type { Clock } from './clock.ts';
import { type Execution, type Running, type TaskPhase, wakesAt } from './execution.ts';
import type { Journal } from './journal.ts';
import { type Machine, readMachine } from './machine.ts';
import { HEARTBEAT_TIMEOUT, StateError, thrown, TIMEOUT } from './state-error.ts';

/** Calls a function with a payload; what it throws is the task's failure. */
export type Invoke = (functionName: string, payload: unknown) => Promise<unknown>;

export interface RunnerOptions {
  readonly machine: Machine;
  readonly journal: Journal;
  readonly invoke: Invoke;
  readonly clock: Clock;
  readonly id: () => string;
  readonly random: () => number;
  /** Told what goes wrong behind everyone's back. */
  readonly report?: (message: string, error: unknown) => void;
}

/** How a task whose token came back ended. */
export type TaskEnd = { readonly output: Json } | { readonly error: string; readonly cause: string };

export interface Runner {
  /** Null if the name is taken. */
  start(name: string, input: string): Promise<Execution | null>;
  /** False if that try is over. */
  endTask(name: string, id: string, end: TaskEnd): Promise<boolean>;
  beat(name: string, id: string): Promise<boolean>;
  /** Answers with what it has become; null if it was not running. */
  stop(name: string, error: string | null, cause: string | null): Promise<Execution | null>;
  /** Goes on with all that had not ended. */
  takeUp(): Promise<number>;
  /** From now on nothing happens any more; what is in the journal stays there. */
  close(): Promise<void>;
}

interface Live {
  readonly machine: Machine;
  running: Running;
  cancel: () => void;
  queue: Promise<unknown>;
}

/** Null: leave everything as it is. */
type Step = (machine: Machine, running: Running, moment: Moment) => Promise<Execution | null>;

/** After the journal could not be written to. */
const RETRY_MS = 1_000;

export function createRunner(options: RunnerOptions): Runner {
  const { machine, journal, invoke, clock, id, random, report = () => {} } = options;
  const live = new Map<string, Live>();
  let closed = false;
  const moment = (): Moment => ({ now: clock.now(), id, random });

  /** RN2. Answers with what the execution has become, or null if nothing was done. */
  function take(name: string, step: Step): Promise<Execution | null> {
    const one = live.get(name);
    if (!one || closed) return Promise.resolve(null);
    const mine = one.queue.then(async () => {
      if (closed || live.get(name) !== one) return null;
      const next = await step(one.machine, one.running, moment());
      if (next === null || closed) return null;
      const written = await journal.write(next);
      if (closed) return null;
      one.cancel();
      if (!written) {
        live.delete(name);
        return adopt(name).then(() => take(name, step));
      }
      if (next.status === 'RUNNING') act(one, next, tryOf(next) !== tryOf(one.running));
      else live.delete(name);
      return next;
    });
    one.queue = mine.catch(() => {});
    return mine;
  }

  /** A write of a runner that is no more came in late: this one goes on from there. */
  async function adopt(name: string): Promise<void> {
    const there = await journal.find(machine.arn, name);
    if (there?.status === 'RUNNING') await resume(there);
  }

  /** A step that nobody waits for: if it cannot be journalled, it is taken again a little later. */
  function takeAlone(name: string, step: Step): void {
    take(name, step).catch((error: unknown) => {
      report(`The execution ${name} could not go on; trying again.`, error);
      if (!closed) clock.setTimer(clock.now() + RETRY_MS, () => takeAlone(name, step));
    });
  }

  /** RN1: the rest is in the journal. The function of a new try is called. */
  function act(one: Live, running: Running, anew: boolean): void {
    one.running = running;
    const at = wakesAt(running);
    one.cancel = at === null ? () => {} : clock.setTimer(at, () => takeAlone(running.name, wake));
    const { phase } = running.at;
    if (phase.kind === 'task' && !phase.handed_over && anew) call(running.name, phase);
  }

  /** As if it had just come to this rest; but what ran out while nobody looked is not called again first. */
  async function resume(running: Running): Promise<void> {
    const own = await machineOf(running.definition);
    if (closed || live.has(running.name)) return;
    const one: Live = { machine: own, running, cancel: () => {}, queue: Promise.resolve() };
    live.set(running.name, one);
    act(one, running, (wakesAt(running) ?? Infinity) > clock.now());
  }

  async function machineOf(version: string): Promise<Machine> {
    if (version === machine.version) return machine;
    const text = await journal.definition(version);
    if (text === null) throw new Error(`version ${version} of ${machine.name} is not in the journal`);
    return readMachine(machine.arn, text);
  }

  function call(name: string, { id: task, function: called, payload, with_token }: TaskPhase): void {
    const ofTask = (step: (phase: TaskPhase) => Step) =>
      takeAlone(name, async (own, running, now) => {
        const { phase } = running.at;
        const current = phase.kind === 'task' && phase.id === task && !phase.handed_over;
        return current ? step(phase)(own, running, now) : null;
      });
    const answered = (result: unknown) =>
      ofTask((phase) => async (own, running, now) => {
        if (!with_token) return succeed(own, running, invocation(result), now);
        return written(running, { ...phase, handed_over: true });
      });
    const failed = (error: unknown) =>
      ofTask(() => (own, running, now) => fail(own, running, running.at, thrown(error), now));
    // Never in the same breath, so that a throw is a rejection.
    void Promise.resolve()
      .then(() => invoke(called, copy(payload)))
      .then(answered, failed);
  }

  const ofToken = async (name: string, task: string, step: (phase: TaskPhase) => Step): Promise<boolean> => {
    const next = await take(name, async (own, running, now) => {
      const { phase } = running.at;
      if (phase.kind !== 'task' || phase.id !== task || !phase.with_token) return null;
      return step(phase)(own, running, now);
    });
    return next !== null;
  };

  return {
    async start(name, input) {
      if (closed) throw new Error('This runner is closed.');
      const first = await begin(machine, { name, input }, moment());
      if (!(await journal.create(first))) {
        await adopt(name);
        return null;
      }
      if (first.status === 'RUNNING') await resume(first);
      return first;
    },
    endTask: (name, task, end) =>
      ofToken(name, task, () => (own, running, now) => {
        if ('output' in end) return succeed(own, running, end.output, now);
        return fail(own, running, running.at, new StateError(end.error, end.cause), now);
      }),
    beat: (name, task) =>
      ofToken(name, task, (phase) => async (_, running, { now }) => {
        const { heartbeat_seconds: allowed } = phase;
        return written(running, { ...phase, beats_until: allowed === null ? null : now + allowed * 1000 });
      }),
    stop: (name, error, cause) =>
      take(name, async (_, running, { now }) => abort(running, error, cause, now)),
    async takeUp() {
      const open = await journal.running(machine.arn);
      for (const running of open)
        await resume(running).catch((error: unknown) => report(`${running.name} cannot go on.`, error));
      return open.length;
    },
    async close() {
      closed = true;
      for (const { cancel } of live.values()) cancel();
      await Promise.all([...live.values()].map(({ queue }) => queue));
      live.clear();
    },
  };
}

/** The time of a rest has come. */
const wake: Step = async (machine, running, moment) => {
  const { phase } = running.at;
  const at = wakesAt(running);
  if (at === null || at > moment.now) return null;
  if (phase.kind !== 'task') return proceed(machine, running, moment);
  const silent = phase.beats_until === at && phase.times_out_at !== at;
  const error = silent
    ? new StateError(HEARTBEAT_TIMEOUT, `No heartbeat for ${phase.heartbeat_seconds} s.`)
    : new StateError(TIMEOUT, 'The task has run out of time.');
  return fail(machine, running, running.at, error, moment);
};

const written = (running: Running, phase: TaskPhase): Running => ({
  ...running,
  revision: running.revision + 1,
  at: { ...running.at, phase },
});

const tryOf = ({ at: { phase } }: Running): string | null => (phase.kind === 'task' ? phase.id : null);

/** What the Lambda integration hands on. */
const invocation = (result: unknown): Json => ({
  ExecutedVersion: '$LATEST',
  StatusCode: 200,
  Payload: copy(result ?? null),
});

/** Through JSON, as it would travel. */
const copy = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json; // what JSON carries, it carries back
