// What a clock waits for: computed from a state, carried by the state machine, kept beside its token.
import * as z from 'zod';

const Instant = z.iso.datetime();

const ClockEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('attempt'), event: z.enum(['opened', 'timed_out']) }),
  z.strictObject({ type: z.literal('deadline'), event: z.enum(['remind', 'expired']) }),
]);

/** As it follows from the state alone. */
export const Wait = z.strictObject({
  /** Turn in which the step was entered. */
  visit: z.int(),
  /** Null: no time is set; only a change ends it. */
  at: Instant.nullable(),
  /** What is to be said then. */
  tells: ClockEvent.nullable(),
  /** How long whoever works may be silent. */
  heartbeat_seconds: z.number().nullable(),
});
export type Wait = z.infer<typeof Wait>;

/** As the state machine carries it out. `seq` is the commit it follows from. */
export const NextWait = z.discriminatedUnion('wait', [
  z.strictObject({ wait: z.literal('until'), at: Instant, seq: z.int(), awaited: Wait }),
  z.strictObject({
    wait: z.literal('token'),
    seconds: z.int().positive(),
    /** Null also where the time is up before. */
    heartbeat_seconds: z.int().positive().nullable(),
    seq: z.int(),
    awaited: Wait,
  }),
]);
export type NextWait = z.infer<typeof NextWait>;
