// Facts about people. A fact can open a gate, so not everyone may write one about anyone:
//   F1  Your own; or, as an admin, anyone's; or, as an agent, those of a person in whose unfinished instance you have
//       a part.
import { type Actor, isAdmin, isFinished, mayRead } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Fact } from '../ports.ts';
import type { App } from './app.ts';
import { workflowOf } from './find-instance.ts';
import { idempotencyOf } from './idempotency.ts';
import type { FactRequest } from './schemas.ts';

const INSTANCES_LOOKED_AT = 50;

export interface AddingFact {
  readonly fact: FactRequest;
  readonly caller: Actor;
  readonly key?: string | undefined;
}

export async function addFact(app: App, { fact, caller, key }: AddingFact): Promise<Fact> {
  const user_id = fact.user_id ?? caller.sub;
  await mustServe(app, caller, user_id);
  const under = idempotencyOf(key, caller.sub, ['fact', fact]);
  const now = app.chance.now();
  const id = under ? under.key : `${now.replaceAll(/\D/g, '')}-${app.chance.id().slice(0, 8)}`;
  const { category, memory, metadata = {} } = fact;
  return app.memory.add(
    { id, user_id, category, memory, metadata, created_by: caller.sub, created_at: now },
    under,
  );
}

interface FactsQuery {
  readonly user_id?: string | undefined;
  readonly category?: string | undefined;
  readonly limit: number;
  readonly next?: string | undefined;
}

export async function listFacts(app: App, { user_id, category, limit, next }: FactsQuery, caller: Actor) {
  const whose = user_id ?? caller.sub;
  await mustServe(app, caller, whose);
  const after = next === undefined ? undefined : Buffer.from(next, 'base64url').toString('utf8');
  const page = await app.memory.list(whose, category, limit, after);
  return {
    items: page.facts,
    next: page.last === null ? null : Buffer.from(page.last).toString('base64url'),
  };
}

async function mustServe(app: App, caller: Actor, user_id: string): Promise<void> {
  if (user_id === caller.sub || isAdmin(caller)) return;
  if (caller.kind === 'agent' && (await hasPart(app, caller, user_id))) return;
  throw new Fault(
    'role_not_allowed',
    `The facts about "${user_id}" are for that person and for the agents of their workflows.`,
  );
}

/** Pointers are read consistently; instances of other workflows are found in the listing, a moment later. */
async function hasPart(app: App, caller: Actor, owner: string): Promise<boolean> {
  const pointers = await app.log.activesOf(owner);
  for (const { instance_id } of pointers) if (await servesIn(app, caller, instance_id)) return true;
  const listed = await app.listings.list({ owner }, undefined, INSTANCES_LOOKED_AT);
  for (const { head } of listed)
    if (head.owner === owner && (await servesIn(app, caller, head.instance_id))) return true;
  return false;
}

async function servesIn(app: App, caller: Actor, instance_id: string): Promise<boolean> {
  const state = (await app.log.latest(instance_id))?.commit.state;
  return state !== undefined && !isFinished(state) && mayRead(await workflowOf(app, state), state, caller);
}
