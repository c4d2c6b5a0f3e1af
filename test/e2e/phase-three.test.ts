// An agent at phase 1 of test-generation tries everything it can think of to see or reach phase 3: every tool, every
// route, resources, search, errors, earlier states, forks, history, the socket. Every byte it receives is kept, and
// none of phase 3's text is in it.
import { beforeAll, describe, expect, it } from 'vitest';
import { builtInWorkflows } from '../../shared/reading/built-in.ts';
import { ROUTES } from '../../shared/routes.ts';
import type { Caller as McpCaller } from '../functions/mcp/rig.ts';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { ONE_STORE } from '../support/stores.ts';
import { type Caller, callerOn, type Listener, started } from './callers.ts';
import { mcpOn } from './mcp-clients.ts';

const PHASES = builtInWorkflows().get('test-generation')?.steps ?? [];
const [FIRST, SECOND, THIRD] = PHASES;

/** Every line of phase 3, what it asks for, and its fields; less what phase 1 says too. Its title may be known. */
function secrets(): string[] {
  if (!FIRST || !SECOND || !THIRD) throw new Error('test-generation has fewer than three phases.');
  const lines = THIRD.content.split('\n').map((line) => line.trim());
  const fields = Object.entries(THIRD.evidence).flatMap(([name, { description = '' }]) => [
    name,
    description,
  ]);
  return [...new Set([...lines, ...fields, THIRD.description])]
    .filter((text) => text.length > 8 && !text.startsWith('## Phase 3'))
    .filter((text) => !FIRST.content.includes(text));
}

const NAMES = [3, 'phase_3', 'PHASE_3', '../phase_3', 'phase_2', THIRD?.title ?? ''];
/** To look for its text by: words of it, never so many that an echo would give it away. */
const WORDS = [
  'replace',
  'dependency mock',
  'phase 3',
  ...new Set(secrets().flatMap((text) => text.match(/\b\w{7,}\b/g) ?? [])),
].slice(0, 16);

const BODIES: readonly object[] = [
  {},
  { action: 'complete_step', step: 'phase_3', evidence: {} },
  { action: 'complete_step', outcome: 'skip' },
  { action: 'complete_step', outcome: 'iterate', step: 1 },
  { action: 'PHASE_3' },
  { action: 'stay', data: { current_step: 'phase_3', shared: { current_step: 'phase_3' } } },
  { approved: true, step: 3 },
  { reason: 'because', action: 'ok' },
  { from_step: 'phase_3' },
  { at: 1 },
  { at: 99 },
  { error: 'start over' },
  { version: 'x' },
  { answers: ['phase_3'] },
  { task_id: 'HERE', action_performed: 'complete_step', role: 'owner', result: { success: true } },
  { workflow_id: 'test-generation', params: {} },
  { id: 'test-generation', steps: [{ id: 'phase_3', document: 'test-generation.md' }] },
];

