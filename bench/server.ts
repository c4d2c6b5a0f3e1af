// The whole server against the floor behind a bare node:http server: HTTP, tokens checked, stream, projections and a
// subscriber on. Both get the same driver and a store of their own; it does not measure a network.
import { type Driver, driverOf } from './driver.ts';
import { watch } from './push.ts';
import { floorServer, stepgateServer } from './processes.ts';
import { percentile, rates, type Worker } from './rounds.ts';
import { atLeast, type Row } from './rows.ts';
import type { BenchStore } from './store.ts';

const STEPS = 7;
const TARGET: Readonly<Record<number, number>> = { 1: 1, 64: 1.3 };

export async function server(store: BenchStore): Promise<Row[]> {
  const floor = await floorServer(store.endpoint);
  const ours = await stepgateServer();
  const bare = driverOf(floor.origin);
  const api = driverOf(ours.origin, ours.token);
  try {
    const rows: Row[] = [];
    for (const inFlight of [1, 16, 64]) {
      const watched = await watch(ours, api);
      const rate = await rates([floorWalk(bare), stepgateWalk(api)], inFlight);
      const pushed = await watched.stop();
      const of = (name: string) => rate.get(name) ?? Number.NaN;
      const ratio = of('stepgate') / of('floor');
      const what = `whole server against the floor, ${inFlight} in flight`;
      rows.push(
        { what: `floor behind node:http, ${inFlight} in flight`, value: of('floor'), unit: 'signals/s' },
        { what: `stepgate start, ${inFlight} in flight`, value: of('stepgate'), unit: 'signals/s' },
        TARGET[inFlight] === undefined
          ? { what, value: ratio, unit: '×' }
          : atLeast(what, ratio, TARGET[inFlight]),
        { what: '  a push lags behind its acknowledgement, p50', value: percentile(pushed, 0.5), unit: 'ms' },
        { what: '  p99', value: percentile(pushed, 0.99), unit: 'ms' },
        { what: '  projections lag at the end of the load', value: await projectionLag(api), unit: 'ms' },
      );
    }
    return rows;
  } finally {
    bare.close();
    api.close();
    await ours.stop();
    await floor.stop();
  }
}

let floors = 0;
const floorWalk = (driver: Driver): Worker => ({
  name: 'floor',
  run: async () => {
    const id = `s${process.pid}-${floors++}`;
    await driver.post('/start', { id });
    for (let i = 0; i < STEPS; i++) await driver.post('/signal', { id });
    return STEPS;
  },
});

const stepgateWalk = (driver: Driver): Worker => ({
  name: 'stepgate',
  run: async () => {
    await walk(driver);
    return STEPS;
  },
});

async function walk(driver: Driver): Promise<string> {
  const { instance_id } = await driver.post('/api/workflows', { workflow_id: `linear-${STEPS}` });
  const path = `/api/workflows/${String(instance_id)}/signal`;
  for (let i = 0; i < STEPS; i++) await driver.post(path, { action: 'complete_step' });
  return String(instance_id);
}

/** From the acknowledgement of the last signal until the list shows it. */
async function projectionLag(driver: Driver): Promise<number> {
  const id = await walk(driver);
  const done = performance.now();
  for (;;) {
    const { items } = await driver.get('/api/workflows?workflow_id=linear-7&status=completed&limit=5');
    const listed = items as { instance_id: string }[]; // of our own list
    if (listed.some(({ instance_id }) => instance_id === id)) return performance.now() - done;
  }
}
