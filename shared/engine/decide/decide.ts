// decide: the engine. One pure function from a state and a signal to the next state and its events, or a refusal.
// Same arguments, same answer, for ever: no clock, no chance, nothing awaited.
import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import type { Facts } from '../model/facts.ts';
import type { Signal } from '../model/signal.ts';
import { isFinished, type State } from '../model/state.ts';
import type { Workflow } from '../model/workflow.ts';
import { onApprove, onOverride } from './approvals.ts';
import { onClaim, onHeartbeat, onRelease } from './claims.ts';
import { Draft } from './draft.ts';
import { onForked } from './fork.ts';
import { onAnswer, onWidget } from './input.ts';
import { onDefer, onMessage } from './messages.ts';
import { onMigrate } from './migrate.ts';
import { refuse } from './outcome.ts';
import { mayRead } from './permissions.ts';
import { onAttempt, onCancel, onDeadline, onResume, onRetry, onViolation } from './recovery.ts';
import { onSignal } from './step-signal.ts';

/** These alone reach a finished instance. */
const AFTERWARDS: ReadonlySet<Signal['type']> = new Set([
  'resume',
  'retry',
  'forked',
  'migrate',
  'violation',
]);

export function decide(
  workflow: Workflow,
  state: State,
  signal: Signal,
  actor: Actor,
  facts: Facts,
  now: string,
  /** For `migrate` alone: the version it names, where there is one. */
  target: Workflow | null = null,
): Decision {
  const draft = new Draft(workflow, state, actor, facts, now);
  if (!mayRead(workflow, state, actor))
    return refuse(draft, 'not_found', `There is no instance "${state.instance_id}".`);
  const repeat = signal.idempotency && state.keys.find(([key]) => key === signal.idempotency?.key);
  if (repeat) {
    if (repeat[1] === signal.idempotency?.body) return { kind: 'repeat', seq: repeat[2] };
    return refuse(
      draft,
      'idempotency_mismatch',
      'This Idempotency-Key was used with another body; use a new key.',
    );
  }
  const expected = 'expected_version' in signal.body ? signal.body.expected_version : undefined;
  if (expected !== undefined && expected !== state.seq) {
    return refuse(
      draft,
      'version_conflict',
      `You expected version ${expected}, but the instance is at ${state.seq}. Read it again.`,
      { version: state.seq },
    );
  }
  if (isFinished(state) && !AFTERWARDS.has(signal.type)) {
    return refuse(draft, 'workflow_finished', `The instance is ${state.status}; it takes no more signals.`, {
      status: state.status,
    });
  }
  switch (signal.type) {
    case 'signal':
      return onSignal(draft, signal);
    case 'approve':
      return onApprove(draft, signal);
    case 'answer':
      return onAnswer(draft, signal);
    case 'widget':
      return onWidget(draft, signal);
    case 'claim':
      return onClaim(draft, signal);
    case 'release':
      return onRelease(draft, signal);
    case 'heartbeat':
      return onHeartbeat(draft, signal);
    case 'override':
      return onOverride(draft, signal);
    case 'cancel':
      return onCancel(draft, signal);
    case 'resume':
      return onResume(draft, signal);
    case 'retry':
      return onRetry(draft, signal);
    case 'message':
      return onMessage(draft, signal);
    case 'defer':
      return onDefer(draft, signal);
    case 'attempt':
      return onAttempt(draft, signal);
    case 'deadline':
      return onDeadline(draft, signal);
    case 'violation':
      return onViolation(draft, signal);
    case 'forked':
      return onForked(draft, signal);
    case 'migrate':
      return onMigrate(draft, signal, target);
    case 'start':
    case 'fork':
      return refuse(draft, 'invalid_request', 'The instance has started already.');
  }
}
