// From the acknowledgement of a signal to its event at a WebSocket client.
import { WebSocket } from 'ws';
import { type Driver, driverOf } from './driver.ts';
import { type Served, stepgateServer } from './processes.ts';
import { percentile } from './rounds.ts';
import type { Row } from './rows.ts';

const SIGNALS = 300;
const PAUSE_MS = 20;

export async function push(): Promise<Row[]> {
  const server = await stepgateServer();
  const driver = driverOf(server.origin, server.token);
  try {
    const watched = await watch(server, driver, SIGNALS);
    const times = await watched.done;
    return [
      { what: 'push after the acknowledgement, p50', value: percentile(times, 0.5), unit: 'ms' },
      { what: 'push after the acknowledgement, p99', value: percentile(times, 0.99), unit: 'ms' },
    ];
  } finally {
    driver.close();
    await server.stop();
  }
}

export interface Watched {
  /** How long each push lagged behind its acknowledgement, in milliseconds; before it counts as nothing. */
  readonly done: Promise<number[]>;
  stop(): Promise<number[]>;
}

/** An instance that is signalled again and again, and a subscriber that waits for each event. */
export async function watch(
  { origin, token = '' }: Served,
  driver: Driver,
  most = Infinity,
): Promise<Watched> {
  const { instance_id } = await driver.post('/api/workflows', { workflow_id: 'watched' });
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/ws`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const arrived = new Map<number, number>();
  let look = () => {};
  socket.on('message', (data: Buffer) => {
    const { seq, type } = JSON.parse(data.toString('utf8')) as { seq: number; type: string }; // ours
    if (type === 'workflow.step_blocked') arrived.set(seq, performance.now());
    if (type === 'subscribed') arrived.set(0, performance.now());
    look();
  });
  const arrival = (seq: number): Promise<number> =>
    new Promise((resolve) => {
      look = () => {
        const at = arrived.get(seq);
        if (at !== undefined) resolve(at);
      };
      look();
    });
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ action: 'subscribe', topic: `instance:${String(instance_id)}` }));
  await arrival(0);
  let stopped = false;
  const loop = async () => {
    const times: number[] = [];
    while (!stopped && times.length < most) {
      const { version } = await driver.post(`/api/workflows/${String(instance_id)}/signal`, {
        action: 'complete_step',
      });
      const acknowledged = performance.now();
      times.push(Math.max(0, (await arrival(Number(version))) - acknowledged));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    socket.close();
    return times;
  };
  const done = loop();
  return {
    done,
    stop: () => {
      stopped = true;
      return done;
    },
  };
}
