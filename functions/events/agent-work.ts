// From EventBridge: agent.work.completed and workflow.validation.requested, told to the instance they name.
// Whoever may put events on the bus is trusted by the account: the role is the one the event names. EventBridge
// delivers at least once, so its event id is the idempotency key.
import type { EventBridgeEvent } from 'aws-lambda';
import { reportWork } from '../../shared/app/agent-work.ts';
import { readAgentWork } from '../../shared/app/schemas-agent-work.ts';
import { Fault } from '../../shared/faults.ts';
import { logger } from '../edge/telemetry.ts';
import { wire } from '../wiring.ts';

const app = wire(process.env);

export async function handler({ id, detail }: EventBridgeEvent<string, unknown>): Promise<void> {
  try {
    const { agent_id = 'eventbridge', role, task_id } = readAgentWork(detail);
    const caller = { sub: agent_id, kind: 'agent' as const, roles: role === undefined ? [] : [role] };
    const { status, message } = await reportWork(app, { body: detail, caller, key: id });
    logger.info('agent work', { instance_id: task_id, status, message });
  } catch (error) {
    if (!(error instanceof Fault) || error.retryable) throw error; // EventBridge tries again, then its DLQ has it
    logger.warn('agent work refused', { event_id: id, code: error.code });
  }
}
