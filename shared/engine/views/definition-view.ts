// GET /definitions/{id}: the shape of a workflow. What its steps say is for those who reach them, and for admins.
import { seesLocked } from '../decide/permissions.ts';
import type { Actor } from '../model/actor.ts';
import { type Step, stepAt, type Transition, type Workflow } from '../model/workflow.ts';
import { criteriaOf, evidenceFormat } from './step-parts.ts';

export function definitionView(workflow: Workflow, actor: Actor) {
  const all = seesLocked(actor);
  return {
    workflow_id: workflow.id,
    version: workflow.version,
    label: workflow.label,
    title: workflow.title,
    description: workflow.description,
    form: workflow.form,
    roles: workflow.roles,
    params: workflow.params,
    recovery: workflow.recovery,
    single_active: workflow.single_active,
    visibility: workflow.visibility,
    artifacts: workflow.artifacts,
    entry: stepAt(workflow, workflow.entry).id,
    milestones: workflow.milestones.map((index) => stepAt(workflow, index).id),
    steps: workflow.steps.map((step) => ({
      ...shapeOf(workflow, step, all),
      ...(all ? textOf(step) : {}),
    })),
    ...(all ? { source: workflow.source } : {}),
  };
}

function shapeOf(workflow: Workflow, step: Step, all: boolean) {
  return {
    step: step.number,
    id: step.id,
    title: all || workflow.visibility === 'open' ? step.title : null,
    required: step.required,
    final: step.final,
    roles: step.roles,
    roles_in_charge: step.roles_in_charge,
    lead: step.lead,
    agents: step.agents,
    teamwork: step.teamwork,
    human: step.human,
    approval: step.approval !== null,
    transitions: step.transitions.map((transition) => ({
      ...edgeOf(workflow, transition),
      ...(all
        ? { guard: transition.guard?.source ?? null, description: transition.description }
        : { guarded: transition.guard !== null }),
    })),
  };
}

function edgeOf(workflow: Workflow, { on, to, roles, auto, implied, claims, feedback_required }: Transition) {
  return {
    on,
    to: to === null ? null : stepAt(workflow, to).id,
    roles,
    auto,
    implied,
    claims,
    feedback_required,
  };
}

function textOf(step: Step) {
  return {
    description: step.description,
    instructions: step.instructions,
    actions: step.actions,
    content: step.content,
    responsibilities: step.responsibilities,
    criteria: criteriaOf(step),
    evidence: evidenceFormat(step),
    outputs: step.outputs,
    approval_details: step.approval,
    attempts: step.attempts,
    deadline: step.deadline,
    intents: step.intents,
    comes_first: step.comes_first,
    required_action: step.required_action,
  };
}
