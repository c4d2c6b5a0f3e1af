// From the table's stream: the events of new commits, pushed to those who listen.
import { createBroadcast } from '../../shared/app/broadcast.ts';
import { toldOfClosing } from '../../shared/app/follow-closing.ts';
import { chance } from '../chance.ts';
import { stream } from '../edge/stream.ts';
import { wire, wireSockets } from '../wiring.ts';

const broadcast = createBroadcast({ ...wire(process.env), ...wireSockets(process.env) });

export const handler = stream(
  'broadcast',
  async (batch) => {
    await broadcast(
      batch.map(({ told }) => told),
      chance.now(),
    );
    return [];
  },
  async (closing) => {
    if (closing.kind === 'committed') await broadcast([toldOfClosing(closing)], chance.now());
  },
);
