// One step of the definition, compiled: defaults filled in, names resolved, expressions parsed.
import { ExpressionError } from '../expressions/expression.ts';
import type { DecisionFunction } from '../handlers/decision-function.ts';
import type { StepInput } from '../model/definition.ts';
import { OUTCOMES } from '../model/definition.ts';
import { didYouMean } from '../model/strict.ts';
import type { Approval, Attempts, Deadline, Handler, Step, Transition } from '../model/workflow.ts';
import { type CriteriaScope, criteriaOf } from './criteria.ts';
import { isOutcome, retryOf, type TransitionScope, transitionsOf } from './transitions.ts';

export interface StepScope extends CriteriaScope, TransitionScope {
  readonly fsm: boolean;
  readonly functions: Readonly<Record<string, DecisionFunction>>;
  readonly lease_seconds: number;
  readonly roles: ReadonlySet<string>;
}

export function compileStep(input: StepInput, position: number, scope: StepScope): Step {
  const transitions = transitionsOf(input, position, scope.fsm, scope);
  const handler = handlerOf(input, transitions, scope);
  const agents = agentsOf(input, handler);
  const teamwork = teamworkOf(input, agents);
  const roles = input.roles ?? [];
  const asked = [
    ...new Set(transitions.filter(({ auto }) => !auto).flatMap((transition) => transition.roles)),
  ];
  checkRoles(input, transitions, scope);
  const waits = agents.length > 0 || roles.length > 0 || asked.length > 0 || input.human || input.approval;
  const byOn = new Map<string, Transition[]>();
  for (const transition of transitions) {
    const list = byOn.get(transition.on);
    if (list) list.push(transition);
    else byOn.set(transition.on, [transition]);
  }
  return {
    index: position,
    number: position + 1,
    id: input.id,
    title: input.title ?? input.id,
    description: input.description ?? '',
    required: input.required ?? true,
    final: input.final === true ? 'success' : input.final || null,
    lead: input.agent !== undefined && input.agents !== undefined ? input.agent : null,
    agents,
    teamwork,
    roles,
    human: input.human ?? false,
    instructions: input.instructions ?? '',
    actions: input.actions ?? [],
    content: input.content ?? '',
    responsibilities: input.responsibilities ?? null,
    criteria: criteriaOf({ ...input, agents: [...agents] }, teamwork, scope),
    evidence: input.evidence ?? {},
    outputs: input.outputs ?? [],
    approval: approvalOf(input),
    attempts: attemptsOf(input),
    triggers_retry: retryOf(input, position, scope) ?? null,
    deadline: deadlineOf(input, byOn, scope),
    handler,
    intents: input.intents ?? [],
    comes_first: input.comes_first ?? null,
    supports_questions: input.supports_questions ?? true,
    lease_seconds: input.lease_seconds ?? scope.lease_seconds,
    required_action: input.required_action ?? null,
    roles_in_charge: asked.length > 0 ? asked : roles,
    transitions,
    by_on: byOn,
    auto: transitions.filter(({ auto }) => auto),
    automatic: (handler.kind === 'decide' || handler.kind === 'function') && !waits,
  };
}

function agentsOf(input: StepInput, handler: Handler): readonly string[] {
  const agents = input.agents ?? (input.agent === undefined ? [] : [input.agent]);
  return handler.kind === 'dispatch' && !agents.includes(handler.agent) ? [...agents, handler.agent] : agents;
}

function teamworkOf(input: StepInput, agents: readonly string[]): Step['teamwork'] {
  const joined = (input.criteria ?? []).some(
    (criterion) => (typeof criterion === 'string' ? criterion : criterion.type) === 'all_agents',
  );
  if (joined || (input.parallel === true && agents.length > 1)) return 'all';
  return input.parallel === false && agents.length > 1 ? 'sequence' : 'any';
}

function approvalOf({ approval, criteria }: StepInput): Approval | null {
  const listed = (criteria ?? []).some(
    (criterion) => (typeof criterion === 'string' ? criterion : criterion.type) === 'human_approval',
  );
  if (!approval && !listed) return null;
  const given = typeof approval === 'object' ? approval : {};
  return {
    type: given.type ?? 'approve',
    roles: given.roles ?? [],
    allow_self: given.allow_self ?? false,
    variants: given.variants ?? [],
    prompt: given.prompt ?? '',
  };
}

