// The parameter combinations of a workflow: the product of the domains, in order, up to a limit.
import type { Json, JsonObject } from '../engine/model/json.ts';
import type { ParamDomain, Workflow } from '../engine/model/workflow.ts';

export interface Combination {
  readonly label: string;
  readonly params: JsonObject;
}

const ALL_UP_TO = 20;
const ABSENT = Symbol('absent');
type Value = Json | typeof ABSENT;

export function combinations(
  { params }: Workflow,
  limit: number,
): { readonly combinations: readonly Combination[]; readonly skipped: readonly string[] } {
  const skipped: string[] = [];
  const axes = Object.entries(params).map(([name, domain]) => ({
    name,
    values: valuesOf(name, domain, skipped),
  }));
  const total = axes.reduce((product, { values }) => product * values.length, 1);
  const count = Math.min(total, limit);
  if (count < total)
    skipped.push(`${total - count} of ${total} parameter combinations: the limit is ${limit} (see --max).`);
  // Spread over the whole product: a capped walk still meets both ends of every domain.
  const picked = Array.from({ length: count }, (_, i) =>
    count === 1 ? 0 : Math.round((i * (total - 1)) / (count - 1)),
  );
  return { combinations: picked.map((number) => combinationAt(axes, number)), skipped };
}

function combinationAt(
  axes: readonly { readonly name: string; readonly values: readonly Value[] }[],
  number: number,
): Combination {
  let rest = number;
  const params: Record<string, Json> = {};
  const parts: string[] = [];
  for (const { name, values } of axes) {
    const value = values[rest % values.length] as Value; // within the list: every domain has a value
    rest = Math.floor(rest / values.length);
    if (value === ABSENT) continue;
    params[name] = value;
    parts.push(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
  return { label: parts.join(',') || 'none', params };
}

function valuesOf(name: string, domain: ParamDomain, skipped: string[]): readonly Value[] {
  if (domain.kind === 'constant') return [domain.default ?? null];
  if (domain.choices) return domain.choices;
  if (domain.kind === 'text') {
    const sample = 'sample'.slice(0, domain.max_length ?? 100);
    skipped.push(`Other texts for the parameter "${name}": one sample stands for all.`);
    return domain.required ? [sample] : [sample, ABSENT];
  }
  const { min, max } = domain;
  if (min === undefined || max === undefined) {
    const known = [domain.default, min, max, (min ?? max ?? 0) + (min === undefined ? -1 : 1)];
    skipped.push(`Other values of the parameter "${name}": its domain has no bounds on both sides.`);
    return [...new Set(known.filter((value) => value !== undefined))];
  }
  if (domain.kind === 'integer' && max - min < ALL_UP_TO)
    return Array.from({ length: Math.floor(max) - Math.ceil(min) + 1 }, (_, i) => Math.ceil(min) + i);
  const middle = domain.kind === 'integer' ? Math.floor((min + max) / 2) : (min + max) / 2;
  skipped.push(`Values of the parameter "${name}" between its ends ${min} and ${max} other than ${middle}.`);
  return [...new Set([min, middle, max])];
}
