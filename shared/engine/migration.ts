// Whether an instance fits another version of its definition, and its state in the order of that version.
//   MG1  Every step that was reached exists there and is the same kind of end, or of none; a completed one has the
//        approval, the outputs and the evidence that are asked for there.
//   MG2  Nothing can be skipped: a step that the other version asks for before one that was reached was completed
//       before it, whether the instance goes on or is resumed from there.
import { Fault } from '../faults.ts';
import { paramsFor } from './compile/params.ts';
import { whatIsWrong } from './criteria/evidence.ts';
import { isDelivered } from './criteria/outputs.ts';
import type { JsonObject } from './model/json.ts';
import type { State, StepRecord } from './model/state.ts';
import { type Step, stepAt, type Workflow } from './model/workflow.ts';

/** Why an instance does not fit; about a step, or about all of it. */
export interface Misfit {
  readonly step: string | null;
  readonly reason: string;
  readonly fix: string;
}

export function misfits(from: Workflow, to: Workflow, state: State): readonly Misfit[] {
  const reached = state.steps.flatMap((record, index) =>
    record && isReached(record, state)
      ? [...misfitOf(stepAt(from, index), record, to), ...lackingMisfits(record, state, to)]
      : [],
  );
  const current = to.steps[to.index.get(state.current_step) ?? -1];
  return [
    ...reached,
    ...(current ? waitingMisfits(from, to, current, state) : []),
    ...skipped(to, state),
    ...paramMisfits(to, state),
    ...(to.single_active && !from.single_active
      ? [
          {
            step: null,
            reason:
              'The new version allows one active instance per owner, which this one was not counted as.',
            fix: 'Finish it on its own version, or publish one without "single_active".',
          },
        ]
      : []),
  ];
}

const isReached = ({ status, id }: StepRecord, { current_step }: State): boolean =>
  status !== 'pending' || id === current_step;

/** MG1. */
function misfitOf({ id, final }: Step, { status }: StepRecord, to: Workflow): Misfit[] {
  const target = to.steps[to.index.get(id) ?? -1];
  if (!target)
    return [
      {
        step: id,
        reason: `"${id}" is ${status} here, but the new version has no such step.`,
        fix: `Keep "${id}" in the new version, or resume the instance from an earlier step first (cancel it before, if it runs).`,
      },
    ];
  if (target.final === final) return [];
  const kind = (end: Step['final']) => (end === null ? 'a step' : `an end in ${end}`);
  return [
    {
      step: id,
      reason: `"${id}" is ${kind(final)} here, but ${kind(target.final)} in the new version.`,
      fix: `Give ${kind(target.final)} an id of its own in the new version.`,
    },
  ];
}

/** MG1, for what a completed step had to deliver. What an admin has overruled is settled. */
function lackingMisfits(record: StepRecord, { artifacts }: State, to: Workflow): Misfit[] {
  const target = to.steps[to.index.get(record.id) ?? -1];
  if (!target || record.status !== 'completed' || record.overridden !== null) return [];
  const { id, approval, outputs, evidence } = target;
  const lacks = [
    ...(approval !== null && record.approval?.approved !== true ? ['an approval'] : []),
    ...outputs
      .filter((name) => !isDelivered(record.artifacts, name) && !isDelivered(artifacts, name))
      .map((name) => `the output "${name}"`),
    ...Object.entries(evidence)
      .filter(([name, field]) => whatIsWrong(field, valueOf(record.evidence, name)) !== null)
      .map(([name]) => `the evidence "${name}"`),
  ];
  if (lacks.length === 0) return [];
  const reason = `"${id}" is completed here without ${lacks.join(', ')}, which the new version asks for.`;
  return [
    {
      step: id,
      reason,
      fix: `Cancel and resume the instance before "${id}", or let the new version ask for it in a later step.`,
    },
  ];
}

