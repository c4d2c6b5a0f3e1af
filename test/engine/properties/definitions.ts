// Four workflows for random walks. `supply` is what satisfies every gate of its workflow.
import { load, type Facts, type JsonObject, type Workflow } from '../../../shared/engine/index.ts';

export interface Ground {
  readonly name: string;
  readonly workflow: Workflow;
  readonly supply: {
    readonly data: JsonObject;
    readonly evidence: JsonObject;
    readonly artifacts: JsonObject;
  };
  readonly facts: Facts;
  readonly actions: readonly string[];
}

const onboarding = load({
  id: 'onboarding',
  steps: [
    { id: 'greeting', agent: 'host', criteria: ['agent_signal'] },
    {
      id: 'discovery',
      agents: ['host', 'scout'],
      criteria: [
        { type: 'memory_check', min_facts: 2, category: 'goals' },
        { type: 'widget_completed', widget_type: 'list_input', min_items: 1 },
      ],
      deadline: { seconds: 600, remind_after_seconds: 60 },
    },
    {
      id: 'plan',
      agent: 'host',
      evidence: { goals: { type: 'list', required: true, min_length: 1 } },
      outputs: ['plan_doc'],
    },
  ],
});

const delivery = load({
  id: 'delivery',
  recovery: 'restart',
  roles: ['developer', 'architect', 'tester', 'lead'],
  initial: 'todo',
  artifacts: ['commit_sha', 'test_results'],
  guards: { committed: 'has(artifacts.commit_sha)', tested: 'artifacts.test_results.passed > 0.9' },
  states: [
    { id: 'todo' },
    { id: 'coding', approval: { roles: ['lead'] } },
    { id: 'pending_review' },
    { id: 'reviewing' },
    { id: 'built' },
    { id: 'testing' },
    { id: 'done', terminal: true },
    { id: 'dropped', terminal: 'failure' },
  ],
  transitions: [
    { from: 'todo', to: 'coding', action: 'CLAIM_TASK', role_required: 'developer' },
    { from: 'todo', to: 'dropped', action: 'DROP', role_required: 'lead', completes: false },
    {
      from: 'coding',
      to: 'pending_review',
      action: 'COMMIT_CODE',
      role_required: 'developer',
      guard: 'committed',
    },
    {
      from: 'pending_review',
      to: 'reviewing',
      action: 'START_REVIEW',
      role_required: 'architect',
      implied: true,
    },
    { from: 'reviewing', to: 'built', action: 'APPROVE_CODE', role_required: ['architect', 'lead'] },
    {
      from: 'reviewing',
      to: 'coding',
      action: 'REJECT_CODE',
      role_required: 'architect',
      feedback_required: true,
      completes: false,
    },
    { from: 'built', to: 'testing', auto: true, guard: 'committed' },
    { from: 'testing', to: 'done', action: 'ok', role_required: 'tester', guard: 'tested' },
    { from: 'testing', to: 'coding', action: 'fail', role_required: 'lead', completes: false },
  ],
});

const generation = load({
  id: 'generation',
  roles: ['editor'],
  steps: [
    { id: 'brief', agent: 'writer', approval: { roles: ['editor'], allow_self: true } },
    {
      id: 'draft',
      agent: 'writer',
      outputs: ['draft'],
      attempts: { max: 3, backoff_seconds: 20, emphasis: ['calm', 'firm'], timeout_seconds: 300 },
    },
    {
      id: 'validate',
      agent: 'validator',
      agents: ['v1', 'v2', 'v3'],
      parallel: true,
      triggers_retry: 'draft',
      deadline: { seconds: 300 },
    },
    {
      id: 'choose',
      agent: 'writer',
      evidence: { score: { type: 'integer', min: 1 } },
      approval: { type: 'select_variant', variants: ['A', 'B'] },
    },
    { id: 'publish', agents: ['writer', 'v1'], parallel: false },
  ],
});

const review = load({
  id: 'review',
  roles: ['author', 'judge', 'sponsor'],
  params: { rounds: { type: 'integer', min: 1, max: 5, default: 3 } },
  steps: [
    { id: 'notes', agent: 'writer', required: false, next: { ok: 'write', iterate: 'notes' } },
    {
      id: 'write',
      transitions: [
        { on: 'ok', to: 'gate', role: 'author' },
        { on: 'iterate', to: 'write', role: ['author', 'judge'] },
        { on: 'fail', to: 'notes', role: 'judge' },
      ],
    },
    {
      id: 'gate',
      roles: ['judge'],
      criteria: ['qr_gate'],
      transitions: [
        { on: 'ok', to: 'settle' },
        { on: 'fail', to: 'write' },
        { on: 'ESCALATE', to: 'write', role: 'sponsor', completes: false },
      ],
    },
    {
      id: 'settle',
      handler: { decide: 'state.iteration >= params.rounds ? "ok" : "iterate"' },
      agent: 'writer',
      next: { ok: 'sign', iterate: 'settle' },
    },
    { id: 'sign', human: true, deadline: { seconds: 500, outcome: 'ok' }, next: { ok: null } },
  ],
});

export const GROUNDS: readonly Ground[] = [
  {
    name: 'onboarding',
    workflow: onboarding,
    supply: { data: { seen: true }, evidence: { goals: ['run'] }, artifacts: { plan_doc: 'text' } },
    facts: { memory: { goals: 3 } },
    actions: [],
  },
  {
    name: 'delivery',
    workflow: delivery,
    supply: { data: {}, evidence: {}, artifacts: { commit_sha: 'abc', test_results: { passed: 0.95 } } },
    facts: {},
    actions: ['CLAIM_TASK', 'DROP', 'COMMIT_CODE', 'START_REVIEW', 'APPROVE_CODE', 'REJECT_CODE'],
  },
  {
    name: 'generation',
    workflow: generation,
    supply: { data: {}, evidence: { score: 3 }, artifacts: { draft: 'text' } },
    facts: {},
    actions: [],
  },
  {
    name: 'review',
    workflow: review,
    supply: { data: {}, evidence: { findings: [] }, artifacts: {} },
    facts: {},
    actions: ['ESCALATE'],
  },
];
