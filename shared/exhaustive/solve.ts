// Finds values under which expressions come out as wanted, by trying those the expressions themselves mention.
//   S1  What is found was evaluated by the engine's own evaluator. What is not found may still exist.
import { whatIsWrong } from '../engine/criteria/evidence.ts';
import type { CompiledExpression, Variables } from '../engine/expressions/expression.ts';
import type { Json } from '../engine/model/json.ts';
import type { Step, Workflow } from '../engine/model/workflow.ts';
import { sampleOf, type Supply, type Values } from './samples.ts';

export interface Goal {
  readonly expression: CompiledExpression;
  /** Of the value; undefined if there is none. */
  readonly wanted: (value: Json | undefined) => boolean;
}

export const isTrue = (expression: CompiledExpression): Goal => ({
  expression,
  wanted: (value) => value === true,
});

const TRIES = 5_000;
const ASSIGNABLE: readonly string[] = ['data', 'evidence', 'artifacts', 'shared'];
const KEEP = Symbol('keep');
type Choice = Json | typeof KEEP;

export function solve(
  workflow: Workflow,
  step: Step,
  goals: readonly Goal[],
  base: Variables,
  supply: Supply,
): Supply | null {
  const reads = [...new Set(goals.flatMap(({ expression }) => expression.reads))];
  const paths = reads
    .filter((path) => ASSIGNABLE.includes(path.split('.')[0] ?? '') && path.includes('.'))
    .filter((path) => !reads.some((other) => other.startsWith(`${path}.`)));
  const literals = literalsOf(workflow, goals);
  const choices = paths.map((path) => choicesFor(path, step, literals));
  const total = Math.min(
    TRIES,
    choices.reduce((product, { length }) => product * length, 1),
  );
  for (let number = 0; number < total; number++) {
    const tried = assigned(paths, choices, number, supply);
    const variables: Variables = {
      ...base,
      data: { ...base.data, ...tried.data },
      evidence: { ...base.evidence, ...tried.evidence },
      artifacts: { ...base.artifacts, ...tried.artifacts },
      shared: { ...base.shared, ...tried.shared },
    };
    const met = goals.every(({ expression, wanted }) => {
      const result = expression.evaluate(variables);
      return wanted(result.ok ? result.value : undefined);
    });
    if (met) return tried;
  }
  return null;
}

function assigned(
  paths: readonly string[],
  choices: readonly (readonly Choice[])[],
  number: number,
  supply: Supply,
): Supply {
  const made = structuredClone(supply);
  let rest = number;
  paths.forEach((path, i) => {
    const list = choices[i] ?? [KEEP];
    const value = list[rest % list.length] ?? KEEP;
    rest = Math.floor(rest / list.length);
    if (value !== KEEP) assign(made as unknown as Values, path.split('.'), value); // a Supply is a tree of values
  });
  return made;
}

function assign(root: Values, path: readonly string[], value: Json): void {
  let at = root;
  for (const part of path.slice(0, -1)) {
    const next = Object.hasOwn(at, part) ? at[part] : undefined;
    const plain = typeof next === 'object' && next !== null && !Array.isArray(next) ? next : {};
    at[part] = plain;
    at = plain as Values; // our own clone
  }
  const last = path.at(-1);
  if (last !== undefined) at[last] = value;
}

function choicesFor(path: string, step: Step, literals: readonly Json[]): readonly Choice[] {
  const [root, field] = path.split('.');
  const format = root === 'evidence' && field !== undefined ? step.evidence[field] : undefined;
  const sample = format && sampleOf(format);
  const all: Choice[] = [
    KEEP,
    true,
    ...literals,
    false,
    'sample',
    ['sample'],
    [],
    { sample: true },
    0,
    1,
    '',
  ];
  if (!format || path.split('.').length > 2) return all;
  const fitting = all.filter((value) => value === KEEP || whatIsWrong(format, value) === null);
  return sample === undefined ? fitting : [...fitting, sample];
}

/** Numbers and texts that the expressions, or the named guards they may use, compare with. */
function literalsOf(workflow: Workflow, goals: readonly Goal[]): Json[] {
  const { guards } = workflow.source as { guards?: Json }; // the normalised definition
  const text = [...goals.map(({ expression }) => expression.source), guards ? JSON.stringify(guards) : ''];
  const found = new Set<Json>();
  for (const source of text
    .join(' ')
    .replaceAll('\\"', '"')
    .matchAll(/"([^"]*)"|'([^']*)'|(\d+(?:\.\d+)?)/g)) {
    const [, double, single, digits] = source;
    if (digits !== undefined) for (const by of [0, 1, -1]) found.add(Number(digits) + by);
    else if ((double ?? single ?? '').length <= 100) found.add(double ?? single ?? '');
  }
  return [...found].slice(0, 40);
}
