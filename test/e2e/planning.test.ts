// Planning a scene, a chapter and an act, with a variant chosen by a person, and a server that is restarted in every
// phase: each goes on where it was.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { ONE_STORE } from '../support/stores.ts';
import { type Caller, callerOn, signal, started } from './callers.ts';

const LEVELS = ['scene', 'chapter', 'act'] as const;
/** Each phase: who works on it, in order, and what it leaves behind. */
const PHASES = [
  {
    id: 'exploration',
    name: 'Exploration',
    agents: ['dialogue-analyst', 'context-analyzer'],
    output: 'exploration_results',
  },
  {
    id: 'scenarios',
    name: 'Scenarios',
    agents: ['scenario-generator', 'consequence-predictor'],
    output: 'scenarios',
  },
  {
    id: 'path_planning',
    name: 'Path Planning',
    agents: ['arc-planner', 'dependency-mapper'],
    output: 'path_plan',
  },
  {
    id: 'detailing',
    name: 'Detailing',
    agents: ['emotional-arc-designer', 'beat-planner', 'dialogue-weaver'],
    output: 'detailed_plans',
  },
  {
    id: 'integration',
    name: 'Integration',
    agents: ['storyline-integrator', 'impact-analyzer'],
    output: 'integration_analysis',
  },
] as const;
const STARTING = 120_000;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
const CHOSEN = { required: true, approved: true, approved_at: INSTANT, selected_variant: 'B' };

/** Asked once more: a kept-alive connection may have ended with the server that it was made to. */
const sure = <T>(ask: () => Promise<T>): Promise<T> => ask().catch(ask);

/** On one store: what is restarted is the server. */
describe.each(ONE_STORE)('planning, on %s', (kind) => {
  let server: TestServer;
  let service: Caller;
  let paula: Caller;
  beforeAll(async () => {
    server = await startServer({ store: kind });
    service = await callerOn(server, 'planning-service', [], 'agent');
    paula = await callerOn(server, 'paula');
  });
  afterAll(() => server?.stop());

  it(
    'of a scene, a chapter and an act goes on after a restart in every phase',
    async () => {
      const context = { act: 1, chapter: 2, scene: 4 };
      const ids = await Promise.all(
        LEVELS.map((level) =>
          started(service, 'planning', { user_id: 'paula', params: { level, ...context } }),
        ),
      );
      const each = <T>(run: (id: string, level: string) => Promise<T>) =>
        Promise.all(ids.map((id, i) => run(id, LEVELS[i] ?? '')));
      const look = async (id: string) => (await sure(() => paula.get(`/api/workflows/${id}`))).body;
      const done = (id: string, agent: string, artifacts = {}) =>
        sure(() => signal(service, id, { action: 'complete_step', agent, artifacts }, `${id} ${agent}`));

      for (const [n, { id: phase, agents, output }] of PHASES.entries()) {
        const [first = '', ...others] = agents;
        await each((id, level) => done(id, first, n === 0 ? { working_dir: `runs/${level}` } : {}));
        const before = await each(look);
        await server.restart();
        expect(await each(look)).toEqual(before);
        for (const status of before)
          expect(status).toMatchObject({ status: 'in_progress', current_step: phase });
        for (const agent of others) await each((id) => done(id, agent, { [output]: `${phase}.md` }));
        if (phase !== 'scenarios') continue;
        await each(async (id) => {
          expect(await look(id)).toMatchObject({
            status: 'waiting_approval',
            planning: { current_phase: n + 1 },
          });
          const approve = (body: object) =>
            paula.post(`/api/workflows/${id}/approve`, { approved: true, ...body });
          expect((await approve({})).body).toMatchObject({ code: 'invalid_request' });
          expect((await approve({ selected_variant: 'B' })).body).toMatchObject({
            current_step: 'path_planning',
          });
          expect((await paula.get(`/api/workflows/${id}/context`)).body).toMatchObject({
            assigned_to: ['arc-planner'],
            approvals: [{ step: 'scenarios', by: 'paula', selected_variant: 'B' }],
          });
        });
      }

      await each(async (id, level) => {
        const document = await look(id);
        expect(document).toMatchObject({ status: 'completed', progress: { percent: 100, completed: 5 } });
        expect(document.planning).toEqual({
          level,
          context,
          current_phase: 5,
          total_phases: 5,
          phases: PHASES.map(({ id: phase, name, agents, output }, i) => ({
            phase: i + 1,
            name,
            status: 'completed',
            started_at: INSTANT,
            completed_at: INSTANT,
            agents,
            artifacts: { [output]: `${phase}.md` },
            ...(phase === 'scenarios' ? { human_approval: CHOSEN } : {}),
          })),
          artifacts: { working_dir: `runs/${level}` },
        });
        expect((await paula.get(`/api/workflows/${id}/replay`)).body).toMatchObject({ ok: true });
        expect((await paula.get(`/api/workflows/${id}/metrics`)).body).toMatchObject({
          workflow_metrics: { parallel_executions: 2, agent_calls: expect.any(Number) },
        });
      });
    },
    STARTING,
  );
});
