// Sessions over HTTP: taking a name, looking, committing, cancelling.
//   SN1  A name belongs to whoever took it, for good; to others it does not exist.
//   SN2  A session is closed once: doing the same again answers the same, doing the other is refused.
import type { Actor } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Closing, Head, Opening, Session } from '../ports.ts';
import type { App } from './app.ts';
import { idempotencyOf } from './idempotency.ts';
import { listInstances } from './list-instances.ts';
import { cursorAt, positionIn } from './list-instances-pages.ts';
import type { SessionRequest } from './schemas-sessions.ts';
import { isSessionOwner, noSession } from './session-scope.ts';

export interface SessionView {
  readonly session_name: string;
  readonly title: string | null;
  readonly owner: string;
  readonly status: 'open' | Closing['kind'];
  readonly created_at: string;
  readonly closed_at: string | null;
  readonly closed_by: string | null;
  readonly reason: string | null;
}

type Ports = Pick<App, 'sessions' | 'chance'>;

export interface Opened extends SessionView {
  readonly replayed?: true;
}

export async function openSession(
  { sessions, chance }: Ports,
  { body, caller, key }: { body: SessionRequest; caller: Actor; key?: string | undefined },
): Promise<Opened> {
  const { session_name, title = null } = body;
  const opening: Opening = {
    session_name,
    id: chance.id(),
    owner: caller.sub,
    title,
    created_at: chance.now(),
    idempotency: idempotencyOf(key, caller.sub, ['session', body]) ?? null,
  };
  const opened = await sessions.open(opening);
  if (opened === 'opened') return viewOf({ opening, closing: null });
  const { taken } = opened;
  const repeats =
    taken.owner === caller.sub && opening.idempotency && taken.idempotency?.key === opening.idempotency.key;
  if (!repeats)
    throw new Fault('name_taken', `The session name "${session_name}" is taken; choose another.`, {
      session_name,
    });
  if (taken.idempotency?.body !== opening.idempotency?.body)
    throw new Fault(
      'idempotency_mismatch',
      'This Idempotency-Key was used with another body; use a new key.',
    );
  return { ...viewOf({ opening: taken, closing: null }), replayed: true };
}

export interface SessionPage extends SessionView {
  readonly instances: readonly Head[];
  readonly next: string | null;
  /** Instances are listed from an index: one that was just started may be missing for a moment. */
  readonly consistency: 'eventual';
}

export async function showSession(
  app: Ports & Pick<App, 'listings' | 'definitions'>,
  session_name: string,
  caller: Actor,
  page: { readonly limit?: number | undefined; readonly next?: string | undefined },
): Promise<SessionPage> {
  const session = await ownSession(app, session_name, caller);
  const { items, next } = await listInstances(app, caller, { ...page, session_name });
  return { ...viewOf(session), instances: items, next: next ?? null, consistency: 'eventual' };
}

export async function listSessions(
  { sessions }: Ports,
  caller: Actor,
  { limit, next }: { readonly limit: number; readonly next?: string | undefined },
): Promise<{ readonly items: readonly SessionView[]; readonly next: string | null }> {
  const found = await sessions.ofOwner(caller.sub, positionIn(next), limit);
  const last = found.at(-1);
  return {
    items: found.map(viewOf),
    next: last !== undefined && found.length === limit ? cursorAt(last.position) : null,
  };
}

export async function closeSession(
  app: Ports,
  session_name: string,
  caller: Actor,
  { kind, reason = null }: { readonly kind: Closing['kind']; readonly reason?: string | null | undefined },
): Promise<SessionView> {
  const { opening, closing } = await ownSession(app, session_name, caller);
  const { owner } = opening;
  const mine = { session_name, owner, kind, by: caller.sub, at: app.chance.now(), reason };
  const stands = closing ?? (await app.sessions.close(mine));
  if (stands.kind !== kind)
    throw new Fault('session_closed', `The session "${session_name}" was ${stands.kind} at ${stands.at}.`, {
      session_name,
      session_status: stands.kind,
    });
  return viewOf({ opening, closing: stands });
}

/** SN1. */
async function ownSession({ sessions }: Ports, session_name: string, caller: Actor): Promise<Session> {
  const session = await sessions.find(session_name);
  if (session === null || !isSessionOwner(session.opening.owner, caller)) throw noSession(session_name);
  return session;
}

function viewOf({ opening, closing }: Session): SessionView {
  const { session_name, title, owner, created_at } = opening;
  return {
    session_name,
    title,
    owner,
    status: closing?.kind ?? 'open',
    created_at,
    closed_at: closing?.at ?? null,
    closed_by: closing?.by ?? null,
    reason: closing?.reason ?? null,
  };
}
