// What the state machine sends: read strictly, since it comes from outside the process, and answered.
import * as z from 'zod';
import { NextWait } from '../engine/index.ts';
import { askClock, awaitClock, type ClockApp, tellClock } from './clock.ts';

const Clock = z.strictObject({ instance_id: z.string().min(1), key: z.string().min(1) });

const ClockRequest = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('ask'), clock: Clock }),
  z.strictObject({ op: z.literal('await'), clock: Clock, next: NextWait, token: z.string().min(1) }),
  z.strictObject({
    op: z.literal('tell'),
    clock: Clock,
    next: NextWait,
    because: z.enum(['time', 'silence']),
  }),
]);
export type ClockRequest = z.infer<typeof ClockRequest>;

export const readClockRequest = (event: unknown): ClockRequest => ClockRequest.parse(event);

export async function answerClock(app: ClockApp, request: ClockRequest): Promise<object> {
  switch (request.op) {
    case 'ask':
      return askClock(app, request.clock);
    case 'await':
      return { released: await awaitClock(app, request.clock, request.next, request.token) };
    case 'tell':
      return { told: await tellClock(app, request.clock, request.next, request.because) };
  }
}