// What is locked is decided before anything is stored: one store will do.
describe.each(ONE_STORE)('phase 3 from phase 1, on %s', (store) => {
  let server: SharedServer;
  let received: string[];
  const keep = (text: string) => void received.push(text);
  beforeAll(async () => {
    server = await sharedServer(store);
  });

  it('the secrets are what a person who is an admin does see', async () => {
    const boss = await callerOn(server, 'phase-boss', ['admin']);
    const id = await started(boss, 'test-generation', { user_id: 'phase-olga' });
    const { body } = await boss.get(`/api/workflows/${id}/steps/phase_3`);
    const shown = JSON.stringify(body);
    const found = secrets().filter((text) => shown.includes(escaped(text)));
    expect(found.length).toBeGreaterThan(20);
    expect(secrets().length - found.length).toBeLessThan(3);
  });

  it.each([
    ['the agent that owns it', []],
    ['an agent with the role admin', ['admin']],
  ])(
    '%s finds none of its text',
    async (_title, roles) => {
      received = [];
      const who = { sub: `phase-agent-${roles.length}`, roles, kind: 'agent' as const, keep };
      const agent = await callerOn(server, who.sub, roles, 'agent');
      const instance = () => started(agent, 'test-generation', { params: { target_file: 'a.py' } });

      const id = await instance();
      await tryTools(await mcpOn(server, { ...who, era: 'auto' }), id);
      await tryTools(await mcpOn(server, { ...who, era: 'auto', to: id }), id);
      await tryRoutes(agent, instance);
      await trySocket(await agent.listen(), id);

      expect(received.length).toBeGreaterThan(300);
      const all = received.join('\n');
      expect(all).toContain(escaped(FIRST?.content.split('\n')[2] ?? ''));
      expect(secrets().filter((text) => all.includes(text) || all.includes(escaped(text)))).toEqual([]);
    },
    60_000,
  );

  /** Every tool there is, with every way of naming phase 3; resources and prompts. */
  async function tryTools({ client }: McpCaller, id: string): Promise<void> {
    const { tools } = await client.listTools();
    const about = { workflow_id: id, instance_id: id };
    const tried = tools.filter(({ name }) => !['cancel_workflow', 'start_workflow'].includes(name));
    for (const { name, inputSchema } of tried) {
      const known = Object.keys(inputSchema.properties ?? {});
      const only = (args: object) =>
        Object.fromEntries(Object.entries(args).filter(([key]) => known.includes(key)));
      const named = NAMES.map((step) => {
        const asked = { phase: step, step, from_step: step, query: String(step) || 'x' };
        return only({ ...about, ...asked, evidence: {}, status: 'completed', approved: true });
      });
      const bodies = BODIES.map((body) => ({ ...only(about), ...body }));
      const searches = known.includes('query')
        ? WORDS.map((query) => ({ ...only(about), query, max_tokens: 20_000 }))
        : [];
      const calls = [...named, ...bodies, ...searches];
      await Promise.all(calls.map((args) => client.callTool({ name, arguments: args }).then(ignore, ignore)));
    }
    const { resources } = await client.listResources();
    const steps = NAMES.map((step) => `stepgate://workflows/${id}/steps/${encodeURIComponent(step)}`);
    const others = ['artifacts/phase_3', 'steps/', 'steps/phase_1/../phase_3', 'definition', 'content'].map(
      (rest) => `stepgate://workflows/${id}/${rest}`,
    );
    for (const uri of [...resources.map((resource) => resource.uri), ...steps, ...others])
      await client.readResource({ uri }).then(ignore, ignore);
    await client.listResourceTemplates();
    await client.listPrompts();
    await client
      .getPrompt({ name: 'workflow_context', arguments: { workflow_id: id, step: 'phase_3' } })
      .then(ignore, ignore);
    await client.close();
  }

  /** Every route there is, with every way of naming phase 3 in its path, its query and its body. */
  async function tryRoutes(agent: Caller, instance: () => Promise<string>): Promise<void> {
    const asks = ['', '?at=1', '?at=2', '?format=prompt', '?format=mermaid', '?after=0', '?q=phase_3'];
    const searches = WORDS.map((word) => `?q=${encodeURIComponent(word)}&limit=50&max_tokens=20000`);
    for (const { method, path } of ROUTES) {
      const id = await instance();
      for (const step of path.includes('{step}') ? NAMES : ['phase_3']) {
        const target = path
          .replace('{instance_id}', id)
          .replace('{step}', encodeURIComponent(step))
          .replace('{widget_type}', 'phase_3')
          .replace('{session_name}', 'phase_3')
          .replace('{workflow_id}', 'test-generation');
        if (method === 'GET')
          await Promise.all(
            (path.endsWith('/content') ? searches : asks).map(async (query) =>
              keep(JSON.stringify((await agent.get(`${target}${query}`)).body)),
            ),
          );
        if (method === 'POST')
          for (const body of BODIES) {
            const said = JSON.parse(JSON.stringify(body).replace('HERE', id)) as object; // as it was
            keep(JSON.stringify((await agent.post(target, said)).body));
          }
      }
    }
  }

  /** The instance's events from the first on, signals over the socket, and other people's topics. */
  async function trySocket(socket: Listener, id: string): Promise<void> {
    for (const topic of [`instance:${id}`, 'user:me', 'role:owner', 'session:phase_3'])
      socket.send({ action: 'subscribe', topic, after: 0 });
    const signals = BODIES.map((signal, i) => ({
      action: 'signal',
      request_id: `r${i}`,
      instance_id: id,
      signal,
    }));
    for (const message of signals) socket.send(message);
    for (const { request_id } of signals)
      await socket.until((message) => message['request_id'] === request_id);
    await socket.until(({ type }) => type === 'workflow.violation');
    keep(JSON.stringify(socket.messages));
    await socket.close();
  }
});

const ignore = () => {};
/** As it stands in JSON. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
