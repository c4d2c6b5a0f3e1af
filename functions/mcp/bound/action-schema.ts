// The input schema of an action that is legal now: what the current step asks for, field by field.
import * as z from 'zod';
import {
  bodies,
  currentStep,
  evidenceFormat,
  type JsonObject,
  type LegalAction,
  recordOf,
  strict,
} from '../../../shared/engine/index.ts';
import { type JsonSchema, type ObjectSchema, schemaOf } from '../json-schema.ts';
import type { Bound } from './instance.ts';

type Field = ReturnType<typeof evidenceFormat>[string];

const ANY_OBJECT = { type: 'object', additionalProperties: true };

export function actionSchema({ workflow, state, moves }: Bound, legal: LegalAction): ObjectSchema {
  const step = currentStep(workflow, state);
  const record = recordOf(state, step);
  const { action, outcomes, completes, feedback_required } = legal;
  const delivers = completes || action === 'stay';
  const properties: Record<string, JsonSchema> = {
    step: { type: 'string', enum: [step.id], description: 'The step this is for: refused if it is over.' },
    ...(outcomes.length > 0 ? { outcome: outcomeSchema(outcomes) } : {}),
    ...(delivers ? askedFor(evidenceFormat(step), step.outputs, record, completes) : {}),
    feedback: {
      type: 'string',
      description: feedback_required ? 'Why: this action needs it.' : 'What the next one should know.',
    },
    data: { ...ANY_OBJECT, description: 'Anything to keep with the step.' },
    ...(moves.agents.length > 1
      ? { agent: { type: 'string', enum: moves.agents, description: 'The agent for whom you report.' } }
      : {}),
    ...(action === 'need_input' ? questions(step.supports_questions) : {}),
    turn: { type: 'integer', description: 'The turn this answers: refused if it is over.' },
    idempotency_key: { type: 'string', maxLength: 255, description: 'Makes a repeat of this call harmless.' },
  };
  // "ok" goes without saying, where it is possible.
  const required = [
    ...(outcomes.length > 0 && !outcomes.includes('ok') ? ['outcome'] : []),
    ...(feedback_required ? ['feedback'] : []),
  ];
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

const outcomeSchema = (outcomes: readonly string[]): JsonSchema => ({
  type: 'string',
  enum: outcomes,
  ...(outcomes.includes('ok') ? { default: 'ok' } : {}),
  description: 'How it went. "fail" reports a failure, with feedback that says why.',
});

/** What is there already need not be sent again. */
function askedFor(
  format: Readonly<Record<string, Field>>,
  outputs: readonly string[],
  record: { readonly evidence: JsonObject; readonly artifacts: JsonObject } | null,
  completes: boolean,
): Record<string, JsonSchema> {
  const evidence = Object.entries(format);
  const missing = evidence.filter(
    ([name, { required }]) => required !== false && !has(record?.evidence, name),
  );
  const undelivered = outputs.filter((name) => !has(record?.artifacts, name));
  const wanted = (names: readonly string[]) => (completes && names.length > 0 ? { required: names } : {});
  return {
    evidence:
      evidence.length === 0
        ? ANY_OBJECT
        : {
            type: 'object',
            description: 'What the step asks to be shown.',
            properties: Object.fromEntries(evidence.map(([name, field]) => [name, fieldSchema(field)])),
            ...wanted(missing.map(([name]) => name)),
          },
    artifacts:
      outputs.length === 0
        ? { ...ANY_OBJECT, description: 'What was produced, by name.' }
        : {
            type: 'object',
            description: 'What the step produces: content or a reference to it.',
            properties: Object.fromEntries(
              outputs.map((name) => [name, { description: `The output "${name}".` }]),
            ),
            ...wanted(undelivered),
          },
  };
}

const has = (values: JsonObject | undefined, name: string): boolean =>
  values !== undefined && Object.hasOwn(values, name);

const TYPES = {
  integer: 'integer',
  number: 'number',
  string: 'string',
  list: 'array',
  boolean: 'boolean',
  object: 'object',
};

function fieldSchema(field: Field): JsonSchema {
  const { type, description, min, max, above, min_length, max_length, choices, contains, example } = field;
  const [least, most] = type === 'list' ? ['minItems', 'maxItems'] : ['minLength', 'maxLength'];
  return {
    type: TYPES[type],
    ...(description ? { description } : {}),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(min_length === undefined ? {} : { [least]: min_length }),
    ...(max_length === undefined ? {} : { [most]: max_length }),
    ...(field.not_zero ? { not: { const: 0 } } : {}),
    ...(choices && type === 'string' ? { enum: choices } : {}),
    ...(choices && type === 'list' ? { items: { enum: choices } } : {}),
    ...(contains && type === 'list'
      ? { allOf: contains.map((item) => ({ contains: { const: item } })) }
      : {}),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

const { questions: Questions, widget_type: WidgetType } = bodies.signal.shape;
const NeedInput = strict({
  questions: Questions.describe('1 to 3 questions for a person, with 2 or 3 options each.'),
  widget_type: WidgetType.describe('A widget for a person to fill in, instead of questions.'),
});

function questions(supported: boolean): Record<string, JsonSchema> {
  const { properties } = schemaOf(supported ? NeedInput : NeedInput.omit({ questions: true }));
  return properties as Record<string, JsonSchema>; // an object's, by its schema
}

/** Without `action`, which the tool itself is. */
export const ActionArguments = bodies.signal
  .omit({ action: true })
  .extend({ idempotency_key: z.unknown().optional() });
