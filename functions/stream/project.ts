// From the table's stream: listings and inboxes kept up, events published on the bus.
import { followClosing, toldOfClosing } from '../../shared/app/follow-closing.ts';
import { projectNewest } from '../../shared/app/project-newest.ts';
import { createPublish } from '../../shared/app/publish.ts';
import { chance } from '../chance.ts';
import { stream } from '../edge/stream.ts';
import { wire, wireBus } from '../wiring.ts';

const app = wire(process.env);
const publish = createPublish(wireBus(process.env), app.sessions);

export const handler = stream(
  'project',
  async (batch) => (await Promise.all([projectNewest(app, batch), publish(batch)])).flat(),
  async (closing) => {
    await followClosing(app, closing, chance.now());
    const told = closing.kind === 'committed' ? [{ told: toldOfClosing(closing) }] : [];
    for (const { error } of await publish(told)) throw error;
  },
);
