// Generation from start to final output through MCP alone, by clients of both generations of the protocol.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../functions/mcp/rig.ts';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { ONE_STORE } from '../support/stores.ts';
import { mcpOn } from './mcp-clients.ts';

const VALIDATORS = ['continuity', 'character', 'dialogue', 'pacing', 'style', 'worldbuilding', 'constraint'];
const SERVICE = { sub: 'mcp-service', kind: 'agent' } as const;

describe.each(ONE_STORE)('generation through MCP, on %s', (store) => {
  let server: SharedServer;
  beforeAll(async () => {
    server = await sharedServer(store);
  });

  /** The person who owns it approves, on a connection of their own. */
  const approve = async (workflow_id: string, era: 'auto' | 'legacy') => {
    const olga = await mcpOn(server, { sub: 'mcp-olga', era });
    expect(await olga.call('get_next_step', { workflow_id })).toMatchObject({
      can_proceed: false,
      current_step: 3,
      current_status: 'waiting_approval',
    });
    const approved = { workflow_id, step: 3, approved: true, modifications: { tone: 'darker' } };
    expect(await olga.call('approve_step', approved)).toMatchObject({ status: 'completed', next_step: 4 });
    await olga.client.close();
  };
  const start = async (service: Caller): Promise<string> => {
    const args = { workflow_id: 'generation', user_id: 'mcp-olga', params: { scene_id: '0204' } };
    return String((await service.call('start_workflow', args)).instance_id);
  };
  const finished = async (service: Caller, workflow_id: string) => {
    expect(await service.call('get_workflow_status', { workflow_id })).toMatchObject({
      status: 'completed',
      progress_percentage: 100,
      artifacts: { scene_content: 'The scene.', final_report: 'One attempt.' },
    });
  };

  it.each(['auto', 'legacy'] as const)("with the state schema's tools, protocol %s", async (era) => {
    const service = await mcpOn(server, { ...SERVICE, era });
    const workflow_id = await start(service);
    const report = (step: number, artifacts: object, more: object = {}) =>
      service.call('update_workflow_state', { workflow_id, step, status: 'completed', artifacts, ...more });
    await report(1, { blueprint_path: 'b.md' });
    await report(2, { constraints_list: 'c.json' });
    expect(await report(3, { verification_plan: 'plan.md' })).toMatchObject({ result: 'waiting' });
    expect(await service.refusal('approve_step', { workflow_id, step: 3, approved: true })).toMatchObject({
      code: 'human_required',
    });
    await approve(workflow_id, era);
    await report(4, { draft: 'd.md', compliance_echo: 'e.md' });
    await report(5, { fast_compliance_result: 'ok' });
    for (const name of VALIDATORS)
      await service.call('send_signal', {
        instance_id: workflow_id,
        action: 'complete_step',
        agent: `${name}-validator`,
      });
    await report(6, { final_validation_report: 'v.md' });
    expect(await report(7, { final_report: 'One attempt.', scene_content: 'The scene.' })).toMatchObject({
      result: 'completed',
    });
    await finished(service, workflow_id);
    await service.client.close();
  });

  it.each(['auto', 'legacy'] as const)('on the bound endpoint, protocol %s', async (era) => {
    const service = await mcpOn(server, { ...SERVICE, era });
    const id = await start(service);
    const bound = await mcpOn(server, { ...SERVICE, era, to: id });
    const complete = async (artifacts: object, more: object = {}) => {
      expect(await bound.tools()).toContain('complete_step');
      return bound.call('complete_step', { artifacts, ...more });
    };
    expect(await complete({ blueprint_path: 'b.md' })).toMatchObject({
      result: 'advanced',
      content: { id: 'blueprint_validation', instructions: expect.stringMatching(/blueprint/) },
    });
    await complete({ constraints_list: 'c.json' });
    const waits = await complete({ verification_plan: 'plan.md' });
    expect(waits).toMatchObject({ result: 'waiting', tools: expect.not.arrayContaining(['complete_step']) });
    await expect(bound.client.callTool({ name: 'complete_step', arguments: {} })).rejects.toThrow(
      /Unknown tool/,
    );
    await approve(id, era);
    await complete({ draft: 'd.md', compliance_echo: 'e.md' });
    await complete({ fast_compliance_result: 'ok' });
    for (const name of VALIDATORS) await complete({}, { agent: `${name}-validator` });
    await complete({ final_validation_report: 'v.md' }, { agent: 'validation-aggregator' });
    expect(await complete({ final_report: 'One attempt.', scene_content: 'The scene.' })).toMatchObject({
      result: 'completed',
    });
    expect(await bound.tools()).not.toContain('complete_step');
    await finished(service, id);
    await Promise.all([service.client.close(), bound.client.close()]);
  });
});
