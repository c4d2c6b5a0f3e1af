// Called by the state machine: what to wait for, to keep its token, and to say that time has passed.
// What it throws, the state machine tries again.
import { answerClock, readClockRequest } from '../../shared/app/clock-requests.ts';
import { logger } from '../edge/telemetry.ts';
import { wire, wireClock } from '../wiring.ts';

const app = { ...wire(process.env), ...wireClock(process.env) };

export async function handler(event: unknown): Promise<object> {
  const request = readClockRequest(event);
  const answer = await answerClock(app, request);
  logger.info('clock', { op: request.op, ...request.clock, answer });
  return answer;
}
