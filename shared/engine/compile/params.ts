// Parameters: their domains when a definition is loaded, their values when an instance starts.
import { Fault } from '../../faults.ts';
import { canonical } from '../digest.ts';
import type { Param } from '../model/definition.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { didYouMean } from '../model/strict.ts';
import type { ParamDomain } from '../model/workflow.ts';

/** Throws a sentence that says what is wrong with the parameter's declaration. */
export function domainOf(param: Param): ParamDomain {
  const kind = kindOf(param);
  const domain: ParamDomain = {
    kind,
    description: param.description ?? '',
    required: param.required ?? false,
    ...(param.min === undefined ? {} : { min: param.min }),
    ...(param.max === undefined ? {} : { max: param.max }),
    ...(param.max_length === undefined ? {} : { max_length: param.max_length }),
    ...choicesOf(param, kind),
    ...(kind === 'constant'
      ? { default: param.constant ?? null }
      : param.default === undefined
        ? {}
        : { default: param.default }),
  };
  if (param.min !== undefined && param.max !== undefined && param.min > param.max)
    throw new Error(`min ${param.min} is above max ${param.max}`);
  if ((param.min !== undefined || param.max !== undefined) && kind !== 'integer' && kind !== 'number')
    throw new Error(`min and max belong to numbers, not to ${kind}`);
  if (kind === 'choice' && (domain.choices?.length ?? 0) === 0)
    throw new Error('choices is empty; list at least one');
  if (domain.choices && new Set(domain.choices).size < domain.choices.length)
    throw new Error('choices holds a value twice');
  const wrong = domain.default === undefined ? null : misfit(domain, domain.default);
  if (wrong !== null) throw new Error(`its default ${wrong}`);
  return domain;
}

function kindOf(param: Param): ParamDomain['kind'] {
  if (param.constant !== undefined || param.type === 'constant') {
    if (param.constant === undefined) throw new Error('has type constant but no "constant" value');
    return 'constant';
  }
  if (param.choices !== undefined || param.type === 'choice') return 'choice';
  if (param.type === 'string') return 'text';
  if (param.type !== undefined) return param.type;
  if (param.min !== undefined || param.max !== undefined) {
    return [param.min, param.max, param.default].every(
      (value) => value === undefined || Number.isInteger(value),
    )
      ? 'integer'
      : 'number';
  }
  if (typeof param.default === 'boolean') return 'boolean';
  if (typeof param.default === 'number') return Number.isInteger(param.default) ? 'integer' : 'number';
  return 'text';
}

function choicesOf(param: Param, kind: ParamDomain['kind']): { choices?: readonly Json[] } {
  if (kind === 'choice') return { choices: param.choices ?? [] };
  return kind === 'boolean' ? { choices: [true, false] } : {};
}

/** Null if the value is in the domain; otherwise what is wrong, as the end of a sentence. */
function misfit(domain: ParamDomain, value: Json): string | null {
  if (domain.kind === 'constant')
    return canonical(value) === canonical(domain.default)
      ? null
      : `must be ${JSON.stringify(domain.default)}`;
  if (domain.choices)
    return domain.choices.includes(value)
      ? null
      : `must be one of ${domain.choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  if (domain.kind === 'text') {
    if (typeof value !== 'string') return 'must be text';
    return domain.max_length !== undefined && value.length > domain.max_length
      ? `must have at most ${domain.max_length} characters`
      : null;
  }
  if (typeof value !== 'number') return `must be ${domain.kind === 'integer' ? 'an integer' : 'a number'}`;
  if (domain.kind === 'integer' && !Number.isInteger(value)) return 'must be an integer';
  if (domain.min !== undefined && value < domain.min) return `must be at least ${domain.min}`;
  return domain.max !== undefined && value > domain.max ? `must be at most ${domain.max}` : null;
}

/** The parameters an instance runs on, with defaults filled in. Every issue is reported at once. */
export function paramsFor(domains: Readonly<Record<string, ParamDomain>>, given: JsonObject): JsonObject {
  const issues: { path: string; message: string }[] = [];
  const values: Record<string, Json> = {};
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(domains, name))
      issues.push({
        path: `params.${name}`,
        message: `unknown parameter${didYouMean(name, Object.keys(domains))}`,
      });
  }
  for (const [name, domain] of Object.entries(domains)) {
    const value = Object.hasOwn(given, name) ? given[name] : domain.default;
    if (value === undefined) {
      if (domain.required)
        issues.push({ path: `params.${name}`, message: `is required: ${domain.description || domain.kind}` });
      continue;
    }
    const wrong = misfit(domain, value);
    if (wrong !== null) issues.push({ path: `params.${name}`, message: wrong });
    else values[name] = value;
  }
  if (issues.length > 0) {
    throw new Fault(
      'invalid_request',
      `The parameters do not fit: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
      { issues },
    );
  }
  return values;
}
