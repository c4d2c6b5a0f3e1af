// Small definitions in the image of the three seeds, for the engine's tests.
import { load } from '../../shared/engine/compile/compile.ts';
import type { Workflow } from '../../shared/engine/model/workflow.ts';

export const steps = (...list: readonly Record<string, unknown>[]): Workflow =>
  load({ id: 'sample', roles: ['dev', 'qa', 'lead'], steps: list });

export const onboarding = load({
  id: 'onboarding',
  steps: [
    { id: 'greeting', agents: ['greeter'], criteria: ['agent_signal'] },
    {
      id: 'discovery',
      agents: ['interviewer'],
      criteria: [{ type: 'memory_check', min_facts: 3, category: 'user_profile' }],
    },
    {
      id: 'brain_dump',
      agents: ['collector'],
      criteria: [{ type: 'widget_completed', widget_type: 'list_input', min_items: 2 }],
    },
    { id: 'completed', final: true },
  ],
});

export const delivery = load({
  id: 'delivery',
  recovery: 'restart',
  lease_seconds: 600,
  guards: [{ name: 'code_committed', check: 'artifacts.commit_sha exists' }],
  states: [
    { id: 'todo', allowed_roles: ['developer'] },
    { id: 'in_progress', allowed_roles: ['developer'] },
    {
      id: 'pending_arch_review',
      allowed_roles: ['architect'],
      required: true,
      required_action: 'APPROVE_DESIGN',
    },
    { id: 'arch_review', allowed_roles: ['architect'], required: true },
    { id: 'arch_rejected', allowed_roles: ['developer'] },
    { id: 'done', terminal: true },
  ],
  transitions: [
    { from: 'todo', to: 'in_progress', action: 'CLAIM_TASK', role_required: 'developer', implied: true },
    {
      from: 'in_progress',
      to: 'pending_arch_review',
      action: 'COMMIT_CODE',
      role_required: 'developer',
      guard: 'code_committed == true',
    },
    {
      from: 'pending_arch_review',
      to: 'arch_review',
      action: 'CLAIM_REVIEW',
      role_required: 'architect',
      implied: true,
    },
    { from: 'arch_review', to: 'done', action: 'APPROVE_DESIGN', role_required: 'architect' },
    {
      from: 'arch_review',
      to: 'arch_rejected',
      action: 'REJECT_DESIGN',
      role_required: 'architect',
      feedback_required: true,
      completes: false,
    },
    {
      from: 'arch_rejected',
      to: 'in_progress',
      action: 'REVISE_CODE',
      role_required: 'developer',
      implied: true,
      feedback_required: true,
    },
  ],
});

export const VALIDATORS = ['v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7'];

export const generation = load({
  id: 'generation',
  artifacts: ['working_dir'],
  steps: [
    { id: 'file_check', agents: ['checker'], outputs: ['files'] },
    { id: 'blueprint_check', agents: ['checker'] },
    { id: 'plan', agents: ['planner'], outputs: ['plan_path'], approval: { roles: [] } },
    {
      id: 'write',
      agents: ['writer'],
      attempts: {
        max: 3,
        emphasis: ['standard', 'strict', 'critical'],
        backoff_seconds: 60,
        backoff_rate: 2,
        backoff_jitter: 0,
      },
    },
    { id: 'quick_check', agents: ['judge'], triggers_retry: true, deadline: 30 },
    { id: 'validate', agents: VALIDATORS, parallel: true, criteria: ['all_agents'] },
    { id: 'publish', agents: ['publisher'] },
  ],
});
