// Facts about people: what criteria of the type memory_check count.
import { addFact, listFacts } from '../../shared/app/facts.ts';
import { parseQuery, queries, readFact } from '../../shared/app/schemas.ts';
import { http, ok } from '../edge/http.ts';
import { wire } from '../wiring.ts';

const app = wire(process.env);

export const handler = http('memory', {
  addFact: async ({ body, caller, key }) => ({
    status: 201,
    body: await addFact(app, { fact: readFact(body), caller, key }),
  }),
  facts: ({ query, caller }) => ok(listFacts(app, parseQuery(queries.facts, query), caller)),
});
