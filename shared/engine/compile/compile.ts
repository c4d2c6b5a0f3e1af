// From what was written to what runs: read the form, compile the steps, prove the whole, freeze it.
//   C1  Either a workflow that proves, or every problem found: never half of one.
import { Fault } from '../../faults.ts';
import type { Checker } from '../criteria/checker.ts';
import { CHECKERS } from '../criteria/registry.ts';
import { canonical, sha256 } from '../digest.ts';
import { ExpressionError, Expressions } from '../expressions/expression.ts';
import type { DecisionFunction } from '../handlers/decision-function.ts';
import { FUNCTIONS } from '../handlers/registry.ts';
import { ADMIN } from '../model/actor.ts';
import type { StepListDefinition } from '../model/definition.ts';
import { didYouMean } from '../model/strict.ts';
import type { ParamDomain, Step, Workflow } from '../model/workflow.ts';
import type { ProofProblem } from '../prove/problem.ts';
import { proveGraph } from '../prove/prove-graph.ts';
import { domainOf } from './params.ts';
import { Problems } from './problems.ts';
import { readForm } from './read-form.ts';
import { compileStep } from './steps.ts';

export interface CompileOptions {
  /** The id of a definition that has none: its file's name. */
  readonly name?: string;
  /** Criterion types and decision functions from outside, beside the built-in ones. */
  readonly checkers?: readonly Checker[];
  readonly functions?: Readonly<Record<string, DecisionFunction>>;
}

export type Compiled =
  | { readonly workflow: Workflow }
  | {
      readonly problems: readonly ProofProblem[];
      /** Checks that could not be made before these problems are mended. */
      readonly unchecked?: readonly number[];
    };

/** What is proven over the graph, which must be one first. */
const OVER_THE_GRAPH = [3, 4, 6, 7, 8];
const ALL_CHECKS = Array.from({ length: 11 }, (_, i) => i + 1);

const DEFAULT_LEASE_SECONDS = 300;

export function compile(input: unknown, options: CompileOptions = {}): Compiled {
  const form = readForm(input, options.name);
  if ('problems' in form) return { ...form, unchecked: ALL_CHECKS };
  const problems = new Problems(form.id);
  problems.take(form.found);
  const { definition, fsm } = form;
  const inputs = definition.steps ?? [];
  const index = new Map(inputs.map((step, position) => [step.id, position]));
  checkNames(definition, index, problems);
  checkStateBlock(definition, problems);
  const roles = rolesOf(definition);
  const expressions = expressionsOf(definition, problems);
  const checkers = new Map(
    [...CHECKERS, ...(options.checkers ?? [])].map((checker) => [checker.type, checker]),
  );
  const functions = { ...FUNCTIONS, ...options.functions };
  const params = paramsOf(definition, problems);
  const entry = definition.entry === undefined ? 0 : (index.get(definition.entry) ?? 0);
  const lease_seconds = definition.lease_seconds ?? DEFAULT_LEASE_SECONDS;
  const scope = {
    steps: inputs,
    index,
    expressions,
    problems,
    checkers,
    functions,
    fsm,
    lease_seconds,
    roles: new Set([...Object.keys(roles), ADMIN]),
  };
  const steps = inputs.map((step, position) => compileStep(step, position, scope));
  const { milestones, dominator } = prove(form.id, entry, steps, definition, index, problems);
  const found = problems.all();
  if (found.length > 0) return { problems: found, unchecked: problems.upTo(2) ? OVER_THE_GRAPH : [] };
  const workflow: Workflow = {
    id: form.id,
    version: sha256(canonical(form.source)).slice(0, 32),
    label: definition.version === undefined ? null : String(definition.version),
    title: definition.title ?? form.id,
    description: definition.description ?? '',
    form: fsm ? 'fsm' : 'steps',
    roles,
    params,
    recovery: definition.recovery ?? 'resume',
    single_active: definition.single_active ?? false,
    visibility: definition.visibility ?? 'open',
    artifacts: definition.artifacts ?? [],
    state_block: definition.state_block
      ? { ...definition.state_block, include: definition.state_block.include ?? {} }
      : null,
    steps,
    index,
    entry,
    audience: audienceOf(steps),
    milestones,
    is_milestone: flags(milestones, steps.length),
    checkpoints: steps.flatMap(({ approval, index: at }) => (approval === null ? [] : [at])),
    dominator,
    source: form.source,
  };
  return { workflow: freeze(workflow, new Set<object>(checkers.values())) };
}

/** The workflow, or a Fault that carries the whole report. */
export function load(input: unknown, options: CompileOptions = {}): Workflow {
  const compiled = compile(input, options);
  if ('workflow' in compiled) return compiled.workflow;
  const { problems, unchecked = [] } = compiled;
  const summary = problems.map(({ message, fix }) => `${message} ${fix}`);
  throw new Fault(
    'invalid_definition',
    [`The definition does not prove (${problems.length} problems):`, ...summary, ...leftOpen(unchecked)].join(
      '\n',
    ),
    { problems, unchecked },
  );
}

/** Says which checks are still to come, so that nobody takes a short report for a whole one. */
export const leftOpen = (unchecked: readonly number[]): string[] =>
  unchecked.length === 0 ? [] : [`Checks ${unchecked.join(', ')} are made once this is mended.`];

