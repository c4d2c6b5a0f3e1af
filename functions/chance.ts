// Time, ids and chance: read here, at the edge, and passed in.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from '../shared/ports.ts';

const LONGEST_PAUSE_MS = 400;

export const chance: Chance = {
  now: () => new Date().toISOString(),
  id: () => randomUUID(),
  backOff: (losses) => wait(Math.random() * Math.min(5 * 2 ** losses, LONGEST_PAUSE_MS)),
};
