// What MCP costs in requests to DynamoDB: no more than the HTTP calls it stands for.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { details } from '../../../shared/app/read-instance.ts';
import { tell } from '../../../shared/app/tell.ts';
import { appOn, type TestApp } from '../../support/app.ts';
import { agent } from '../../support/play.ts';
import { type FreshTables, freshTables, STORE_KINDS } from '../../support/stores.ts';
import { type Rig, startRig } from './rig.ts';

const DEV = agent('dev', 'developer');
const ARTIFACTS = { commit_sha: 'c0ffee', files_changed: ['a.ts'] };

let tables: FreshTables;
let id: string;
const open: { close(): Promise<void> | void }[] = [];

beforeAll(async () => {
  const [kind] = STORE_KINDS;
  if (kind === undefined) throw new Error('No store runs here.');
  tables = await freshTables(kind);
  const rig = await startRig({}, tables);
  const dev = await rig.as(DEV);
  id = String((await dev.call('start_workflow', { workflow_id: 'delivery' })).instance_id);
  await rig.close();
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** A process that has seen nothing yet. */
const coldRig = async (): Promise<Rig> => {
  const rig = await startRig({}, tables);
  open.push(rig);
  return rig;
};
const coldApp = (): TestApp => {
  const app = appOn(tables);
  open.push({ close: () => app.client.destroy() });
  return app;
};
/** How many requests something takes. */
const cost = async (app: TestApp, run: () => Promise<unknown>): Promise<number> => {
  app.sent();
  await run();
  return app.sent().length;
};

describe('requests to DynamoDB', () => {
  it('connecting takes none, and neither do the tools of POST /mcp', async () => {
    const rig = await coldRig();
    expect(await cost(rig.app, async () => (await rig.as(DEV)).tools())).toBe(0);
    expect(await cost(rig.app, () => rig.as(DEV, { to: id }))).toBe(0);
  });

  it('tools/list of a bound endpoint takes what GET /workflows/{id} takes', async () => {
    const app = coldApp();
    const http = await cost(app, () => details(app, id, DEV));
    const rig = await coldRig();
    const dev = await rig.as(DEV, { to: id });
    expect(await cost(rig.app, () => dev.tools())).toBeLessThanOrEqual(http);
    expect(await cost(rig.app, () => dev.tools())).toBeLessThanOrEqual(http);
  });

  it('send_signal takes what POST …/signal takes, cold and warm', async () => {
    const app = coldApp();
    const body = { action: 'stay' };
    const signal = () => tell(app, { instance_id: id, type: 'signal', body, caller: DEV });
    const [cold, warm] = [await cost(app, signal), await cost(app, signal)];
    expect([cold, warm]).toEqual([2, 1]);
    const rig = await coldRig();
    const dev = await rig.as(DEV);
    const send = () => dev.call('send_signal', { instance_id: id, ...body });
    expect(await cost(rig.app, send)).toBeLessThanOrEqual(cold);
    expect(await cost(rig.app, send)).toBeLessThanOrEqual(warm);
  });

  it('an action of a bound endpoint takes no more than its signal', async () => {
    const rig = await coldRig();
    const dev = await rig.as(DEV, { to: id });
    expect(await cost(rig.app, () => dev.call('stay'))).toBe(2);
    expect(await cost(rig.app, () => dev.call('stay'))).toBe(1);
    expect(await cost(rig.app, () => dev.call('commit_code', { artifacts: ARTIFACTS }))).toBe(1);
  });
});
