// zod schemas as the JSON Schema that MCP clients read: no references, no dialect, nothing that older validators lack.
import * as z from 'zod';
import { JsonRecord, JsonValue } from '../../shared/engine/index.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type ObjectSchema = JsonSchema & { readonly type: 'object' };

const ANY_OBJECT: ReadonlySet<unknown> = new Set([JsonRecord]);
const ANYTHING: ReadonlySet<unknown> = new Set([JsonValue]);

const made = new WeakMap<z.ZodObject, ObjectSchema>();

/** Each is made once, when somebody first asks for it. */
export function schemaOf(schema: z.ZodObject): ObjectSchema {
  const before = made.get(schema);
  if (before) return before;
  const now = convert(schema);
  made.set(schema, now);
  return now;
}

function convert(schema: z.ZodObject): ObjectSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (ANY_OBJECT.has(zodSchema))
        Object.assign(jsonSchema, { type: 'object', additionalProperties: true });
      if (ANYTHING.has(zodSchema)) jsonSchema.description ??= 'Any JSON value.';
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (isEmpty(jsonSchema.additionalProperties)) jsonSchema.additionalProperties = true;
      delete jsonSchema.readOnly;
    },
  });
  return { ...rest, type: 'object' };
}

/** Members of errors that some outputs have too, as something else. */
const CLASHING = ['current_step', 'progress'];

/**
 * An output schema that an error fits as well: clients of 2025 hold even the structured content of an error against it.
 */
export function outputSchemaOf(schema: z.ZodObject): ObjectSchema {
  const { required = [], properties, additionalProperties: _, ...rest } = schemaOf(schema);
  const fields = Object.entries(properties as Record<string, JsonSchema>); // an object's, by its schema
  const clashing = fields.filter(([name]) => CLASHING.includes(name));
  const typed = clashing.length === 0 ? {} : { properties: Object.fromEntries(clashing) };
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, field]) => [name, CLASHING.includes(name) ? {} : field]),
    ),
    anyOf: [{ ...typed, required }, { required: ['code', 'message'] }],
  };
}

/** `{}` and `true` mean the same; not every client knows that. */
const isEmpty = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
