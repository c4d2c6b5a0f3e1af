// One commit as the audit trail shows it: who said what, what it led to, and the hashes that chain it.
import type { Commit, Facts, JsonObject } from '../engine/index.ts';
import type { Entry } from '../ports.ts';

/** `known` leaves out of the facts what only a locked step asks for. */
export function historyItem({ commit, hash }: Entry, known: (facts: Facts) => Facts) {
  const { seq, at, actor, signal, verdict, refusal, state, facts, previous } = commit;
  return {
    seq,
    at,
    actor,
    action: actionOf(signal),
    signal: { type: signal.type, body: saidIn(signal) },
    facts: known(facts),
    ...verdict,
    ...(refusal ? { refusal: { code: refusal.code, message: refusal.message } } : {}),
    status: state.status,
    current_step: state.current_step,
    turn: state.turn,
    events: eventsOf(commit),
    hash,
    previous_hash: previous,
  };
}

/** Starting over is told as the transition it makes: RETRY. */
function actionOf({ type, body: { action } }: Commit['signal']): string {
  if (type === 'retry') return 'RETRY';
  return typeof action === 'string' ? action : type;
}

/** A fork holds the whole state it goes on from, which its source shows as of that commit. */
function saidIn({ type, body }: Commit['signal']): JsonObject {
  if (type !== 'fork') return body;
  const { state: _state, ...said } = body;
  return said;
}

/** A commit's events with the ids by which every channel names them. */
function eventsOf({ seq, state, events, at }: Commit) {
  const { instance_id, workflow_id } = state;
  return events.map(({ type, data }, i) => ({
    id: `${instance_id}:${seq}.${i}`,
    type,
    instance_id,
    workflow_id,
    seq,
    at,
    data,
  }));
}
