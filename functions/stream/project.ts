// From the table's stream: listings and inboxes kept up, events published on the bus, finished instances counted.
import { followClosing, toldOfClosing } from '../../shared/app/follow-closing.ts';
import { measureFinished } from '../../shared/app/measure-finished.ts';
import { projectNewest } from '../../shared/app/project-newest.ts';
import { createPublish } from '../../shared/app/publish.ts';
import { chance } from '../chance.ts';
import { type Arrived, stream } from '../edge/stream.ts';
import { COUNTED, logger, observeFinished } from '../edge/telemetry.ts';
import { wire, wireBus } from '../wiring.ts';

const app = wire(process.env);
const publish = createPublish(wireBus(process.env), app.sessions);

/** Numbers are not worth a record that comes again. */
async function count(batch: readonly Arrived[]): Promise<void> {
  if (!COUNTED) return;
  try {
    for (const finished of await measureFinished(app, batch)) observeFinished(finished);
  } catch (error) {
    logger.warn('not counted', { reason: error instanceof Error ? error.name : typeof error });
  }
}

export const handler = stream(
  'project',
  async (batch) => {
    const failed = (await Promise.all([projectNewest(app, batch), publish(batch)])).flat();
    await count(batch);
    return failed;
  },
  async (closing) => {
    await followClosing(app, closing, chance.now());
    const told = closing.kind === 'committed' ? [{ told: toldOfClosing(closing) }] : [];
    for (const { error } of await publish(told)) throw error;
  },
);
