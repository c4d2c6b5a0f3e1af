// The HTTP status of each fault. A code without a status does not compile.
import type { FaultCode } from './faults.ts';

export const STATUS: Readonly<Record<FaultCode, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  role_not_allowed: 403,
  human_required: 403,
  self_approval: 403,
  not_found: 404,
  version_conflict: 409,
  step_mismatch: 409,
  workflow_finished: 409,
  phase_sequence_violation: 409,
  stale_turn: 409,
  already_claimed: 409,
  not_holder: 409,
  already_active: 409,
  not_resumable: 409,
  session_closed: 409,
  name_taken: 409,
  idempotency_mismatch: 409,
  state_too_large: 413,
  invalid_transition: 422,
  invalid_definition: 422,
  too_many_requests: 429,
  unavailable: 503,
};
