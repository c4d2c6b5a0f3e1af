// The part of a state that its status decides: what belongs to one status never stays behind in another (S1).
import type { State } from '../model/state.ts';

type Of<S extends State['status']> = Extract<State, { status: S }>;
export type StatusPart =
  | Pick<Of<'in_progress'>, 'status' | 'claim'>
  | Pick<Of<'waiting_approval'>, 'status' | 'pending'>
  | Pick<Of<'waiting_input'>, 'status' | 'input'>
  | Pick<Of<'failed'>, 'status' | 'failed_at' | 'last_error'>
  | Pick<Of<'completed'>, 'status' | 'completed_at'>
  | Pick<Of<'cancelled'>, 'status' | 'cancelled_at' | 'reason'>;

export const RUNNING: StatusPart = { status: 'in_progress', claim: null };

export function statusOf(state: State): StatusPart {
  switch (state.status) {
    case 'in_progress':
      return { status: state.status, claim: state.claim };
    case 'waiting_approval':
      return { status: state.status, pending: state.pending };
    case 'waiting_input':
      return { status: state.status, input: state.input };
    case 'failed':
      return { status: state.status, failed_at: state.failed_at, last_error: state.last_error };
    case 'completed':
      return { status: state.status, completed_at: state.completed_at };
    case 'cancelled':
      return { status: state.status, cancelled_at: state.cancelled_at, reason: state.reason };
  }
}
