// One run of a state machine, as the journal keeps it: everything needed to go on after a crash, its timers included.
import * as z from 'zod';
import { type Json, JsonRecord, JsonValue } from '../../shared/engine/index.ts';

/** Milliseconds since 1970. */
const Instant = z.number();

const Phase = z.discriminatedUnion('kind', [
  /** A function works on it, or somebody holds its token. */
  z.strictObject({
    kind: z.literal('task'),
    /** Of this very try; part of its token. */
    id: z.string(),
    function: z.string(),
    payload: JsonValue,
    with_token: z.boolean(),
    /** Of a task with a token: its function has answered, so it is not called again. */
    handed_over: z.boolean(),
    times_out_at: Instant.nullable(),
    heartbeat_seconds: z.number().nullable(),
    beats_until: Instant.nullable(),
  }),
  z.strictObject({ kind: z.literal('wait'), until: Instant }),
  /** Between two tries of a task. */
  z.strictObject({ kind: z.literal('retry'), at: Instant }),
]);
export type Phase = z.infer<typeof Phase>;
export type TaskPhase = Extract<Phase, { kind: 'task' }>;

const Position = z.strictObject({
  state: z.string(),
  input: JsonValue,
  entered_at: Instant,
  /** How often each retrier of the state was used. */
  retries: z.array(z.int()).readonly(),
  phase: Phase,
});
export type Position = z.infer<typeof Position>;

const Base = {
  machine: z.string(),
  /** The version of the definition it began with. */
  definition: z.string(),
  name: z.string(),
  /** As it was given. */
  input: z.string(),
  started_at: Instant,
  /** One more with each write. */
  revision: z.int().positive(),
  /** How far it has come, counted as AWS counts history. */
  events: z.int().nonnegative(),
  variables: JsonRecord,
};
const Running = z.strictObject({ ...Base, status: z.literal('RUNNING'), at: Position });
const Succeeded = z.strictObject({
  ...Base,
  status: z.literal('SUCCEEDED'),
  stopped_at: Instant,
  output: JsonValue,
});
const Ended = z.strictObject({
  ...Base,
  status: z.enum(['FAILED', 'ABORTED']),
  stopped_at: Instant,
  error: z.string().nullable(),
  cause: z.string().nullable(),
});

export const Execution = z.discriminatedUnion('status', [Running, Succeeded, Ended]);
export type Execution = z.infer<typeof Execution>;
export type Running = z.infer<typeof Running>;

/** What all states of one run share. */
export type Run = Pick<Running, keyof typeof Base>;

export const executionArn = ({ machine, name }: Pick<Run, 'machine' | 'name'>): string =>
  `${machine.replace(':stateMachine:', ':execution:')}:${name}`;

/** When something happens by itself, unless something else happens before. */
export function wakesAt({ at: { phase } }: Running): number | null {
  if (phase.kind === 'wait') return phase.until;
  if (phase.kind === 'retry') return phase.at;
  const times = [phase.times_out_at, phase.beats_until].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** A token names its execution and its try. Nobody but the runner reads it. */
export const tokenOf = (run: Pick<Run, 'machine' | 'name'>, id: string): string =>
  Buffer.from(JSON.stringify([run.machine, run.name, id])).toString('base64url');

const TokenParts = z.tuple([z.string(), z.string(), z.string()]);

export function readToken(token: string): { machine: string; name: string; id: string } | null {
  try {
    const [machine, name, id] = TokenParts.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return { machine, name, id };
  } catch {
    return null;
  }
}

export type Variables = Readonly<Record<string, Json>>;
