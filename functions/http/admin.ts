// What only admins do: publishing definitions.
import { publishDefinition } from '../../shared/app/publish-definition.ts';
import { http } from '../edge/http.ts';
import { wire } from '../wiring.ts';

const app = wire(process.env);

export const handler = http('admin', {
  publish: async ({ path: { workflow_id = '' }, body, caller, key }) => {
    const published = await publishDefinition(app, { workflow_id, body, caller, key });
    const { change, version } = published;
    const location = `/api/definitions/${encodeURIComponent(workflow_id)}?version=${version}`;
    return { status: change === 'created' ? 201 : 200, body: published, headers: { location } };
  },
});
