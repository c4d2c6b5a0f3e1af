// Everything that only reads: instances, their steps, lists, tasks and definitions.
import { getDefinition, listDefinitions } from '../../shared/app/read-definitions.ts';
import { listInstances } from '../../shared/app/list-instances.ts';
import { pendingTasks } from '../../shared/app/pending-tasks.ts';
import * as read from '../../shared/app/read-instance.ts';
import { listVersions } from '../../shared/app/publish-definition.ts';
import { parseQuery, queries } from '../../shared/app/schemas.ts';
import { http, ok, text } from '../edge/http.ts';
import { wire } from '../wiring.ts';

const app = wire(process.env);
const wantsText = (accept: string | undefined) => accept !== undefined && /^text\/plain\b/.test(accept);

export const handler = http('reads', {
  list: ({ query, caller }) => ok(listInstances(app, caller, parseQuery(queries.list, query))),
  active: ({ query, caller }) =>
    ok(read.activeInstance(app, caller, parseQuery(queries.active, query).workflow_id)),
  details: ({ path: { instance_id = '' }, query, caller }) =>
    ok(read.details(app, instance_id, caller, parseQuery(queries.details, query).at)),
  progress: ({ path: { instance_id = '' }, caller }) => ok(read.progress(app, instance_id, caller)),
  history: ({ path: { instance_id = '' }, query, caller }) =>
    ok(read.history(app, instance_id, caller, parseQuery(queries.history, query))),
  next: ({ path: { instance_id = '' }, caller }) => ok(read.next(app, instance_id, caller)),
  prerequisites: ({ path: { instance_id = '', step = '' }, caller }) =>
    ok(read.prerequisitesOf(app, instance_id, caller, step)),
  step: ({ path: { instance_id = '', step = '' }, caller }) => ok(read.step(app, instance_id, caller, step)),
  context: async ({ path: { instance_id = '' }, query, caller, headers }) => {
    const { format } = parseQuery(queries.context, query);
    if (format === 'json') return ok(read.context(app, instance_id, caller));
    const prompt = await read.prompt(app, instance_id, caller);
    return wantsText(headers.accept) ? text('text/plain', prompt) : { status: 200, body: { prompt } };
  },
  tasks: ({ query, caller }) => ok(pendingTasks(app, caller, parseQuery(queries.tasks, query))),
  definitions: ({ caller }) => ok(listDefinitions(app, caller)),
  definition: async ({ path: { workflow_id = '' }, query, caller, headers }) => {
    const { version, format } = parseQuery(queries.definition, query);
    const { view, mermaid } = await getDefinition(app, caller, workflow_id, version);
    if (format === 'json') return { status: 200, body: view };
    return wantsText(headers.accept) ? text('text/plain', mermaid) : { status: 200, body: { mermaid } };
  },
  versions: ({ path: { workflow_id = '' } }) => ok(listVersions(app, workflow_id)),
});