const valueOf = (values: JsonObject, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** What is under way on the current step can go on there. */
function waitingMisfits(from: Workflow, to: Workflow, current: Step, state: State): Misfit[] {
  const { id } = current;
  const found: Misfit[] = [];
  const add = (reason: string, fix: string) => found.push({ step: id, reason, fix });
  if (state.status === 'waiting_approval') {
    const { action, outcome } = state.pending;
    const on = action === 'complete_step' ? (outcome ?? 'ok') : action;
    const decides = current.handler.kind === 'decide' || current.handler.kind === 'function';
    if (!current.approval)
      add(`"${id}" waits for an approval, which the new version does not ask for.`, 'Decide on it first.');
    else if (!decides && !current.by_on.has(on) && !current.by_on.has('_default'))
      add(
        `"${id}" waits to be left by "${on}", which the new version does not know.`,
        `Decide on it first, or keep "${on}" in the new version.`,
      );
  }
  const old = stepAt(from, from.index.get(id) ?? from.entry);
  const judged = nameOf(from, old.triggers_retry);
  if (judged !== nameOf(to, current.triggers_retry))
    add(
      `"${id}" judges ${judged === null ? 'no attempts' : `the attempts of "${judged}"`} here, which the new version changes.`,
      'Finish the step on its own version first.',
    );
  const tried = state.steps[old.triggers_retry ?? old.index]?.attempts?.current ?? 0;
  const most = stepAt(to, current.triggers_retry ?? current.index).attempts?.max;
  if (most !== undefined && tried > most)
    add(`"${id}" is on attempt ${tried}, and the new version allows ${most}.`, `Allow at least ${tried}.`);
  return found;
}

const nameOf = (workflow: Workflow, index: number | null): string | null =>
  index === null ? null : stepAt(workflow, index).id;

/** MG2, for every step from which the instance could go on: the current one, and those that it may resume from. */
function skipped(to: Workflow, state: State): Misfit[] {
  const found = new Map<string, Misfit>();
  const records = new Map(state.steps.flatMap((record) => (record ? [[record.id, record] as const] : [])));
  for (const { id, status, entered } of records.values()) {
    const index = to.index.get(id);
    const counts = id === state.current_step || status === 'completed' || status === 'skipped';
    if (index === undefined || !counts) continue;
    for (let at = to.dominator[index] ?? -1; at >= 0; at = to.dominator[at] ?? -1) {
      const before = stepAt(to, at);
      const there = records.get(before.id);
      const inTime = there?.status === 'completed' && there.entered < entered;
      if (!before.required || inTime || found.has(before.id) || reachedWithout(to, at, index)) continue;
      const standing = there?.status === 'completed' ? 'was done after it' : 'is not done';
      found.set(before.id, {
        step: before.id,
        reason: `"${before.id}" comes before "${id}" in the new version, but ${standing} here: it could be skipped.`,
        fix: `Resume the instance from a step before both first (cancel it before, if it runs), or let the new version ask for "${before.id}" later.`,
      });
    }
  }
  return [...found.values()];
}

/** Is there a way to a step on which another is left undone, as by its failing? */
function reachedWithout(to: Workflow, undone: number, wanted: number): boolean {
  const seen = new Set([to.entry]);
  for (const at of seen) {
    if (at === wanted) return true;
    for (const { to: next, completes } of stepAt(to, at).transitions)
      if (next !== null && !(at === undone && completes)) seen.add(next);
  }
  return false;
}

function paramMisfits({ params }: Workflow, state: State): Misfit[] {
  try {
    paramsIn(params, state);
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const fix = 'Parameters are fixed once started: let the new version allow what this instance has.';
    return [{ step: null, reason: error.message, fix }];
  }
}

/** Those that the version knows, with its defaults for the rest. */
function paramsIn(domains: Workflow['params'], { params }: State): JsonObject {
  const known = Object.entries(params).filter(([name]) => Object.hasOwn(domains, name));
  return paramsFor(domains, Object.fromEntries(known));
}

/** The same instance on the other version. It must fit. */
export function moveTo(to: Workflow, state: State): State {
  const steps: (StepRecord | null)[] = [];
  for (const record of state.steps) {
    const target = record && to.steps[to.index.get(record.id) ?? -1];
    if (!target) continue;
    while (steps.length <= target.index) steps.push(null);
    steps[target.index] = record.id === state.current_step ? currentOn(target, record) : record;
  }
  const current = to.steps[to.index.get(state.current_step) ?? -1];
  const judged = current?.triggers_retry ?? -1;
  const tried = steps[judged];
  if (tried) steps[judged] = { ...tried, attempts: attemptsOn(stepAt(to, judged), tried) };
  return { ...state, definition: to.version, params: paramsIn(to.params, state), steps };
}

function currentOn(target: Step, record: StepRecord): StepRecord {
  const agents_done = record.agents_done.filter((agent) => target.agents.includes(agent));
  return { ...record, agents_done, attempts: attemptsOn(target, record) };
}

/** The same attempt, of as many as the version allows. */
const attemptsOn = ({ attempts: allowed }: Step, { attempts }: StepRecord): StepRecord['attempts'] =>
  attempts && allowed ? { ...attempts, max: allowed.max } : null;
