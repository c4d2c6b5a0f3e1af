// A state machine as it is written: the part of the Amazon States Language that our file uses, with JSONata.
//   AS1  Whatever is not supported is refused by its name when the definition is loaded, never passed over.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { SetupError } from '../setup-error.ts';
import { checkExpressions } from './expression.ts';
import { ALL } from './state-error.ts';

const Names = z.array(z.string().min(1)).min(1).readonly();
const Seconds = z.union([z.int().positive(), z.string()]);
const Template = z.record(z.string(), z.json());
/** Variables; `$states` is the machine's own. */
const Assign = Template.refine((names) => !('states' in names), 'the variable "states" cannot be assigned');

const Retrier = z.strictObject({
  ErrorEquals: Names,
  IntervalSeconds: z.int().positive().default(1),
  BackoffRate: z.number().min(1).default(2),
  MaxAttempts: z.int().nonnegative().default(3),
  MaxDelaySeconds: z.int().positive().optional(),
  JitterStrategy: z.enum(['FULL', 'NONE']).default('NONE'),
  Comment: z.string().optional(),
});

const Catcher = z.strictObject({
  ErrorEquals: Names,
  Next: z.string(),
  Assign: Assign.optional(),
  Output: z.json().optional(),
  Comment: z.string().optional(),
});

const Common = {
  Comment: z.string().optional(),
  QueryLanguage: z.literal('JSONata', 'only JSONata is supported').optional(),
  Output: z.json().optional(),
  Assign: Assign.optional(),
};
const Onward = { Next: z.string().optional(), End: z.literal(true).optional() };

const INVOKE = 'arn:aws:states:::lambda:invoke';
export const INVOKE_WITH_TOKEN = `${INVOKE}.waitForTaskToken`;

const Task = z.strictObject({
  Type: z.literal('Task'),
  ...Common,
  ...Onward,
  Resource: z.enum([INVOKE, INVOKE_WITH_TOKEN], {
    error: ({ input }) => `"${String(input)}" is not supported; use ${INVOKE} or ${INVOKE_WITH_TOKEN}`,
  }),
  Arguments: z.strictObject({ FunctionName: z.string(), Payload: z.json().optional() }),
  TimeoutSeconds: Seconds.optional(),
  HeartbeatSeconds: Seconds.optional(),
  Retry: z.array(Retrier).readonly().default([]),
  Catch: z.array(Catcher).readonly().default([]),
});

const Rule = z.strictObject({
  Condition: z.union([z.string(), z.boolean()]),
  Next: z.string(),
  Assign: Assign.optional(),
  Output: z.json().optional(),
  Comment: z.string().optional(),
});
const Choice = z.strictObject({
  Type: z.literal('Choice'),
  ...Common,
  Choices: z.array(Rule).min(1).readonly(),
  Default: z.string().optional(),
});
const Wait = z.strictObject({
  Type: z.literal('Wait'),
  ...Common,
  ...Onward,
  Seconds: z.union([z.int().nonnegative(), z.string()]).optional(),
  Timestamp: z.string().optional(),
});
const Pass = z.strictObject({ Type: z.literal('Pass'), ...Common, ...Onward });
const Succeed = z.strictObject({
  Type: z.literal('Succeed'),
  Comment: Common.Comment,
  QueryLanguage: Common.QueryLanguage,
  Output: Common.Output,
});
const Fail = z.strictObject({
  Type: z.literal('Fail'),
  Comment: Common.Comment,
  QueryLanguage: Common.QueryLanguage,
  Error: z.string().optional(),
  Cause: z.string().optional(),
});

const shapes = { Task, Choice, Wait, Pass, Succeed, Fail };
export type StateOf<T extends keyof typeof shapes> = z.infer<(typeof shapes)[T]>;
export type MachineState = StateOf<keyof typeof shapes>;

const Outline = z.strictObject({
  Comment: z.string().optional(),
  Version: z.literal('1.0').optional(),
  QueryLanguage: z.literal('JSONata', 'only JSONata is supported'),
  StartAt: z.string(),
  States: z.record(z.string(), z.unknown()),
});

export interface Machine {
  readonly arn: string;
  readonly name: string;
  /** Its text, and a hash of it: a run ends on the definition it began with. */
  readonly text: string;
  readonly version: string;
  readonly start_at: string;
  readonly states: ReadonlyMap<string, MachineState>;
}

