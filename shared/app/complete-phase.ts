// The phase engine's complete_phase: hands in the evidence of the current phase, and hands out the next one.
import { type Actor, type JsonObject, phaseVerdict, stepContent } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import { after } from './after.ts';
import type { App } from './app.ts';
import { findInstance } from './find-instance.ts';
import { tell } from './tell.ts';

export interface CompletingPhase {
  readonly instance_id: string;
  readonly phase: string | number;
  readonly evidence: JsonObject;
  readonly artifacts?: JsonObject | undefined;
  readonly caller: Actor;
  readonly key?: string | undefined;
}

export async function completePhase(
  app: App,
  { instance_id, phase, evidence, artifacts, caller, key }: CompletingPhase,
) {
  const body = { action: 'complete_step', step: phase, evidence, ...(artifacts ? { artifacts } : {}) };
  const answer = await tell(app, { instance_id, type: 'signal', body, caller, key }).catch(
    async (error: unknown) => {
      throw error instanceof Fault && error.code === 'step_mismatch'
        ? await outOfOrder(app, error, instance_id, phase, caller)
        : error;
    },
  );
  const { entry, workflow } = await after(app, answer);
  const { instance_id: session_id, status } = entry.commit.state;
  return {
    ...phaseVerdict(workflow, entry.commit.state, answer),
    session_id,
    status,
    version: answer.version,
    ...(answer.replayed ? { replayed: answer.replayed } : {}),
  };
}

/** Whoever hands in a phase that is not open is shown the one that is. */
async function outOfOrder(
  app: App,
  fault: Fault,
  id: string,
  phase: string | number,
  caller: Actor,
): Promise<Fault> {
  const { workflow, state } = await findInstance(app, id, caller);
  const reading = stepContent(workflow, state, caller, phase);
  if (reading.kind !== 'violation') return fault;
  const { violation } = reading;
  return new Fault('phase_sequence_violation', violation.message, { ...fault.details, ...violation });
}
