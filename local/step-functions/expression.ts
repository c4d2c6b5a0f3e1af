// JSONata in a state machine: a text that is wholly "{% … %}" is an expression, anything else stands for itself.
//   AS2  An expression that fails, takes too long or gives nothing is a States.QueryEvaluationError.
import jsonata from 'jsonata';
import type { Json } from '../../shared/engine/index.ts';
import { QUERY_EVALUATION, StateError } from './state-error.ts';

export interface Surroundings {
  /** `$states`. */
  readonly states: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, Json>>;
}

const TIMEOUT_MS = 1_000;
const DEEPEST = 500;
const MOST_REMEMBERED = 1_000;
/** Functions that Step Functions adds to JSONata, and the one that it takes away. */
const OTHERWORLDLY = /\$(partition|range|hash|random|uuid|parse|eval)\s*\(/;

const compiled = new Map<string, jsonata.Expression>();

/** AWS takes it for an expression that was not written to its end. */
const isHalf = (text: string): boolean => text.startsWith('{%') !== text.endsWith('%}');

const sourceOf = (text: string): string | null =>
  text.startsWith('{%') && text.endsWith('%}') ? text.slice(2, -2).trim() : null;

function compile(source: string): jsonata.Expression {
  const known = compiled.get(source);
  if (known) return known;
  const expression = jsonata(source, { timeout: TIMEOUT_MS, stack: DEEPEST });
  if (compiled.size < MOST_REMEMBERED) compiled.set(source, expression);
  return expression;
}

/** What is wrong with the expressions of a state, each with its place. */
export function checkExpressions(id: string, value: unknown, path = ''): string[] {
  if (typeof value === 'string') {
    const source = sourceOf(value);
    const where = `State "${id}"${path}`;
    if (isHalf(value)) return [`${where}: an expression begins with "{%" and ends with "%}".`];
    if (source === null) return [];
    const [, own] = OTHERWORLDLY.exec(source) ?? [];
    if (own !== undefined) return [`${where}: the function $${own} is not supported.`];
    try {
      compile(source);
      return [];
    } catch (error) {
      return [`${where}: \`${source}\` is not JSONata: ${messageOf(error)}`];
    }
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => checkExpressions(id, inner, `${path}, ${key}`));
}

/** A template with its expressions evaluated. Throws a StateError. */
export async function evaluate(template: unknown, around: Surroundings): Promise<Json> {
  if (typeof template === 'string') {
    const source = sourceOf(template);
    return source === null ? template : run(source, around);
  }
  if (Array.isArray(template)) return Promise.all(template.map((item) => evaluate(item, around)));
  if (typeof template === 'object' && template !== null) {
    const fields = Object.entries(template).map(
      async ([key, value]) => [key, await evaluate(value, around)] as const,
    );
    return Object.fromEntries(await Promise.all(fields));
  }
  return template as Json; // a number, a truth value or null, as JSON has them
}

async function run(source: string, { states, variables }: Surroundings): Promise<Json> {
  let value: unknown;
  try {
    value = await compile(source).evaluate(undefined, { ...variables, states });
  } catch (error) {
    throw new StateError(QUERY_EVALUATION, `The expression \`${source}\` failed: ${messageOf(error)}`);
  }
  if (value === undefined || typeof value === 'function')
    throw new StateError(QUERY_EVALUATION, `The expression \`${source}\` gave nothing.`);
  return JSON.parse(JSON.stringify(value)) as Json; // JSONata marks its arrays; JSON has no marks
}

/** JSONata throws plain objects with a code and a message. */
const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
