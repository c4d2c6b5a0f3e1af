// The seeds spell some keys in their own way (`name`, `agent`, `human_approval`, `max_attempts` …).
// They are read as what they mean; a key given in both spellings is left for the schema to refuse.

type Loose = Record<string, unknown>;

const TOP: Readonly<Record<string, string>> = {
  workflow_id: 'id',
  name: 'title',
  entry_point: 'entry',
  initial_step: 'entry',
  parameters: 'params',
};

const STEP: Readonly<Record<string, string>> = {
  name: 'title',
  step: 'number',
  phase: 'number',
  is_required: 'required',
  completion_criteria: 'criteria',
  human_approval: 'approval',
};

export function ourSpelling(definition: Loose): Loose {
  const top = rename(definition, 'states' in definition ? { ...TOP, initial: 'entry' } : TOP);
  for (const list of ['steps', 'states']) {
    if (Array.isArray(top[list]))
      top[list] = top[list].map((step) => (isObject(step) ? stepSpelling(step, list) : step));
  }
  return top;
}

function stepSpelling(input: Loose, list: string): Loose {
  const step = rename(input, STEP);
  if (step.id === undefined && typeof step.title === 'string') step.id = idFrom(step.title);
  if (list === 'steps' && step.terminal !== undefined && step.final === undefined)
    step.final = take(step, 'terminal');
  if (list === 'states' && step.final !== undefined && step.terminal === undefined)
    step.terminal = take(step, 'final');
  const approvalType = take(step, 'approval_type');
  if (approvalType !== undefined && step.approval === true) step.approval = { type: approvalType };
  const attempts = take(step, 'max_attempts');
  const retries = take(step, 'retry_enabled');
  if (retries !== false && attempts !== undefined && step.attempts === undefined) step.attempts = attempts;
  const count = take(step, 'parallel_agents');
  if (typeof count === 'number' && step.agents === undefined && typeof step.agent === 'string') {
    step.agents = Array.from({ length: Math.min(count, 100) }, (_, i) => `${String(step.agent)}-${i + 1}`);
  }
  if (typeof count === 'number' && step.parallel === undefined) step.parallel = true;
  if (Array.isArray(step.criteria)) step.criteria = step.criteria.map(flatCriterion);
  return step;
}

/** `{type, params: {…}}` and `{type, …}` are the same. */
function flatCriterion(criterion: unknown): unknown {
  if (!isObject(criterion) || !isObject(criterion.params)) return criterion;
  const { params, ...rest } = criterion;
  return { ...rest, ...params };
}

/** "File Check" → file_check */
function idFrom(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^[_\p{N}]+|_+$/gu, '');
  return words.slice(0, 100);
}

function rename(object: Loose, names: Readonly<Record<string, string>>): Loose {
  const out: Loose = {};
  for (const [key, value] of Object.entries(object)) {
    const ours = Object.hasOwn(names, key) ? names[key] : undefined;
    out[ours !== undefined && !(ours in object) ? ours : key] = value;
  }
  return out;
}

function take(object: Loose, key: string): unknown {
  const value = object[key];
  delete object[key];
  return value;
}

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
