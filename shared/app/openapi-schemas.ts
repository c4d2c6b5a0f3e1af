// zod schemas as OpenAPI 3.1 schemas, by zod's own JSON Schema. Named ones become components and are referred to.
import * as z from 'zod';
import { bodies, JsonRecord, JsonValue } from '../engine/index.ts';
import * as answers from './schemas-answers.ts';
import { AgentWorkRequest } from './schemas-agent-work.ts';
import { CompletionRequest, FactRequest, MessageRequest, StartRequest, WidgetRequest } from './schemas.ts';
import * as recovery from './schemas-recovery.ts';
import * as views from './schemas-views.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const NAMED: Readonly<Record<string, z.ZodType>> = {
  StartRequest,
  Signal: bodies.signal,
  MessageRequest,
  AnswersRequest: bodies.answer,
  ApproveRequest: bodies.approve,
  ClaimRequest: bodies.claim,
  ReleaseRequest: bodies.release,
  HeartbeatRequest: bodies.heartbeat,
  OverrideRequest: bodies.override,
  CancelRequest: bodies.cancel,
  ResumeRequest: bodies.resume,
  RetryRequest: bodies.retry,
  ForkRequest: recovery.ForkRequest,
  MigrateRequest: recovery.MigrateRequest,
  WidgetRequest,
  CompletionRequest,
  AgentWorkRequest,
  FactRequest,
  Answer: answers.Answer,
  MessageAnswer: answers.MessageAnswer,
  Progress: answers.Progress,
  MissingCriterion: answers.Missing,
  Instance: answers.ListedInstance,
  Task: answers.Task,
  TaskPage: answers.TaskPage,
  Fact: answers.Fact,
  Event: answers.LoggedEvent,
  HistoryItem: answers.HistoryItem,
  History: answers.History,
  WorkVerdict: answers.WorkVerdict,
  Problem: answers.Problem,
  Details: views.Details,
  InstanceProgress: views.InstanceProgress,
  NextStep: views.NextStep,
  Prerequisites: views.Prerequisites,
  StepContent: views.StepContent,
  PhaseVerdict: views.PhaseVerdict,
  ContentSearch: views.ContentSearch,
  AgentContext: views.AgentContext,
  Definition: views.Definition,
  DefinitionSummary: views.ListedDefinition,
  DefinitionVersions: recovery.DefinitionVersions,
  Publication: recovery.Publication,
  Forked: recovery.Forked,
  Fit: recovery.Fit,
  Proof: recovery.Proof,
  WorkflowMetrics: recovery.WorkflowMetrics,
};

const pointer = (name: string): string => `#/components/schemas/${name}`;

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });

const ANY_OBJECT: ReadonlySet<unknown> = new Set([JsonRecord]);
const ANYTHING: ReadonlySet<unknown> = new Set([JsonValue]);

const options = {
  io: 'input',
  unrepresentable: 'any',
  metadata: registry,
  override: ({ zodSchema, jsonSchema }) => {
    // Said on the schema itself, which the registry of names knows nothing of.
    const said = z.globalRegistry.get(zodSchema)?.description;
    if (said !== undefined) jsonSchema.description = said;
    // Our own checks of untrusted JSON, which zod cannot look into.
    if (ANY_OBJECT.has(zodSchema)) Object.assign(jsonSchema, { type: 'object', additionalProperties: true });
    if (ANYTHING.has(zodSchema)) jsonSchema.description ??= 'Any JSON value.';
    // Bounds and patterns that say no more than "an integer" and "a date-time".
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    // In TypeScript it means that nobody changes it; in OpenAPI, that nobody sends it.
    delete jsonSchema.readOnly;
  },
} satisfies z.core.ToJSONSchemaParams;

/** components.schemas */
export function namedSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, { ...options, uri: pointer });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]));
}

/** A reference if it has a name, else the schema itself. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const name = registry.get(schema)?.id;
  if (name !== undefined) return { $ref: pointer(name) };
  if (schema instanceof z.ZodObject) return objectOf(schema);
  if (schema instanceof z.ZodArray) return { type: 'array', items: schemaOf(schema.element as z.ZodType) };
  return bare(z.toJSONSchema(schema, options));
}

/** Lists of named things refer to them. */
function objectOf(schema: z.ZodObject): JsonSchema {
  const fields = Object.entries(schema.shape) as [string, z.ZodType][];
  const required = fields.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** What a caller's text is read as: `limit` is an integer, although it arrives as text. */
export function parameterOf(schema: z.ZodType): JsonSchema {
  const { description: _said, ...rest } = bare(z.toJSONSchema(schema, { ...options, io: 'output' }));
  return rest;
}

/** Inside a document neither names its dialect nor its place. */
function bare({ $schema: _schema, $id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
