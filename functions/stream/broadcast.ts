// From the table's stream: the events of new commits, pushed to those who listen.
import { createBroadcast } from '../../shared/app/broadcast.ts';
import { toldOfClosing } from '../../shared/app/follow-closing.ts';
import { chance } from '../chance.ts';
import { stream } from '../edge/stream.ts';
import { dynamoClient, wire, wireSockets } from '../wiring.ts';

const client = dynamoClient();
const broadcast = createBroadcast({ ...wire(process.env, client), ...wireSockets(process.env, client) });

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
