// Everything that can go wrong on purpose. A Fault is an answer, not an accident: it has a stable code,
// says what was expected and what to do, and knows whether trying again can help.

export const FAULT_CODES = [
  'invalid_request',
  'unauthenticated',
  'role_not_allowed',
  'human_required',
  'self_approval',
  'not_found',
  'version_conflict',
  'step_mismatch',
  'workflow_finished',
  'phase_sequence_violation',
  'stale_turn',
  'already_claimed',
  'not_holder',
  'already_active',
  'not_resumable',
  'session_closed',
  'name_taken',
  'idempotency_mismatch',
  'state_too_large',
  'invalid_transition',
  'invalid_definition',
  'too_many_requests',
  'unavailable',
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** A refusal as data: what the engine returns and the edge turns into problem+json. */
export interface Refusal {
  readonly code: FaultCode;
  readonly message: string;
  /** Members added to the problem document: allowed_actions, issues, current_step … */
  readonly details?: Readonly<Record<string, unknown>>;
}

export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: FaultCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  static from(refusal: Refusal): Fault {
    return new Fault(refusal.code, refusal.message, refusal.details ?? {});
  }

  /** Would the same request, sent again unchanged, have a chance? */
  get retryable(): boolean {
    return (
      this.code === 'unavailable' || this.code === 'too_many_requests' || this.code === 'version_conflict'
    );
  }
}
