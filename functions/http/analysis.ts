// Reads that work through one whole instance: searching what is unlocked, proving the log, measuring it.
import { proveLog } from '../../shared/app/prove-log.ts';
import { readMetrics } from '../../shared/app/read-metrics.ts';
import { parseQuery, queries } from '../../shared/app/schemas.ts';
import { ReplayQuery } from '../../shared/app/schemas-recovery.ts';
import { searchContent } from '../../shared/app/search-content.ts';
import { http, ok } from '../edge/http.ts';
import { wire } from '../wiring.ts';

const app = wire(process.env);

export const handler = http('analysis', {
  replay: ({ path: { instance_id = '' }, query, caller }) =>
    ok(proveLog(app, instance_id, caller, parseQuery(ReplayQuery, query))),
  metrics: ({ path: { instance_id = '' }, caller }) => ok(readMetrics(app, instance_id, caller)),
  content: ({ path: { instance_id = '' }, query, caller }) =>
    ok(searchContent(app, instance_id, caller, parseQuery(queries.content, query))),
});
