// Arriving in a state: what it waits for, which way it is left at once, or how the execution ends.
import type { Json } from '../../shared/engine/index.ts';
import type { Phase, Run, TaskPhase } from './execution.ts';
import { evaluate, type Surroundings } from './expression.ts';
import { INVOKE_WITH_TOKEN, type Machine, type MachineState, type StateOf } from './machine.ts';
import { inBounds, NO_CHOICE, QUERY_EVALUATION, StateError } from './state-error.ts';
import { type Arrival, surroundings } from './surroundings.ts';

/** What the outside gives to one step: read once, passed in. */
export interface Moment {
  readonly now: number;
  readonly id: () => string;
  readonly random: () => number;
}

/** A state, a choice rule or a catcher, as the way on from where they stand. */
export interface Way {
  readonly Next?: string | undefined;
  readonly Assign?: Readonly<Record<string, unknown>> | undefined;
  readonly Output?: unknown;
}

export type Arrived =
  | { readonly phase: Phase }
  | { readonly way: Way }
  | { readonly output: Json }
  | { readonly error: string | null; readonly cause: string | null };

/** Throws a StateError. */
export async function arrive(
  machine: Machine,
  run: Run,
  at: Arrival,
  state: MachineState,
  moment: Moment,
): Promise<Arrived> {
  const around = surroundings(machine, run, at);
  switch (state.Type) {
    case 'Task':
      return { phase: await taskPhase(machine, run, at, state, moment) };
    case 'Wait':
      return { phase: { kind: 'wait', until: await untilOf(state, around, moment.now) } };
    case 'Pass':
      return { way: state };
    case 'Choice':
      return { way: await choose(at.state, state, around) };
    case 'Succeed':
      return { output: state.Output === undefined ? at.input : await evaluate(state.Output, around) };
    case 'Fail':
      return { error: await textOf(state.Error, around), cause: await textOf(state.Cause, around) };
  }
}

async function taskPhase(
  machine: Machine,
  run: Run,
  at: Arrival,
  task: StateOf<'Task'>,
  { now, id }: Moment,
): Promise<TaskPhase> {
  const with_token = task.Resource === INVOKE_WITH_TOKEN;
  const mine = id();
  const around = surroundings(machine, run, at, { task: with_token ? mine : undefined });
  const seconds = async (name: 'TimeoutSeconds' | 'HeartbeatSeconds') =>
    task[name] === undefined ? null : whole(await evaluate(task[name], around), name, 1);
  const timeout = await seconds('TimeoutSeconds');
  const heartbeat_seconds = await seconds('HeartbeatSeconds');
  return {
    kind: 'task',
    id: mine,
    function: text(await evaluate(task.Arguments.FunctionName, around), 'FunctionName'),
    payload: inBounds(
      await evaluate(task.Arguments.Payload ?? {}, around),
      `What "${at.state}" calls its function with`,
    ),
    with_token,
    handed_over: false,
    times_out_at: timeout === null ? null : now + timeout * 1000,
    heartbeat_seconds,
    beats_until: heartbeat_seconds === null ? null : now + heartbeat_seconds * 1000,
  };
}

/** RFC 3339, as the language asks for. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

async function untilOf(state: StateOf<'Wait'>, around: Surroundings, now: number): Promise<number> {
  if (state.Timestamp === undefined)
    return now + 1000 * whole(await evaluate(state.Seconds ?? 0, around), 'Seconds', 0);
  const given = await evaluate(state.Timestamp, around);
  const at = typeof given === 'string' && INSTANT.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(at))
    throw new StateError(QUERY_EVALUATION, `${JSON.stringify(given)} is not a Timestamp.`);
  return at;
}

async function choose(id: string, state: StateOf<'Choice'>, around: Surroundings): Promise<Way> {
  for (const rule of state.Choices) {
    const met = await evaluate(rule.Condition, around);
    if (typeof met !== 'boolean')
      throw new StateError(QUERY_EVALUATION, `\`${rule.Condition}\` of "${id}" is neither true nor false.`);
    if (met) return rule;
  }
  if (state.Default === undefined)
    throw new StateError(NO_CHOICE, `No rule of "${id}" applies, and it has no Default.`);
  return { Next: state.Default, Assign: state.Assign, Output: state.Output };
}

async function textOf(template: string | undefined, around: Surroundings): Promise<string | null> {
  return template === undefined ? null : text(await evaluate(template, around), template);
}

function text(value: Json, name: string): string {
  if (typeof value === 'string') return value;
  throw new StateError(QUERY_EVALUATION, `${name} is ${JSON.stringify(value)}, not a text.`);
}

function whole(value: Json, name: string, least: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
  throw new StateError(
    QUERY_EVALUATION,
    `${name} is ${JSON.stringify(value)}, not a whole number from ${least}.`,
  );
}
