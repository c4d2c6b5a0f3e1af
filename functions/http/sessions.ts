// Sessions: work that is invisible outside until it is committed, or that leaves nothing behind.
import { closeSession, listSessions, openSession, showSession } from '../../shared/app/sessions.ts';
import { parseBody, parseQuery, queries } from '../../shared/app/schemas.ts';
import { CancelRequest, CommitRequest, SessionRequest } from '../../shared/app/schemas-sessions.ts';
import { http, ok } from '../edge/http.ts';
import { wire } from '../wiring.ts';

const app = wire(process.env);

export const handler = http('sessions', {
  openSession: async ({ body, caller, key }) => {
    const session = await openSession(app, { body: parseBody(SessionRequest, body, 'session'), caller, key });
    const location = `/api/sessions/${encodeURIComponent(session.session_name)}`;
    return { status: 201, body: session, headers: { location } };
  },
  sessions: ({ query, caller }) => ok(listSessions(app, caller, parseQuery(queries.sessions, query))),
  session: ({ path: { session_name = '' }, query, caller }) =>
    ok(showSession(app, session_name, caller, parseQuery(queries.session, query))),
  commitSession: ({ path: { session_name = '' }, body, caller }) => {
    parseBody(CommitRequest, body, 'commit body');
    return ok(closeSession(app, session_name, caller, { kind: 'committed' }));
  },
  cancelSession: ({ path: { session_name = '' }, body, caller }) => {
    const { reason } = parseBody(CancelRequest, body, 'cancel body');
    return ok(closeSession(app, session_name, caller, { kind: 'cancelled', reason }));
  },
});
