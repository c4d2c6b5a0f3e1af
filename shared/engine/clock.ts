// Which clocks an instance needs now, and what each of them waits for. A clock only ever says that time has passed
// (A1); what that means is decided when it says so.
//   CK1  A clock belongs to one visit of a step with a deadline, or to one row of attempts, from the first to the last,
//       across the steps that lie between working and judging.
//   CK2  Asking again gives the remaining time: every instant follows from the state.
//   CK3  A clock speaks only of what it has waited for: if that has changed meanwhile, it has nothing to say.
import { openAttempt } from './decide/open-attempt.ts';
import { canonical } from './digest.ts';
import type { NextWait, Wait } from './model/clock.ts';
import type { Commit } from './model/decision.ts';
import type { SignalOf } from './model/signal.ts';
import { isFinished, type State } from './model/state.ts';
import type { Step, Workflow } from './model/workflow.ts';

export type ClockSignal = SignalOf<'attempt'> | SignalOf<'deadline'>;

/** Where no time is set, it is looked at now and then all the same. */
const IDLE_SECONDS = 30 * 24 * 3600;
/** Clocks of different machines differ by less. */
const SKEW_MS = 1_500;

const keyOf = (kind: 'attempts' | 'deadline', turn: number, step: string): string =>
  `${kind}#${turn}#${step}`;

const hasTimedAttempts = ({ attempts }: Step): boolean =>
  attempts !== null &&
  (attempts.timeout_seconds !== null || attempts.heartbeat_seconds !== null || attempts.backoff_seconds > 0);

/** Whether instances of a workflow ever need a clock. */
export const hasClocks = ({ steps }: Workflow): boolean =>
  steps.some((step) => step.deadline !== null || hasTimedAttempts(step));

/** The keys of the clocks an instance needs now. */
export const clocksOf = (workflow: Workflow, state: State): readonly string[] =>
  isFinished(state) ? [] : [...clocksAt(workflow, state).keys()];

/** Also of an instance that has just been cancelled: the clocks that may still run. */
export const lastClocksOf = (workflow: Workflow, state: State): readonly string[] => [
  ...clocksAt(workflow, state).keys(),
];

/** What a clock waits for; null if it is not needed any more. */
export function waitOf(workflow: Workflow, state: State, key: string): Wait | null {
  return isFinished(state) ? null : (clocksAt(workflow, state).get(key)?.wait ?? null);
}

/** CK2. */
export function nextWait(
  workflow: Workflow,
  state: State,
  key: string,
  now: string,
): NextWait | { readonly done: true } {
  const awaited = waitOf(workflow, state, key);
  if (awaited === null) return { done: true };
  const { seq } = state;
  const { at, tells } = awaited;
  if (at !== null && tells?.event === 'opened') return { wait: 'until', at: wholeSecond(at), seq, awaited };
  const left = at === null ? IDLE_SECONDS : Math.ceil((Date.parse(at) - Date.parse(now)) / 1000);
  const seconds = Math.max(1, left);
  const beat = awaited.heartbeat_seconds === null ? null : Math.max(1, Math.ceil(awaited.heartbeat_seconds));
  const heartbeat_seconds = beat !== null && beat < seconds ? beat : null;
  return { wait: 'token', seconds, heartbeat_seconds, seq, awaited };
}

export const isSameWait = (a: Wait | null, b: Wait | null): boolean => canonical(a) === canonical(b);

/** CK3. What a clock has to say after it has waited; null if it was early, or what it waited for has changed. */
export function signalAfter(
  workflow: Workflow,
  state: State,
  key: string,
  awaited: Wait,
  because: 'time' | 'silence',
  now: string,
): ClockSignal | null {
  const clock = isFinished(state) ? undefined : clocksAt(workflow, state).get(key);
  if (!clock || !isSameWait(clock.wait, awaited)) return null;
  const { at, tells, heartbeat_seconds } = awaited;
  const early = at === null || Date.parse(at) - Date.parse(now) > SKEW_MS;
  const common = { turn: clock.turn, expected_version: state.seq };
  // Step Functions may call a lost heartbeat a timeout.
  if (because === 'silence' || early)
    return heartbeat_seconds === null
      ? null
      : { type: 'attempt', body: { event: 'heartbeat_lost', ...common } };
  if (tells === null) return null;
  return tells.type === 'attempt'
    ? { type: 'attempt', body: { event: tells.event, ...common } }
    : { type: 'deadline', body: { event: tells.event, ...common } };
}

/** Does a commit show that whoever works on the step is alive? */
export const isSignOfLife = ({
  signal,
  actor,
  verdict,
}: Pick<Commit, 'signal' | 'actor' | 'verdict'>): boolean =>
  verdict !== undefined && actor.kind !== 'system' && ['signal', 'heartbeat', 'claim'].includes(signal.type);

interface Clock {
  readonly wait: Wait;
  /** The turn it speaks of. */
  readonly turn: number;
}

/** CK1. */
function clocksAt(workflow: Workflow, state: State): ReadonlyMap<string, Clock> {
  const clocks = new Map<string, Clock>();
  const current = workflow.index.get(state.current_step) ?? -1;
  const step = workflow.steps[current];
  const record = state.steps[current];
  if (!step || !record) return clocks;
  if (step.deadline !== null)
    clocks.set(keyOf('deadline', record.entered, step.id), {
      wait: deadlineWait(step.deadline, record),
      turn: record.turn,
    });
  const open = openAttempt(workflow, state.steps, current);
  const worked = open === null ? undefined : workflow.steps[open];
  const work = open === null ? null : state.steps[open];
  if (worked && work?.attempts && hasTimedAttempts(worked))
    clocks.set(keyOf('attempts', work.attempts.began, worked.id), {
      wait: attemptWait(worked, work, open === current, state.status === 'in_progress'),
      turn: work.turn,
    });
  return clocks;
}

type StepRecord = NonNullable<State['steps'][number]>;

/** Before an attempt has opened, its step's deadline does not count. */
function deadlineWait(deadline: NonNullable<Step['deadline']>, record: StepRecord): Wait {
  const { entered, reminded, attempts, since } = record;
  const from = attempts && attempts.opened_at === null ? attempts.opens_at : since;
  const { seconds, remind_after_seconds: remind } = deadline;
  const reminds = !reminded && remind !== null && remind < seconds;
  return {
    visit: entered,
    at: later(from, (reminds ? remind : seconds) * 1000),
    tells: { type: 'deadline', event: reminds ? 'remind' : 'expired' },
    heartbeat_seconds: null,
  };
}

/** While a person is asked, its time stands still; once it is handed in, nobody has to show that it is alive. */
function attemptWait(step: Step, { attempts, entered }: StepRecord, here: boolean, works: boolean): Wait {
  const idle: Wait = { visit: entered, at: null, tells: null, heartbeat_seconds: null };
  if (!attempts || !step.attempts) return idle;
  const { opened_at, opens_at, waited_ms } = attempts;
  if (opened_at === null) return { ...idle, at: opens_at, tells: { type: 'attempt', event: 'opened' } };
  if (!works) return idle;
  const { timeout_seconds, heartbeat_seconds } = step.attempts;
  const timed: Partial<Wait> =
    timeout_seconds === null
      ? {}
      : {
          at: later(opened_at, waited_ms + timeout_seconds * 1000),
          tells: { type: 'attempt', event: 'timed_out' },
        };
  return { ...idle, ...timed, heartbeat_seconds: here ? heartbeat_seconds : null };
}

const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

/** Step Functions waits for whole seconds. */
const wholeSecond = (at: string): string => new Date(Math.ceil(Date.parse(at) / 1000) * 1000).toISOString();
