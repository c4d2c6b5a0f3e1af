// From one rest of an execution to the next. Nothing here waits, calls a function or writes anything down.
//   AD1  States that only compute are passed through in one go; what comes back has ended, or waits for something:
//       a function, a token, a time.
//   AD2  Variables take their new values when a state is left; its output is computed from the old ones.
import type { Json } from '../../shared/engine/index.ts';
import { arrive, type Arrived, type Moment, type Way } from './arrive.ts';
import type { Execution, Position, Run, Running, Variables } from './execution.ts';
import { evaluate } from './expression.ts';
import type { Machine, MachineState } from './machine.ts';
import { inBounds, isMeant, RUNTIME, StateError } from './state-error.ts';
import { type Arrival, type Seen, surroundings } from './surroundings.ts';

/** AWS ends an execution whose history grows past this; a task makes five entries or more, other states two. */
const MOST_EVENTS = 25_000;

export function begin(
  machine: Machine,
  { name, input }: Pick<Run, 'name' | 'input'>,
  moment: Moment,
): Promise<Execution> {
  const fresh = { machine: machine.arn, definition: machine.version, name, input, started_at: moment.now };
  const run = { ...fresh, revision: 0, events: 1, variables: {} };
  const at = {
    state: machine.start_at,
    input: JSON.parse(input) as Json,
    entered_at: moment.now,
    retries: [],
  }; // the API has checked it
  return enter(machine, run, at, moment);
}

/** The time of a waiting state, or of the next try, has come. */
export function proceed(machine: Machine, running: Running, moment: Moment): Promise<Execution> {
  const { phase, ...at } = running.at;
  if (phase.kind === 'retry') return enter(machine, running, at, moment);
  return follow(machine, running, at, { way: stateOf(machine, at.state) as Way }, moment); // a Wait has its way on
}

/** The function has answered, or the token came back, with this. */
export function succeed(
  machine: Machine,
  running: Running,
  result: Json,
  moment: Moment,
): Promise<Execution> {
  const way = stateOf(machine, running.at.state) as Way; // a Task has its way on
  return follow(machine, running, running.at, { way, seen: { result }, output: result }, moment);
}

/** The task failed: it is tried again, caught, or the execution fails. */
export async function fail(
  machine: Machine,
  run: Run,
  { phase: _phase, ...at }: Arrival & { readonly phase?: unknown },
  { error, cause_text: cause }: StateError,
  moment: Moment,
): Promise<Execution> {
  const state = stateOf(machine, at.state);
  if (state.Type !== 'Task') return end(run, { error, cause }, moment);
  const index = state.Retry.findIndex(({ ErrorEquals }) => isMeant(ErrorEquals, error));
  const retrier = state.Retry[index];
  const used = at.retries[index] ?? 0;
  if (retrier && used < retrier.MaxAttempts) {
    const delay = retrier.IntervalSeconds * retrier.BackoffRate ** used;
    const capped = Math.min(delay, retrier.MaxDelaySeconds ?? delay);
    const seconds = retrier.JitterStrategy === 'FULL' ? capped * moment.random() : capped;
    const retries = state.Retry.map((_, i) => (at.retries[i] ?? 0) + (i === index ? 1 : 0));
    return rest(run, {
      ...at,
      retries,
      phase: { kind: 'retry', at: moment.now + Math.round(seconds * 1000) },
    });
  }
  const way = state.Catch.find(({ ErrorEquals }) => isMeant(ErrorEquals, error));
  if (!way) return end(run, { error, cause }, moment);
  const errorOutput = { Error: error, Cause: cause };
  return follow(machine, run, at, { way, seen: { errorOutput }, output: errorOutput, caught: true }, moment);
}

export const abort = (run: Run, error: string | null, cause: string | null, now: number): Execution => ({
  ...baseOf(run),
  status: 'ABORTED',
  stopped_at: now,
  error,
  cause,
});

/** AD1. */
async function enter(machine: Machine, from: Run, to: Arrival, moment: Moment): Promise<Execution> {
  let run = from;
  let at = to;
  for (;;) {
    const state = stateOf(machine, at.state);
    run = { ...run, events: run.events + (state.Type === 'Task' ? 5 : 2) };
    if (run.events > MOST_EVENTS)
      return end(run, { error: RUNTIME, cause: `It has more than ${MOST_EVENTS} events.` }, moment);
    let arrived: Arrived;
    try {
      arrived = await arrive(machine, run, at, state, moment);
      if ('way' in arrived) {
        const left = await leave(machine, run, at, { way: arrived.way }, moment);
        if ('status' in left) return left;
        [run, at] = [left.run, left.at];
        continue;
      }
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      return fail(machine, run, at, error, moment);
    }
    if ('phase' in arrived) return rest(run, { ...at, phase: arrived.phase });
    return end(run, arrived, moment);
  }
}

interface Leaving {
  readonly way: Way;
  readonly seen?: Seen;
  /** The output where the way names none; else what came in goes on. */
  readonly output?: Json;
  readonly caught?: boolean;
}

/** Leaves a state whose wait is over, and goes on to the next rest. */
async function follow(
  machine: Machine,
  run: Run,
  at: Arrival,
  leaving: Leaving,
  moment: Moment,
): Promise<Execution> {
  let left: Awaited<ReturnType<typeof leave>>;
  try {
    left = await leave(machine, run, at, leaving, moment);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    if (!leaving.caught) return fail(machine, run, at, error, moment);
    return end(run, { error: error.error, cause: error.cause_text }, moment);
  }
  return 'status' in left ? left : enter(machine, left.run, left.at, moment);
}

/** AD2. Throws a StateError. */
async function leave(
  machine: Machine,
  run: Run,
  at: Arrival,
  { way, seen = {}, output: given = at.input }: Leaving,
  moment: Moment,
): Promise<Execution | { run: Run; at: Arrival }> {
  const around = surroundings(machine, run, at, seen);
  const output = inBounds(
    way.Output === undefined ? given : await evaluate(way.Output, around),
    `The output of "${at.state}"`,
  );
  const assigned = (await evaluate(way.Assign ?? {}, around)) as Variables; // an object, as its template is
  const after = { ...run, variables: { ...run.variables, ...assigned } };
  if (way.Next === undefined) return end(after, { output }, moment);
  return { run: after, at: { state: way.Next, input: output, entered_at: moment.now, retries: [] } };
}

const rest = (run: Run, at: Position): Running => ({ ...baseOf(run), status: 'RUNNING', at });

function end(
  run: Run,
  how: Exclude<Arrived, { phase: unknown } | { way: unknown }>,
  { now }: Moment,
): Execution {
  const base = { ...baseOf(run), stopped_at: now };
  if ('output' in how) return { ...base, status: 'SUCCEEDED', output: how.output };
  return { ...base, status: 'FAILED', ...how };
}

/** What stays the same from rest to rest; the journal counts the writes. */
const baseOf = ({ machine, definition, name, input, started_at, revision, events, variables }: Run): Run => ({
  machine,
  definition,
  name,
  input,
  started_at,
  revision: revision + 1,
  events,
  variables,
});

/** The definition was checked: every name leads somewhere. */
function stateOf({ name, states }: Machine, id: string): MachineState {
  const state = states.get(id);
  if (!state) throw new RangeError(`${name} has no state "${id}"`);
  return state;
}
