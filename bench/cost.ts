// What a million signals cost at AWS's list prices (us-east-1, on demand), from the units measured here.
import { startInstance } from '../shared/app/start-instance.ts';
import { tell } from '../shared/app/tell.ts';
import { benchApp } from './app.ts';
import { WORKER } from './handlers.ts';
import type { Row } from './rows.ts';
import { type BenchStore, clientOf } from './store.ts';

/** US dollars per million, or per million GB-seconds. */
const PRICE = {
  write_unit: 0.625,
  http_request: 1,
  lambda_request: 0.2,
  lambda_gb_second: 13.3334,
  eventbridge_event: 1,
  state_transition: 25,
};
const MEMORY_GB = 0.5;
/** A warm signal is one round trip to DynamoDB; taken generously. */
const HANDLER_SECONDS = 0.012;
/** The head, and its place in the inbox's index: taken from the old one and put into the new. */
const PROJECTION_UNITS = 3;
/** Two consumers of the stream, a hundred records at a time. */
const CONSUMER_SHARE = 2 / 100;

export async function cost(store: BenchStore): Promise<Row[]> {
  const client = clientOf(store.endpoint);
  const app = benchApp(client, 7);
  const { instance_id } = await startInstance(app, { body: { workflow_id: 'linear-7' }, caller: WORKER });
  let units = 0;
  let events = 0;
  for (let i = 0; i < 7; i++) {
    await tell(app, { instance_id, type: 'signal', body: { action: 'complete_step' }, caller: WORKER });
    const [written] = await app.log.raw(instance_id, i + 1, 1);
    const text = written?.text ?? '{"events":[]}';
    units += Math.ceil(Buffer.byteLength(text) / 1_024) / 7;
    events += (JSON.parse(text) as { events: unknown[] }).events.length / 7; // a commit of our own
  }
  client.destroy();
  const lambda = PRICE.lambda_request + HANDLER_SECONDS * MEMORY_GB * PRICE.lambda_gb_second;
  const signal = PRICE.http_request + lambda + units * PRICE.write_unit;
  const derived = PROJECTION_UNITS * PRICE.write_unit + CONSUMER_SHARE * lambda;
  const told = events * PRICE.eventbridge_event;
  const dollars = (what: string, value: number): Row => ({ what, value, unit: '$ / million' });
  return [
    { what: 'write units of a commit, on average', value: units, unit: 'WCU' },
    dollars('a signal acknowledged: HTTP API, Lambda, DynamoDB', signal),
    dollars('  with listings and inbox projected from the stream', signal + derived),
    dollars('  and every event on EventBridge', signal + derived + told),
    dollars('Step Functions Standard, two transitions a signal, no API', 2 * PRICE.state_transition),
    {
      what: 'Step Functions against a projected signal',
      value: (2 * PRICE.state_transition) / (signal + derived),
      unit: '×',
    },
  ];
}
