// What a signal brings is merged, shallowly, into the step: data, evidence, artifacts; data.shared into the context.
import type { Decision } from '../model/decision.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { SignalBody } from '../model/signal.ts';
import type { Draft } from './draft.ts';
import { refuse } from './outcome.ts';

/** Keys the engine keeps itself. */
const RESERVED = ['started_at', 'completed_at'];

export function merge(draft: Draft, { data, evidence, artifacts }: SignalBody): Decision | null {
  const reserved = RESERVED.filter((key) => data && Object.hasOwn(data, key)).map((key) => `data.${key}`);
  const shared = data?.shared;
  if (shared !== undefined && !isObject(shared)) return invalid(draft, 'data.shared', 'must be an object');
  if (isObject(shared) && Object.hasOwn(shared, 'deferred')) reserved.push('data.shared.deferred');
  if (reserved[0] !== undefined)
    return invalid(draft, reserved[0], 'is kept by the engine and cannot be set');
  const { record } = draft;
  if (data) {
    const { shared: _, ...own } = data;
    draft.patch({ data: { ...record.data, ...own } });
    if (isObject(shared)) draft.shared = { ...draft.shared, ...shared };
  }
  if (evidence) draft.patch({ evidence: { ...record.evidence, ...evidence } });
  if (artifacts) {
    const entries = Object.entries(artifacts);
    const global = entries.filter(([name]) => draft.workflow.artifacts.includes(name));
    const own = entries.filter(([name]) => !draft.workflow.artifacts.includes(name));
    if (global.length > 0) draft.deliver(Object.fromEntries(global));
    if (own.length > 0) draft.patch({ artifacts: { ...record.artifacts, ...Object.fromEntries(own) } });
  }
  return null;
}

function invalid(draft: Draft, path: string, message: string): Decision {
  return refuse(draft, 'invalid_request', `${path} ${message}.`, { issues: [{ path, message }] });
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
