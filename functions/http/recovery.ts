// Everything that brings an instance back on its way: resuming it, starting it over, forking it, moving it to another
// version.
import { forkInstance } from '../../shared/app/fork-instance.ts';
import { migrateInstance } from '../../shared/app/migrate-instance.ts';
import { parseBody } from '../../shared/app/schemas.ts';
import { ForkRequest, MigrateRequest } from '../../shared/app/schemas-recovery.ts';
import { tell } from '../../shared/app/tell.ts';
import type { SignalType } from '../../shared/engine/index.ts';
import { http, type HttpRequest, ok, type Operation } from '../edge/http.ts';
import { wire } from '../wiring.ts';

const app = wire(process.env);

const telling =
  (type: SignalType): Operation =>
  ({ path: { instance_id = '' }, body, caller, key }) =>
    ok(tell(app, { instance_id, type, body, caller, key }));

const fork = async ({ path: { instance_id = '' }, body, caller, key }: HttpRequest) => {
  const request = { instance_id, body: parseBody(ForkRequest, body, 'fork body'), caller, key };
  const answer = await forkInstance(app, request);
  const location = `/api/workflows/${encodeURIComponent(answer.instance_id)}`;
  return { status: 201, body: answer, headers: { location } };
};

export const handler = http('recovery', {
  resume: telling('resume'),
  retry: telling('retry'),
  fork,
  migrate: ({ path: { instance_id = '' }, body, caller, key }) => {
    const request = parseBody(MigrateRequest, body, 'migrate body');
    return ok(migrateInstance(app, { instance_id, body: request, caller, key }));
  },
});
