// Generation up to its approval, and its seven validators: what only a person may do, and what many do at once.
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import { type Caller, callerOn, signal, started } from './callers.ts';

const VALIDATORS = [
  'continuity',
  'character',
  'dialogue',
  'pacing',
  'style',
  'worldbuilding',
  'constraint',
].map((name) => `${name}-validator`);

describe.each(STORE_KINDS)('generation, on %s', (kind) => {
  let server: SharedServer;
  let service: Caller;
  let olga: Caller;
  let id: string;
  beforeAll(async () => {
    server = await sharedServer(kind);
    service = await callerOn(server, 'writing-service', [], 'agent');
    olga = await callerOn(server, 'olga-generation');
    id = await started(service, 'generation', { user_id: 'olga-generation', params: { scene_id: '0204' } });
  });
  const done = (by: Caller, artifacts: object, more: object = {}) =>
    signal(by, id, { action: 'complete_step', artifacts, ...more });
  const approve = (by: Caller, body: object) => by.post(`/api/workflows/${id}/approve`, body);

  it('waits on step 3 for a person, at 42 per cent', async () => {
    await done(service, { blueprint_path: 'b.md', working_dir: 'w' });
    await done(service, { constraints_list: 'c.md' });
    const { body } = await done(service, { verification_plan: 'plan.md' });
    expect(body).toMatchObject({
      result: 'waiting',
      current_step: 'verification_plan',
      progress: { percent: 42 },
    });
    expect((await olga.get(`/api/workflows/${id}`)).body).toMatchObject({
      status: 'waiting_approval',
      generation: { scene_id: '0204', current_step: 3, total_steps: 7 },
    });
    expect((await olga.get(`/api/workflows/${id}/next`)).body).toMatchObject({
      can_proceed: false,
      current_step: 3,
    });
    expect((await olga.get(`/api/workflows/${id}/prerequisites/4`)).body).toMatchObject({
      required_steps: [1, 2, 3],
      missing_steps: [3],
    });
  });

  it("refuses an agent's approval, and records it", async () => {
    const { status, body } = await approve(service, { approved: true });
    expect([status, body.code]).toEqual([403, 'human_required']);
    const planner = await callerOn(server, 'planner', ['verification-planner'], 'agent');
    expect((await approve(planner, { approved: true })).body).toMatchObject({ code: 'human_required' });
  });

  it("refuses the requester's own approval, and a person's who has no part in it", async () => {
    const mine = await started(olga, 'generation');
    const hand = (artifacts: object) => signal(olga, mine, { action: 'complete_step', artifacts });
    await hand({ blueprint_path: 'b.md' });
    await hand({ constraints_list: 'c.md' });
    await hand({ verification_plan: 'plan.md' });
    const { status, body } = await olga.post(`/api/workflows/${mine}/approve`, { approved: true });
    expect([status, body.code]).toEqual([403, 'self_approval']);
    const stranger = await callerOn(server, 'stranger');
    expect((await stranger.post(`/api/workflows/${mine}/approve`, { approved: true })).status).toBe(404);
  });

  it("takes a person's approval with modifications, bound to a digest of what was approved", async () => {
    const before = (await olga.get(`/api/workflows/${id}`)).body;
    const modifications = { verification_plan: 'plan-2.md', tone: 'darker' };
    const { body } = await approve(olga, { approved: true, modifications });
    expect(body).toMatchObject({
      result: 'advanced',
      current_step: 'generation',
      version: Number(before.version) + 1,
    });
    const { items } = (await olga.get(`/api/workflows/${id}/history?after=${Number(before.version)}`)).body;
    const [{ events }] = items as [{ events: { type: string; data: object }[] }];
    expect(events.find(({ type }) => type === 'workflow.approval.resolved')?.data).toMatchObject({
      approved: true,
      by: 'olga-generation',
      modifications,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('joins seven validators that signal at once exactly once, and none is lost', async () => {
    await done(service, { draft: 'd.md', compliance_echo: 'e.md' });
    await done(service, { fast_compliance_result: 'ok' });
    const before = Number((await olga.get(`/api/workflows/${id}`)).body.version);
    const team = await Promise.all(VALIDATORS.map((name) => callerOn(server, name, [name], 'agent')));
    const answers = await Promise.all(team.map((by) => done(by, {})));
    expect(answers.map(({ status }) => status)).toEqual(VALIDATORS.map(() => 200));
    const versions = answers.map(({ body }) => Number(body.version)).toSorted((a, b) => a - b);
    expect(versions).toEqual(VALIDATORS.map((_, i) => before + 1 + i));
    const aggregator = await callerOn(server, 'agg', ['validation-aggregator'], 'agent');
    const joined = await done(aggregator, { final_validation_report: 'r.md' });
    expect(joined.body).toMatchObject({ result: 'advanced', current_step: 'final_output' });
    const final = await done(service, { final_report: 'f.md', scene_content: 's.md' });
    expect(final.body).toMatchObject({ result: 'completed', progress: { percent: 100 } });
  });
});
