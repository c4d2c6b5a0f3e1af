// The instance an endpoint is bound to, as one caller finds it: its state, and what is legal in it.
import type { App } from '../../../shared/app/app.ts';
import { findInstance, workflowOf } from '../../../shared/app/find-instance.ts';
import {
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

/** So that the write which follows need not read again. */
function remember(app: App, entry: Entry): void {
  const { instance_id } = entry.commit.state;
  if ((app.warm.get(instance_id)?.commit.seq ?? 0) < entry.commit.seq) app.warm.keep(entry);
}
