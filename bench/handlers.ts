// The signal path inside one process, without HTTP: warm (the state is remembered) and cold (it is read), against the
// floor. It does not measure the network, tokens, the stream or Lambda.
import type { App } from '../shared/app/app.ts';
import { startInstance } from '../shared/app/start-instance.ts';
import { tell } from '../shared/app/tell.ts';
import type { Actor } from '../shared/engine/index.ts';
import { benchApp } from './app.ts';
import { floorSignal, floorStart } from './floor.ts';
import { rates, type Worker } from './rounds.ts';
import { atLeast, atMost, type Row } from './rows.ts';
import { type BenchStore, clientOf, counting } from './store.ts';

const STEPS = 7;
export const WORKER: Actor = { sub: 'bench', kind: 'agent', roles: ['worker'] };
const DONE = { action: 'complete_step' };

export async function walk(app: App): Promise<number> {
  const { instance_id } = await startInstance(app, {
    body: { workflow_id: `linear-${STEPS}` },
    caller: WORKER,
  });
  for (let i = 0; i < STEPS; i++)
    await tell(app, { instance_id, type: 'signal', body: DONE, caller: WORKER });
  return STEPS;
}

export async function handlers(store: BenchStore): Promise<Row[]> {
  const client = clientOf(store.endpoint);
  let floors = 0;
  const floor: Worker = {
    name: 'floor',
    run: async () => {
      const id = `h${floors++}`;
      await floorStart(client, id);
      for (let i = 0; i < STEPS; i++) await floorSignal(client, id);
      return STEPS;
    },
  };
  const warm = benchApp(client, STEPS);
  const cold = benchApp(client, STEPS, { remember: false });
  const workers = [floor, { name: 'warm', run: () => walk(warm) }, { name: 'cold', run: () => walk(cold) }];
  const rows: Row[] = [];
  for (const inFlight of [1, 16, 64]) {
    const rate = await rates(workers, inFlight);
    const of = (name: string) => rate.get(name) ?? Number.NaN;
    rows.push({
      what: `floor (read + conditional put), ${inFlight} in flight`,
      value: of('floor'),
      unit: 'signals/s',
    });
    rows.push({ what: `signals, warm, ${inFlight} in flight`, value: of('warm'), unit: 'signals/s' });
    rows.push(atLeast(`  against the floor, ${inFlight} in flight`, of('warm') / of('floor'), 1.3));
    rows.push(
      atLeast(`signals, cold, against the floor, ${inFlight} in flight`, of('cold') / of('floor'), 0.85),
    );
  }
  client.destroy();
  return [...rows, ...(await requests(store))];
}

/** What one signal asks of DynamoDB. */
async function requests(store: BenchStore): Promise<Row[]> {
  const client = clientOf(store.endpoint);
  const app = benchApp(client, STEPS);
  const { instance_id } = await startInstance(app, {
    body: { workflow_id: `linear-${STEPS}` },
    caller: WORKER,
  });
  const traffic = counting(client);
  const signal = () => tell(app, { instance_id, type: 'signal', body: { action: 'stay' }, caller: WORKER });
  await signal();
  const warm = total(traffic.requests);
  app.warm.forget(instance_id);
  await signal();
  const cold = total(traffic.requests) - warm;
  const written = (await app.log.raw(instance_id, 0, 10)).at(-1);
  const bytes = Buffer.byteLength(written?.text ?? '');
  client.destroy();
  return [
    atMost('DynamoDB requests per signal, warm', warm, 1, ''),
    atMost('DynamoDB requests per signal, cold', cold, 2, ''),
    { what: 'bytes of a commit (7-step workflow)', value: bytes, unit: 'B' },
    { what: 'write units per signal', value: Math.ceil(bytes / 1_024), unit: 'WCU' },
  ];
}

export const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
