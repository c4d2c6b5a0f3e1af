// The instance an endpoint is bound to, as one caller finds it: its state, and what is legal in it.
import type { App } from '../../../shared/app/app.ts';
import { findInstance, workflowOf } from '../../../shared/app/find-instance.ts';
import { idempotencyOf } from '../../../shared/app/idempotency.ts';
import {
  KEPT_KEYS,
  type LegalMoves,
  legalMoves,
  mayRead,
  type State,
  type Workflow,
} from '../../../shared/engine/index.ts';
import type { Entry } from '../../../shared/ports.ts';
import type { Asking } from '../tool.ts';

export interface Bound {
  readonly instance_id: string;
  readonly workflow: Workflow;
  readonly state: State;
  readonly moves: LegalMoves;
}

/** On a fresh read. */
export async function readBound(instance_id: string, { app, caller }: Asking): Promise<Bound> {
  const { entry, workflow, state } = await findInstance(app, instance_id, caller);
  remember(app, entry);
  return { instance_id, workflow, state, moves: legalMoves(workflow, state, caller, app.chance.now()) };
}

/** What this process saw last, for a call that will write and is decided anew anyhow; null if it saw nothing. */
export async function rememberedBound(instance_id: string, { app, caller }: Asking): Promise<Bound | null> {
  const state = app.warm.get(instance_id)?.commit.state;
  if (state === undefined) return null;
  const workflow = await workflowOf(app, state);
  if (!mayRead(workflow, state, caller)) return null;
  return { instance_id, workflow, state, moves: legalMoves(workflow, state, caller, app.chance.now()) };
}

/** As it was when it heard a call of this key first; null if it never has. */
export async function boundWhenHeard(
  { instance_id, state }: Bound,
  key: string | undefined,
  { app, caller }: Asking,
): Promise<Bound | null> {
  const hash = idempotencyOf(key, caller.sub, null)?.key;
  if (hash === undefined) return null;
  const kept = state.keys.find(([one]) => one === hash)?.[2];
  const turned = kept === undefined && state.keys.length >= KEPT_KEYS;
  const seq = turned ? await app.log.seqOfKey(instance_id, hash) : kept;
  if (!seq || seq < 2) return null;
  const heard = await findInstance(app, instance_id, caller, seq);
  const before = await findInstance(app, instance_id, caller, seq - 1);
  const moves = legalMoves(before.workflow, before.state, caller, heard.entry.commit.at);
  return { instance_id, workflow: before.workflow, state: before.state, moves };
}

/** So that the write which follows need not read again. */
function remember(app: App, entry: Entry): void {
  const { instance_id } = entry.commit.state;
  if ((app.warm.get(instance_id)?.commit.seq ?? 0) < entry.commit.seq) app.warm.keep(entry);
}
