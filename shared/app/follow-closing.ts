// What follows the closing of a session, from the stream: its instances become global, or are deleted.
//   FC1  Each instance is let go of once it has been dealt with: after a crash half-way the rest is taken up, and a
//        closing that is delivered again finds nothing to do.
//   FC2  A late projection does no harm. One that found the session open was of a commit from before the closing, so
//        what is projected here is at least as new, and not hidden; a deleted instance's HEAD is above all others.
import type { Closing } from '../ports.ts';
import type { App } from './app.ts';
import { atOnce } from './at-once.ts';
import { project } from './project.ts';
import type { Told } from './publish-told.ts';
import { topicKey } from './topics.ts';

type Ports = Pick<App, 'sessions' | 'log' | 'listings' | 'definitions'>;

const PAGE = 200;
const AT_ONCE = 16;
/** Longer than a stream keeps records and a function stays warm. */
const TOMBSTONE_DAYS = 7;
const DAY_SECONDS = 86_400;

/** Throws once all have been tried, if one has failed: the closing must come again. */
export async function followClosing(app: Ports, { session_name, kind }: Closing, now: string): Promise<void> {
  const expires_at = Math.floor(Date.parse(now) / 1000) + TOMBSTONE_DAYS * DAY_SECONDS;
  const follow = kind === 'committed' ? show : (_: Ports, id: string) => erase(app, id, expires_at);
  const failures: unknown[] = [];
  for (let after: string | undefined; ; ) {
    const ids = await app.sessions.members(session_name, after, PAGE);
    await atOnce(AT_ONCE, ids, async (id) => {
      await follow(app, id);
      await app.sessions.release(session_name, id); // FC1
    }).catch((error: unknown) => failures.push(error));
    after = ids.at(-1);
    if (ids.length < PAGE) break;
  }
  if (failures.length > 0) throw failures[0];
}

async function show(app: Ports, instance_id: string): Promise<void> {
  const entry = await app.log.latest(instance_id);
  if (entry) await project(app, entry.commit.state, entry.hash);
}

/** The log first: from then on nobody can read or write it, whatever still points at it. */
async function erase(app: Ports, instance_id: string, expires_at: number): Promise<void> {
  await app.log.erase(instance_id, expires_at);
  await app.listings.erase(instance_id, expires_at);
}

/** A commit is told to whoever listens to the session, and on the bus. The slash keeps its id apart from instances'. */
export function toldOfClosing({ session_name, owner, by, at }: Closing): Told {
  const seq = 2;
  const instance_id = `session/${session_name}`;
  const data = { session_name, owner, committed_by: by, committed_at: at };
  const type = 'workflow.session.committed';
  const message = { id: `${instance_id}:${seq}.0`, type, instance_id, workflow_id: '', seq, of: 1, at, data };
  return {
    instance_id,
    workflow_id: '',
    definition: '',
    owner,
    created_by: owner,
    session_name,
    scope: 'everywhere',
    only: [topicKey({ kind: 'session', name: session_name })],
    seq,
    messages: [message],
  };
}
