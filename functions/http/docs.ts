// What this API says of itself. A function of its own: the schemas are turned into JSON Schema here and nowhere else.
import { openapiDocument } from '../../shared/app/openapi.ts';
import { http } from '../edge/http.ts';

export const handler = http('docs', {
  openapi: () => Promise.resolve({ status: 200, body: openapiDocument() }),
});
