// From the table's stream: the clocks that new commits need, and an end to those they do not.
import { followClocks, forgetClocks } from '../../shared/app/clock-follow.ts';
import { chance } from '../chance.ts';
import { stream } from '../edge/stream.ts';
import { wire, wireClocks } from '../wiring.ts';

const ports = { ...wire(process.env), ...wireClocks(process.env) };

export const handler = stream(
  'clock',
  (batch) => followClocks(ports, batch, chance.now()),
  async () => {},
  (instance_id) => forgetClocks(ports, instance_id),
);
