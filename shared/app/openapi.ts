// GET /openapi.json: the API as an OpenAPI 3.1 document, made from the table of routes and the schemas that handlers
// parse with.
//   O1  Every route is in it, and nothing else.
import type * as z from 'zod';
import { HTTP_FUNCTIONS, type HttpFunction, type Route, ROUTES } from '../routes.ts';
import { EXAMPLES } from './openapi-examples.ts';
import { type Described, OPERATIONS } from './openapi-operations.ts';
import { problemsOf, type Reference, type Response, sharedProblems } from './openapi-problems.ts';
import { type JsonSchema, namedSchemas, parameterOf, schemaOf } from './openapi-schemas.ts';
import { paths as pathSchemas } from './schemas.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export type OpenApiDocument = ReturnType<typeof build> & { readonly servers?: readonly { url: string }[] };

const VERSION = '0.1.0';
const TAGS: Readonly<Record<HttpFunction, string>> = {
  signals: 'Starting instances, and saying something to them',
  reads: 'Instances, tasks and definitions, as you may see them',
  memory: 'Facts about people, which criteria may ask for',
  recovery: 'Bringing instances back on their way',
  admin: 'Publishing definitions',
  analysis: 'Searching, proving and measuring an instance',
  docs: 'What the API says of itself',
  sessions: 'Work that is invisible outside until it is committed',
};

let built: ReturnType<typeof build> | undefined;

/** Built once: nothing in it depends on the request but where it is served. */
export function openapiDocument({ server_url }: { server_url?: string } = {}): OpenApiDocument {
  built ??= build();
  return server_url === undefined ? built : { ...built, servers: [{ url: server_url }] };
}

function build() {
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const route of ROUTES) {
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stepgate',
      version: VERSION,
      summary: 'Workflows whose steps open only when their criteria are met.',
      description:
        'Refusals are `application/problem+json` with a stable `code`. Lists page with an opaque `next`. Every write may carry an `Idempotency-Key`: a repeat gets the first answer again and writes nothing.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    tags: HTTP_FUNCTIONS.map((name) => ({ name, description: TAGS[name] })),
    security: [{ oidc: [] }],
    paths,
    components: {
      securitySchemes: {
        oidc: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'An OpenID Connect token. Its `sub`, kind and roles decide what you may see and do. On a laptop: `npx stepgate token --sub me`.',
        },
      },
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      responses: sharedProblems(),
      schemas: namedSchemas(),
    },
  };
}

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes a repeat harmless, for as long as the instance lives. With another body it is refused.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function operationOf({ operation, method, path, summary, access, function: tag }: Route): OperationObject {
  const described = OPERATIONS[operation];
  if (!described) throw new Error(`The operation "${operation}" is not described for the OpenAPI document.`);
  const { body, description } = described;
  const parameters = [
    ...inPath(path),
    ...inQuery(described.query),
    ...(method === 'GET' ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }]),
  ];
  return {
    operationId: operation,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(access === 'public' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyOf(operation, body) }),
    responses: { ...answerOf(operation, described), ...problemsOf(described.codes, access) },
  };
}

function inPath(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const schema = (pathSchemas as Readonly<Record<string, z.ZodType>>)[name];
    if (!schema) throw new Error(`The path parameter "${name}" of ${path} has no schema.`);
    return parameter('path', name, schema);
  });
}

const inQuery = (query?: z.ZodObject): Parameter[] =>
  Object.entries(query?.shape ?? {}).map(([name, schema]) => parameter('query', name, schema as z.ZodType));

function parameter(where: 'path' | 'query', name: string, schema: z.ZodType): Parameter {
  const { description } = schema;
  return {
    name,
    in: where,
    required: where === 'path',
    ...(description === undefined ? {} : { description }),
    schema: parameterOf(schema),
  };
}

function bodyOf(operation: string, schema: z.ZodType) {
  const examples = EXAMPLES[operation]?.request;
  const media = { schema: schemaOf(schema), ...(examples ? { examples } : {}) };
  return { required: !schema.safeParse({}).success, content: { 'application/json': media } };
}

function answerOf(operation: string, { answer, text, creates }: Described): Record<string, Response> {
  const examples = EXAMPLES[operation]?.answer;
  const [only, ...others] = answer.map(schemaOf);
  const schema =
    only === undefined
      ? { type: 'object' as const }
      : others.length === 0
        ? only
        : { anyOf: [only, ...others] };
  const location = { description: 'Where the instance is.', schema: { type: 'string' } };
  return {
    [creates ? 201 : 200]: {
      description: creates ? 'Created.' : 'As asked.',
      ...(creates === 'located' ? { headers: { Location: location } } : {}),
      content: {
        'application/json': { schema, ...(examples ? { examples } : {}) },
        ...(text === undefined ? {} : { 'text/plain': { schema: { type: 'string', description: text } } }),
      },
    },
  };
}
