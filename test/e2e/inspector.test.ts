// Generation from start to final output by hand, so to speak: with the inspector's command line alone.
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { ONE_STORE } from '../support/stores.ts';
import { inspectorOn } from './inspector.ts';

const VALIDATORS = ['continuity', 'character', 'dialogue', 'pacing', 'style', 'worldbuilding', 'constraint'];
const SERVICE = { sub: 'inspected-service', kind: 'agent' } as const;

// Each call is a process: one store will do.
describe.each(ONE_STORE)('the inspector, on %s', (store) => {
  let server: SharedServer;
  beforeAll(async () => {
    server = await sharedServer(store);
  });

  it('drives generation from start to final output', { timeout: 120_000 }, async () => {
    const service = await inspectorOn(server, SERVICE);
    const params = { scene_id: '0204' };
    const begun = await service.call('start_workflow', {
      workflow_id: 'generation',
      user_id: 'inspected-olga',
      params,
    });
    const id = String(begun['instance_id']);
    const report = (step: number, artifacts: object) =>
      service.call('update_workflow_state', { workflow_id: id, step, status: 'completed', artifacts });
    expect(await report(1, { blueprint_path: 'b.md' })).toMatchObject({ success: true, current_step: 2 });
    await report(2, { constraints_list: 'c.json' });
    expect(await report(3, { verification_plan: 'plan.md' })).toMatchObject({ result: 'waiting' });

    const decision = { workflow_id: id, step: 3, approved: true };
    expect(await service.call('approve_step', decision)).toMatchObject({ code: 'human_required' });
    const olga = await inspectorOn(server, { sub: 'inspected-olga' });
    const modifications = { tone: 'darker' };
    expect(await olga.call('approve_step', { ...decision, modifications })).toMatchObject({ next_step: 4 });

    // From here on where only what is legal exists.
    const bound = await inspectorOn(server, { ...SERVICE, to: id });
    const complete = (artifacts: object, more: object = {}) =>
      bound.call('complete_step', { artifacts, ...more });
    expect(await complete({ draft: 'd.md', compliance_echo: 'e.md' })).toMatchObject({
      result: 'advanced',
      content: { id: 'fast_compliance_check' },
    });
    await complete({ fast_compliance_result: 'ok' });
    await Promise.all(VALIDATORS.map((name) => complete({}, { agent: `${name}-validator` })));
    await complete({ final_validation_report: 'v.md' }, { agent: 'validation-aggregator' });
    const final = { final_report: 'One attempt.', scene_content: 'The scene.' };
    expect(await complete(final)).toMatchObject({ result: 'completed' });

    expect(await service.call('get_workflow_status', { workflow_id: id })).toMatchObject({
      status: 'completed',
      progress_percentage: 100,
      artifacts: final,
    });
    const { tools } = (await bound.ask('tools/list')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).not.toContain('complete_step');
    const uri = `stepgate://workflows/${id}/artifacts/scene_content`;
    expect(await bound.ask('resources/read', '--uri', uri)).toMatchObject({
      contents: [{ text: 'The scene.' }],
    });
  });
});