const DEFAULT_JITTER = 0.2;

function attemptsOf({ attempts }: StepInput): Attempts | null {
  if (attempts === undefined) return null;
  const given = typeof attempts === 'number' ? { max: attempts } : attempts;
  return {
    max: given.max,
    emphasis: given.emphasis ?? [],
    timeout_seconds: given.timeout_seconds ?? null,
    heartbeat_seconds: given.heartbeat_seconds ?? null,
    backoff_seconds: given.backoff_seconds ?? 0,
    backoff_rate: given.backoff_rate ?? 2,
    max_backoff_seconds: given.max_backoff_seconds ?? 3_600,
    backoff_jitter: given.backoff_jitter ?? DEFAULT_JITTER,
  };
}

function deadlineOf(
  { id, deadline }: StepInput,
  ways: ReadonlyMap<string, unknown>,
  { problems }: StepScope,
): Deadline | null {
  if (deadline === undefined) return null;
  const given = typeof deadline === 'number' ? { seconds: deadline } : deadline;
  const outcome = given.outcome ?? 'fail';
  if (outcome !== 'fail' && !ways.has(outcome))
    problems.add(
      2,
      id,
      `The deadline of "${id}" ends in "${outcome}", for which the step has no transition.`,
      `Add a transition on "${outcome}", or use "fail".`,
    );
  return { seconds: given.seconds, remind_after_seconds: given.remind_after_seconds ?? null, outcome };
}

function handlerOf(
  input: StepInput,
  transitions: readonly Transition[],
  { functions, expressions, problems }: StepScope,
): Handler {
  const given = input.handler ?? {};
  const named = [given.decide, given.function, given.dispatch].filter((way) => way !== undefined);
  if (named.length > 1)
    problems.add(
      10,
      input.id,
      `"${input.id}" has more than one handler.`,
      'Keep one of decide, function and dispatch.',
    );
  if (given.dispatch) {
    return {
      kind: 'dispatch',
      agent: given.dispatch.agent,
      script: given.dispatch.script ?? null,
      outcomes: { pass: 'ok', fail: 'fail', ...given.dispatch.outcomes },
    };
  }
  if (given.function !== undefined) {
    const run = Object.hasOwn(functions, given.function) ? functions[given.function] : undefined;
    if (run) return { kind: 'function', name: given.function, run };
    problems.add(
      10,
      input.id,
      () =>
        `"${input.id}" is decided by "${given.function}", which is not registered${didYouMean(String(given.function), Object.keys(functions))}.`,
      'Register the function, or use a CEL expression under "decide".',
    );
    return { kind: 'wait' };
  }
  if (given.decide === undefined) return { kind: 'wait' };
  try {
    const outcome = expressions.compile(given.decide, 'string');
    const state = Object.fromEntries(
      Object.entries(given.state ?? {}).map(([key, source]) => [key, expressions.compile(source, 'any')]),
    );
    const ways = new Set(transitions.map(({ on }) => on));
    for (const name of OUTCOMES) {
      const mentioned = given.decide.includes(`"${name}"`) || given.decide.includes(`'${name}'`);
      if (mentioned && isOutcome(name) && !ways.has(name) && !ways.has('_default')) {
        problems.add(
          2,
          input.id,
          `"${input.id}" can decide "${name}" but has no transition for it.`,
          `Add "${name}" (or "_default") to its "next".`,
        );
      }
    }
    return { kind: 'decide', outcome, state };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    problems.add(
      9,
      input.id,
      `The decision \`${given.decide}\` of "${input.id}": ${error.message}.`,
      'Correct the expression; its value is the outcome.',
    );
    return { kind: 'wait' };
  }
}

function checkRoles(
  input: StepInput,
  transitions: readonly Transition[],
  { roles, problems }: StepScope,
): void {
  const approvers = typeof input.approval === 'object' ? (input.approval.roles ?? []) : [];
  const used = new Set([
    ...(input.roles ?? []),
    ...approvers,
    ...transitions.flatMap((transition) => transition.roles),
  ]);
  for (const role of used) {
    if (!roles.has(role))
      problems.add(
        10,
        input.id,
        () => `"${input.id}" needs the role "${role}", which is not declared${didYouMean(role, [...roles])}.`,
        `Add "${role}" under "roles".`,
      );
  }
}