/** `substitutions` are put in for `${name}`, as CloudFormation does when the file is deployed. */
export function readMachine(
  arn: string,
  text: string,
  substitutions: Readonly<Record<string, string>> = {},
): Machine {
  const name = arn.slice(arn.lastIndexOf(':') + 1);
  const problems: string[] = [];
  const whole = substitute(text, substitutions);
  const outline = Outline.safeParse(parse(name, whole));
  if (!outline.success) throw refused(name, problemsOf(outline.error, 'The definition'));
  const states = new Map<string, MachineState>();
  for (const [id, given] of Object.entries(outline.data.States)) {
    const state = readState(id, given, problems);
    if (state) states.set(id, state);
  }
  if (problems.length === 0) {
    const version = createHash('sha256').update(whole).digest('hex').slice(0, 16);
    const machine = { arn, name, text: whole, version, start_at: outline.data.StartAt, states };
    problems.push(...loose(machine), ...[...states].flatMap(([id, state]) => checkExpressions(id, state)));
    if (problems.length === 0) return machine;
  }
  throw refused(name, problems);
}

const refused = (name: string, problems: readonly string[]) =>
  new SetupError(`The state machine ${name} cannot be run here. ${problems.join(' ')}`);

const substitute = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(name, [`It is not JSON: ${error instanceof Error ? error.message : String(error)}.`]);
  }
}

function readState(id: string, given: unknown, problems: string[]): MachineState | null {
  const type = z.object({ Type: z.string() }).safeParse(given).data?.Type ?? '';
  const shape = Object.hasOwn(shapes, type) ? shapes[type as keyof typeof shapes] : undefined;
  if (!shape) {
    problems.push(`State "${id}": the type "${type}" is not supported.`);
    return null;
  }
  const parsed = shape.safeParse(given);
  if (!parsed.success) problems.push(...problemsOf(parsed.error, `State "${id}"`));
  return parsed.data ?? null;
}

function problemsOf(error: z.ZodError, where: string): string[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String).join('.');
    const at = path === '' ? where : `${where}, ${path}`;
    if (issue.code !== 'unrecognized_keys') return [`${at}: ${issue.message}.`];
    return issue.keys.map((key) => `${at}: the field "${key}" is not supported.`);
  });
}

/** Ends that are missing, and names that no state has. */
function loose({ start_at, states }: Machine): string[] {
  const problems: string[] = [];
  const expect = (where: string, target: string | undefined) => {
    if (target !== undefined && !states.has(target))
      problems.push(`${where}: there is no state "${target}".`);
  };
  expect('StartAt', start_at);
  for (const [id, state] of states) {
    const where = `State "${id}"`;
    if ('Next' in state) expect(where, state.Next);
    if (state.Type === 'Choice')
      for (const target of [...state.Choices.map(({ Next }) => Next), state.Default]) expect(where, target);
    if (state.Type === 'Task') {
      for (const { Next } of state.Catch) expect(where, Next);
      problems.push(...unlawful(state).map((problem) => `${where}: ${problem}`));
    }
    const ends = 'Choices' in state || state.Type === 'Succeed' || state.Type === 'Fail';
    if (!ends && (state.Next === undefined) === (state.End === undefined))
      problems.push(`${where}: it needs either "Next" or "End".`);
    if (state.Type === 'Wait' && (state.Seconds === undefined) === (state.Timestamp === undefined))
      problems.push(`${where}: it needs either "Seconds" or "Timestamp".`);
  }
  return problems;
}

/** What AWS refuses although each field by itself is well. */
function unlawful({ Retry, Catch, TimeoutSeconds, HeartbeatSeconds }: StateOf<'Task'>): string[] {
  const problems = [Retry, Catch].flatMap((rules: readonly { readonly ErrorEquals: readonly string[] }[]) =>
    rules.flatMap(({ ErrorEquals }, i) =>
      ErrorEquals.includes(ALL) && (ErrorEquals.length > 1 || i < rules.length - 1)
        ? [`"${ALL}" must stand alone, in the last rule.`]
        : [],
    ),
  );
  if (typeof HeartbeatSeconds === 'number' && typeof TimeoutSeconds === 'number')
    if (HeartbeatSeconds >= TimeoutSeconds)
      problems.push('"HeartbeatSeconds" must be less than "TimeoutSeconds".');
  return problems;
}