function prove(
  workflow: string,
  entry: number,
  steps: readonly Step[],
  definition: StepListDefinition,
  index: ReadonlyMap<string, number>,
  problems: Problems,
) {
  const edges = steps.flatMap((step) =>
    step.transitions.map(({ to, on, completes, auto }) => ({
      from: step.index,
      to,
      on,
      completes: completes && !(on === 'skip' && !step.required),
      auto: auto || step.automatic,
    })),
  );
  if (problems.upTo(2)) return { milestones: [], dominator: [] };
  const proof = proveGraph({ workflow, entry, steps, edges });
  problems.take(proof.problems);
  for (const [position, { id, prerequisites = [] }] of (definition.steps ?? []).entries()) {
    for (const name of prerequisites) {
      const wanted = typeof name === 'number' ? name - 1 : (index.get(name) ?? -1);
      if (!steps[wanted])
        problems.add(
          2,
          id,
          `"${id}" has the prerequisite "${name}", which is not a step.`,
          'Name a step by its id or number.',
        );
      else if (!dominates(wanted, position, proof.dominator)) {
        problems.add(
          7,
          id,
          `"${id}" has the prerequisite "${steps[wanted].id}", but can be reached without it.`,
          `Route every way to "${id}" through "${steps[wanted].id}", or drop the prerequisite.`,
        );
      }
    }
  }
  return proof;
}

function dominates(above: number, below: number, dominator: readonly number[]): boolean {
  for (let step = dominator[below] ?? -1; step >= 0; step = dominator[step] ?? -1)
    if (step === above) return true;
  return false;
}

function checkNames(
  definition: StepListDefinition,
  index: ReadonlyMap<string, number>,
  problems: Problems,
): void {
  const steps = definition.steps ?? [];
  if (definition.entry !== undefined && !index.has(definition.entry)) {
    problems.add(
      1,
      null,
      `The entry "${definition.entry}" is not a step${didYouMean(definition.entry, [...index.keys()])}.`,
      'Name one of the steps under "entry", or drop it to start with the first.',
    );
  }
  steps.forEach((step, position) => {
    if (index.get(step.id) !== position)
      problems.add(
        2,
        step.id,
        `There are two steps called "${step.id}".`,
        'Give each step an id of its own.',
      );
    if (step.number !== undefined && step.number !== position + 1) {
      problems.add(
        2,
        step.id,
        `"${step.id}" says it is number ${step.number} but stands at ${position + 1}.`,
        'Order the steps by their numbers, or drop the numbers.',
      );
    }
  });
}

/** What the block includes from the parameters is there. */
function checkStateBlock({ state_block, params = {} }: StepListDefinition, problems: Problems): void {
  const sources = Object.values(state_block?.include ?? {}).flatMap((source) =>
    typeof source === 'string' ? [source] : Object.values(source),
  );
  for (const source of sources) {
    const name = source.replace(/^params\./, '').split('.')[0] ?? '';
    if (!Object.hasOwn(params, name))
      problems.add(
        9,
        null,
        () =>
          `"state_block" includes "${source}", but there is no such parameter${didYouMean(name, Object.keys(params))}.`,
        `Declare "${name}" under "params", or correct "state_block".`,
      );
  }
}

function rolesOf({ roles = [] }: StepListDefinition): Readonly<Record<string, string>> {
  return Array.isArray(roles) ? Object.fromEntries(roles.map((role) => [role, ''])) : roles;
}

function expressionsOf(definition: StepListDefinition, problems: Problems): Expressions {
  const outputs = [
    ...(definition.artifacts ?? []),
    ...(definition.steps ?? []).flatMap((step) => step.outputs ?? []),
  ];
  const expressions = new Expressions(outputs);
  const guards = definition.guards ?? [];
  const named = Array.isArray(guards)
    ? guards
    : Object.entries(guards).map(([name, check]) => ({ name, check }));
  for (const { name, check } of named) {
    try {
      expressions.defineGuard(name, check);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      problems.add(
        9,
        null,
        `The guard "${name}" (\`${check}\`): ${error.message}.`,
        'Correct the expression; a guard may name those defined above it.',
      );
    }
  }
  return expressions;
}

function paramsOf(definition: StepListDefinition, problems: Problems): Readonly<Record<string, ParamDomain>> {
  const domains: Record<string, ParamDomain> = {};
  for (const [name, param] of Object.entries(definition.params ?? {})) {
    try {
      domains[name] = domainOf(param);
    } catch (error) {
      problems.add(
        5,
        null,
        `The parameter "${name}": ${error instanceof Error ? error.message : ''}.`,
        `Correct "params.${name}".`,
      );
    }
  }
  return domains;
}

function flags(indices: readonly number[], length: number): boolean[] {
  const flagged = Array.from({ length }, () => false);
  for (const index of indices) flagged[index] = true;
  return flagged;
}

function audienceOf(steps: readonly Step[]): ReadonlySet<string> {
  return new Set(
    steps.flatMap((step) => [
      ...step.agents,
      ...(step.lead ? [step.lead] : []),
      ...step.roles,
      ...(step.approval?.roles ?? []),
      ...step.transitions.flatMap(({ roles }) => roles),
    ]),
  );
}

/** Frozen all the way down but for the checkers, which are not ours; no recursion: definitions may be large. */
function freeze<T extends object>(root: T, foreign: ReadonlySet<object>): T {
  const open: object[] = [root];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (Object.isFrozen(item) || foreign.has(item) || item instanceof Map || item instanceof Set) continue;
    Object.freeze(item);
    for (const value of Object.values(item) as unknown[])
      if (typeof value === 'object' && value !== null) open.push(value);
  }
  return root;
}
