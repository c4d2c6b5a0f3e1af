// What goes wrong in a tool, told so that an agent knows what to do next. An accident tells nothing of itself.
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Fault, type FaultCode } from '../../shared/faults.ts';
import { problemOf } from '../edge/problems.ts';
import { logger } from '../edge/telemetry.ts';

const WHAT_TO_DO: Readonly<Record<FaultCode, string>> = {
  invalid_request: 'Mend the arguments named here and call again.',
  unauthenticated: 'Connect again with a valid token.',
  role_not_allowed: 'This is for another role. Do what waits for yours, or wait until the work comes to you.',
  human_required: 'Only a person can do this. Wait until they have, then ask for the state again.',
  self_approval: 'Another person has to approve.',
  not_found:
    'Check the id. Ids of instances come from start_workflow and list_workflows; there workflow_id is the instance and workflow_type the definition.',
  version_conflict: 'Read the state again, then decide anew.',
  step_mismatch: 'Work on the current step; get_agent_context says what it asks for.',
  workflow_finished:
    'Nothing more can be done here. A failed or cancelled instance can be resumed; otherwise start a new one.',
  phase_sequence_violation: 'Complete the current phase first; what it asks for is in current_phase_content.',
  stale_turn: 'Read the context again and act on the turn it names.',
  already_claimed: 'Take another task, or try again when the lease has run out.',
  not_holder: 'Claim the task first, or wait until the lease of its holder has run out.',
  already_active: 'Go on with the instance that is named here, or cancel it first.',
  not_resumable: 'Only a failed or cancelled instance can be resumed; otherwise just go on with it.',
  session_closed: 'Open another session, or leave session_name out.',
  name_taken: 'Choose another name, or leave it out.',
  idempotency_mismatch: 'Use a new idempotency_key for a new call.',
  state_too_large: 'Keep large content outside and send a reference to it.',
  invalid_transition: 'Send one of the allowed actions.',
  invalid_definition: 'Mend the definition as the problems say, and publish it again.',
  too_many_requests: 'Wait a moment, then call again.',
  unavailable: 'Wait a moment, then send the same call again; nothing is lost.',
};

/** `{ code, message, what_to_do, …details }` */
function told(error: unknown): Record<string, unknown> {
  const { code, detail: message, retryable } = problemOf(error);
  if (!(error instanceof Fault)) {
    logger.error('failed', { error: error as Error }); // for us only
    return { code, message, what_to_do: WHAT_TO_DO.unavailable, retryable };
  }
  if (error.code === 'unavailable') logger.error('failed', { error: error.cause as Error });
  return { ...error.details, code, message, what_to_do: WHAT_TO_DO[error.code], retryable };
}

export function toolError(error: unknown): CallToolResult {
  const content = told(error);
  const words = `${String(content['code'])}: ${String(content['message'])}\n${String(content['what_to_do'])}`;
  return {
    isError: true,
    content: [
      { type: 'text', text: words },
      { type: 'text', text: JSON.stringify(content) },
    ],
    structuredContent: content,
  };
}

/** For lists, resources and prompts, which have no errors of their own. */
export function protocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const data = told(error);
  const ours = !(error instanceof Fault) || error.code === 'unavailable';
  const code = ours ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, `${String(data['message'])} ${String(data['what_to_do'])}`, data);
}
