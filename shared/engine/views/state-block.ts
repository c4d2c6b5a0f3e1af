// The `generation` or `planning` block: an instance in the shape that clients of the state schema already know.
import type { Actor } from '../model/actor.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { State, StepRecord } from '../model/state.ts';
import type { Step, StateBlock, Workflow } from '../model/workflow.ts';
import { countedSteps, currentStep, recordOf, titleFor } from './locks.ts';

/** `{ [name]: block }`, or nothing for workflows that have none. */
export function stateBlock(workflow: Workflow, state: State, actor: Actor): Record<string, object> {
  const block = workflow.state_block;
  if (block === null) return {};
  const { unit } = block;
  const steps = countedSteps(workflow);
  return {
    [block.name]: {
      ...included(block, state.params),
      [`current_${unit}`]: currentStep(workflow, state).number,
      [`total_${unit}s`]: steps.length,
      [`${unit}s`]: steps.map((step) => entryOf(workflow, state, step, unit, actor)),
      artifacts: state.artifacts,
    },
  };
}

function entryOf(workflow: Workflow, state: State, step: Step, unit: StateBlock['unit'], actor: Actor) {
  const record = recordOf(state, step);
  return {
    [unit]: step.number,
    name: titleFor(workflow, state, step, actor),
    status: record?.status ?? 'pending',
    ...timesOf(record),
    ...(unit === 'phase' ? { agents: step.agents } : {}),
    artifacts: record?.artifacts ?? {},
    ...approvalOf(step, record),
    ...attemptsOf(step, record),
  };
}

/** Undone by a way back is as if never started. */
export function timesOf(record: StepRecord | null) {
  const started = record !== null && record.status !== 'pending';
  return {
    started_at: started ? record.started_at : null,
    completed_at: started ? record.completed_at : null,
  };
}

export function approvalOf(step: Step, record: StepRecord | null) {
  if (step.approval === null) return {};
  const given = record?.approval ?? null;
  const approved = given?.approved ?? false;
  return {
    human_approval: {
      required: true,
      approved,
      approved_at: approved ? (given?.resolved_at ?? null) : null,
      ...(approved && given?.selected_variant ? { selected_variant: given.selected_variant } : {}),
    },
  };
}

export function attemptsOf(step: Step, record: StepRecord | null) {
  if (step.attempts === null) return {};
  const { current = 0, max = step.attempts.max, history = [] } = record?.attempts ?? {};
  return { attempts: { current, max, history } };
}

function included(block: StateBlock, params: JsonObject): JsonObject {
  const found: Record<string, Json> = {};
  for (const [key, path] of Object.entries(block.include)) {
    found[key] =
      typeof path === 'string'
        ? at(params, path)
        : Object.fromEntries(Object.entries(path).map(([inner, to]) => [inner, at(params, to)]));
  }
  return found;
}

/** A dotted path into the parameters ("context.act", "params.context.act"); null where nothing is. */
function at(params: JsonObject, path: string): Json {
  let value: Json | undefined = params;
  for (const key of path.replace(/^params\./, '').split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return null;
    value = (value as JsonObject)[key]; // an object, checked above
  }
  return value ?? null;
}
