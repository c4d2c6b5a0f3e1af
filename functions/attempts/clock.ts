// Called by the state machine: what to wait for, to keep its token, and to say that time has passed.
import * as z from 'zod';
import { askClock, awaitClock, tellClock } from '../../shared/app/clock.ts';
import { NextWait } from '../../shared/engine/index.ts';
import { logger } from '../edge/telemetry.ts';
import { wire, wireClocks } from '../wiring.ts';

const app = { ...wire(process.env), ...wireClocks(process.env) };

const Clock = z.object({ instance_id: z.string().min(1), key: z.string().min(1) });
const Request = z.discriminatedUnion('op', [
  z.object({ op: z.literal('ask'), clock: Clock }),
  z.object({ op: z.literal('await'), clock: Clock, next: NextWait, token: z.string().min(1) }),
  z.object({ op: z.literal('tell'), clock: Clock, next: NextWait, because: z.enum(['time', 'silence']) }),
]);

/** What it throws, the state machine tries again. */
export async function handler(event: unknown): Promise<unknown> {
  const request = Request.parse(event);
  const { op, clock } = request;
  const answer = await answerTo(request);
  logger.info('clock', { op, ...clock, answer: op === 'ask' ? answer : undefined });
  return answer;
}

async function answerTo(request: z.infer<typeof Request>): Promise<unknown> {
  switch (request.op) {
    case 'ask':
      return askClock(app, request.clock);
    case 'await':
      return awaitClock(app, request.clock, request.next, request.token);
    case 'tell':
      return { told: await tellClock(app, request.clock, request.next, request.because) };
  }
}
