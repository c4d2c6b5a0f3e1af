// Reads of one instance, each on a fresh consistent read, each as the caller may see it.
import {
  agentContext,
  type Actor,
  findStep,
  instanceDetails,
  isFinished,
  knownTo,
  nextStep,
  noStep,
  prerequisites,
  progressOf,
  agentPrompt,
  stepContent,
} from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { App } from './app.ts';
import { findInstance, type Found, notFound } from './find-instance.ts';
import { gatherFacts } from './gather-facts.ts';
import { historyItem } from './history.ts';
import { committedFrom } from './session-scope.ts';
import { tell } from './tell.ts';

export async function details(app: App, id: string, caller: Actor, at?: number) {
  const found = await findInstance(app, id, caller, at);
  return { ...detailsOf(found, caller), commit_hash: found.entry.hash };
}

const detailsOf = ({ workflow, state, scope }: Found, caller: Actor) => ({
  ...instanceDetails(workflow, state, caller),
  ...committedFrom(state, scope),
});

export async function progress(app: App, id: string, caller: Actor) {
  const { workflow, state } = await findInstance(app, id, caller);
  const { instance_id, workflow_id, status, seq: version } = state;
  return { instance_id, workflow_id, version, status, ...progressOf(workflow, state) };
}

interface HistoryQuery {
  readonly after?: number | undefined;
  readonly next?: number | undefined;
  readonly limit: number;
}

export async function history(
  app: App,
  id: string,
  caller: Actor,
  { next: from, after = from ?? 0, limit }: HistoryQuery,
) {
  const { workflow, state } = await findInstance(app, id, caller);
  const entries = await app.log.after(id, after, limit);
  const last = entries.at(-1)?.commit.seq ?? after;
  return {
    instance_id: id,
    workflow_id: state.workflow_id,
    items: entries.map((entry) => historyItem(entry, knownTo(workflow, state, caller))),
    next: entries.length === limit && last < state.seq ? String(last) : null,
  };
}

export async function next(app: App, id: string, caller: Actor) {
  const { workflow, state } = await findInstance(app, id, caller);
  return nextStep(workflow, state, app.chance.now());
}

export async function prerequisitesOf(app: App, id: string, caller: Actor, name: string) {
  const { workflow, state } = await findInstance(app, id, caller);
  const step = findStep(workflow, name);
  if (!step) throw Fault.from(noStep(workflow, name));
  return prerequisites(workflow, state, step);
}

/** A locked step: the attempt is put on record, and the answer says what comes first. */
export async function step(app: App, id: string, caller: Actor, name: string) {
  const { workflow, state } = await findInstance(app, id, caller);
  const reading = stepContent(workflow, state, caller, name);
  if (reading.kind === 'content') return reading.content;
  if (reading.kind === 'refused') throw Fault.from(reading.refusal);
  const { violation } = reading;
  const { message, violation_type: code } = violation;
  const requested = findStep(workflow, name)?.id ?? name;
  try {
    await tell(app, { instance_id: id, type: 'violation', body: { code, step: requested, message }, caller });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'phase_sequence_violation') throw error;
  }
  throw new Fault('phase_sequence_violation', message, {
    ...violation,
    requested_step: requested,
    current_step: state.current_step,
  });
}

export async function context(app: App, id: string, caller: Actor) {
  return contextOf(app, await findInstance(app, id, caller), caller);
}

export async function prompt(app: App, id: string, caller: Actor): Promise<string> {
  return agentPrompt(await context(app, id, caller));
}

async function contextOf(app: App, { workflow, state }: Found, caller: Actor) {
  const facts = await gatherFacts(app, workflow, state);
  return agentContext(workflow, state, caller, facts, app.chance.now());
}

/** By the owner's pointers where a workflow keeps one; else the newest that is not finished. */
export async function activeInstance(app: App, caller: Actor, workflow_id: string | undefined) {
  const pointers = await app.log.activesOf(caller.sub);
  const pointed = pointers.filter(
    (pointer) => workflow_id === undefined || pointer.workflow_id === workflow_id,
  );
  const listed = await app.listings.list({ owner: caller.sub }, undefined, 50);
  const others = listed
    .map(({ head }) => head)
    .filter(({ owner }) => owner === caller.sub)
    .filter((head) => workflow_id === undefined || head.workflow_id === workflow_id);
  const candidates = new Set([...pointed, ...others].map(({ instance_id }) => instance_id));
  for (const id of candidates) {
    const found = await findInstance(app, id, caller).catch(ignoreMissing);
    if (found?.scope === 'everywhere' && !isFinished(found.state)) return detailsOf(found, caller);
  }
  const which = workflow_id === undefined ? 'instance' : `"${workflow_id}" instance`;
  throw new Fault('not_found', `You have no active ${which}. POST /api/workflows starts one.`);
}

function ignoreMissing(error: unknown): null {
  if (error instanceof Fault && error.code === notFound('').code) return null;
  throw error;
}
