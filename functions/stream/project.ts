// From the table's stream: listings and inboxes kept up, events published on the bus.
import { projectNewest } from '../../shared/app/project-newest.ts';
import { createPublish } from '../../shared/app/publish.ts';
import { stream } from '../edge/stream.ts';
import { wire, wireBus } from '../wiring.ts';

const app = wire(process.env);
const publish = createPublish(wireBus(process.env));

export const handler = stream('project', async (batch) =>
  (await Promise.all([projectNewest(app, batch), publish(batch)])).flat(),
);
