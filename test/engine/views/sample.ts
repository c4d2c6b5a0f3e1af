// Workflows and a player for the tests of the views. SECRET marks what a locked step must not give away.
import { load } from '../../../shared/engine/compile/compile.ts';
import { decide } from '../../../shared/engine/decide/decide.ts';
import { begin } from '../../../shared/engine/decide/start.ts';
import type { Actor } from '../../../shared/engine/model/actor.ts';
import type { Commit } from '../../../shared/engine/model/decision.ts';
import { NO_FACTS } from '../../../shared/engine/model/facts.ts';
import type { JsonObject } from '../../../shared/engine/model/json.ts';
import { type BodyOf, readSignal, type SignalType } from '../../../shared/engine/model/signal.ts';
import type { State } from '../../../shared/engine/model/state.ts';
import type { Workflow } from '../../../shared/engine/model/workflow.ts';

export const olga: Actor = { sub: 'olga', kind: 'human', roles: [] };
export const boss: Actor = { sub: 'boss', kind: 'human', roles: ['admin'] };
export const robotAdmin: Actor = { sub: 'robot', kind: 'agent', roles: ['admin'] };
export const writer: Actor = { sub: 'w1', kind: 'agent', roles: ['writer'] };

/** Seven steps in the image of the seed's generation. */
export const generation = (visibility: 'open' | 'strict' = 'open'): Workflow =>
  load({
    id: 'generation',
    visibility,
    params: { scene_id: { type: 'text', required: true } },
    artifacts: ['blueprint_path'],
    state_block: { name: 'generation', unit: 'step', include: { scene_id: 'scene_id' } },
    steps: [
      step('file_check', 'File Check', 'coordinator'),
      step('blueprint', 'Blueprint Validation', 'validator'),
      { ...step('plan', 'Verification Plan', 'planner'), approval: true },
      {
        ...step('generate', 'Generation', 'writer'),
        attempts: { max: 3, emphasis: ['Keep to the plan.', 'Keep to the plan, really.'] },
      },
      { ...step('fast_check', 'Fast Check', 'checker'), triggers_retry: 'generate' },
      { ...step('validation', 'Full Validation', ''), agents: ['v1', 'v2'], parallel: true },
      step('output', 'Final Output', 'coordinator'),
    ],
  });

function step(id: string, title: string, agent: string) {
  return {
    id,
    title,
    ...(agent === '' ? {} : { agent }),
    instructions: `SECRET instructions of ${id}`,
    content: `SECRET content of ${id}`,
    actions: [`SECRET action of ${id}`],
    responsibilities: `SECRET duty of ${id}`,
    description: `SECRET description of ${id}`,
    evidence: { [`secret_field_${id}`]: { type: 'integer', min: 2, description: `SECRET field of ${id}` } },
  };
}

export const evidenceOf = (id: string): JsonObject => ({ [`secret_field_${id}`]: 3 });

export const delivery = load({
  id: 'delivery',
  roles: ['developer', 'architect', 'qa'],
  states: [
    {
      id: 'implementing',
      allowed_roles: ['developer'],
      responsibilities: { developer: 'Implement the feature, then commit it.' },
    },
    { id: 'dev_completed' },
    { id: 'pending_arch_review', allowed_roles: ['architect'], required_action: 'APPROVE_DESIGN' },
    { id: 'arch_reviewing', allowed_roles: ['architect'], required_action: 'APPROVE_DESIGN' },
    { id: 'arch_rejected', allowed_roles: ['developer'], required_action: 'REVISE_CODE' },
    { id: 'pending_qa', allowed_roles: ['qa'] },
    { id: 'done', terminal: true },
  ],
  transitions: [
    { from: 'implementing', to: 'dev_completed', action: 'COMMIT_CODE', role_required: 'developer' },
    { from: 'dev_completed', to: 'pending_arch_review', auto: true },
    claiming('pending_arch_review', 'arch_reviewing', 'CLAIM_REVIEW', 'architect'),
    { from: 'arch_reviewing', to: 'pending_qa', action: 'APPROVE_DESIGN', role_required: 'architect' },
    {
      from: 'arch_reviewing',
      to: 'arch_rejected',
      action: 'REJECT_DESIGN',
      role_required: 'architect',
      feedback_required: true,
    },
    { ...claiming('arch_rejected', 'implementing', 'REVISE_CODE', 'developer'), feedback_required: true },
    { from: 'pending_qa', to: 'done', action: 'APPROVE_TESTS', role_required: 'qa' },
  ],
});

function claiming(from: string, to: string, action: string, role: string) {
  return { from, to, action, role_required: role, implied: true };
}

const START = Date.parse('2026-03-01T12:00:00.000Z');

/** Plays a workflow; each signal comes ten seconds after the one before. */
export class Game {
  readonly workflow: Workflow;
  readonly commits: Commit[] = [];

  constructor(workflow: Workflow, params: JsonObject = {}) {
    this.workflow = workflow;
    const body = { instance_id: 'i-1', workflow_id: workflow.id, params };
    const { state, events, verdict } = begin(workflow, body, olga, this.now);
    this.keep(olga, 'start', body, { state, events, verdict });
  }

  get now(): string {
    return new Date(START + this.commits.length * 10_000).toISOString();
  }

  get state(): State {
    const last = this.commits.at(-1);
    if (!last) throw new Error('not started');
    return last.state;
  }

  send<T extends SignalType>(type: T, body: BodyOf<T>, actor: Actor = olga): this {
    const signal = readSignal(type, body);
    // a signal of this type is one of the union, which TypeScript cannot see through T
    const decision = decide(this.workflow, this.state, signal as never, actor, NO_FACTS, this.now);
    if (decision.kind !== 'commit') throw new Error(JSON.stringify(decision));
    this.keep(actor, type, body as JsonObject, decision);
    return this;
  }

  done(more: BodyOf<'signal'> = {}, actor: Actor = olga): this {
    const evidence = evidenceOf(this.state.current_step);
    return this.send('signal', { action: 'complete_step', evidence, ...more }, actor);
  }

  private keep(
    actor: Actor,
    type: string,
    body: JsonObject,
    made: Pick<Commit, 'state' | 'events' | 'verdict'>,
  ): void {
    const { state, events, verdict } = made;
    const signal = { type, body };
    const at = this.now;
    const commit = { id: 'i-1', seq: state.seq, at, actor, signal, facts: {}, events, state, previous: '' };
    this.commits.push({ ...commit, ...(verdict ? { verdict } : {}) });
  }
}

export const generating = (visibility: 'open' | 'strict' = 'open'): Game =>
  new Game(generation(visibility), { scene_id: '0204' });
