// The rules of OpenAPI 3.1 and JSON Schema 2020-12 that matter to readers of our document, as checks.
interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: unknown;
}

interface ResponseObject {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly parameters?: readonly unknown[];
  readonly responses: Readonly<Record<string, unknown>>;
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every operation, with references among its parameters and responses followed. */
export function operationsOf(document: Json) {
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, OperationObject>>>>; // every test reads them
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, object]) => ({
      method: method.toUpperCase(),
      path,
      object,
      parameters: (object.parameters ?? []).map((each) => followed(document, each) as ParameterObject),
      responses: Object.fromEntries(
        Object.entries(object.responses).map(([status, each]) => [
          status,
          followed(document, each) as ResponseObject,
        ]),
      ),
    })),
  );
}

const followed = (document: Json, value: unknown): unknown =>
  isObject(value) && typeof value['$ref'] === 'string' ? resolve(document, value['$ref']) : value;

export function resolve(document: Json, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined;
  let at: unknown = document;
  for (const part of ref.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

export function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner),
  );
}

/** Every outermost schema: named ones, and those of parameters, headers, bodies and answers. */
export function schemasIn(document: Json): { at: string; schema: unknown }[] {
  const named = Object.entries(resolve(document, '#/components/schemas') as Json);
  return [
    ...named.map(([name, schema]) => ({ at: `#/components/schemas/${name}`, schema })),
    ...held({ ...document, components: { ...(document['components'] as Json), schemas: {} } }, '#'),
  ];
}

function held(value: unknown, at: string): { at: string; schema: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((inner, i) => held(inner, `${at}/${i}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'examples') return [];
    return key === 'schema' ? [{ at: `${at}/schema`, schema: inner }] : held(inner, `${at}/${key}`);
  });
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
type Check = (value: unknown, at: string) => string[];

const test =
  (holds: (value: unknown) => boolean, wanted: string): Check =>
  (value, at) =>
    holds(value) ? [] : [`${at} must be ${wanted}`];
const text = test((value) => typeof value === 'string', 'text');
const number = test((value) => typeof value === 'number', 'a number');
const size = test((value) => Number.isInteger(value) && Number(value) >= 0, 'a count');
const distinct = (value: unknown): boolean =>
  Array.isArray(value) && new Set(value.map((item) => JSON.stringify(item))).size === value.length;
const schemas: Check = (value, at) =>
  Array.isArray(value) && value.length > 0
    ? value.flatMap((inner, i) => problemsIn(inner, `${at}/${i}`))
    : [`${at} must be a list of schemas`];
const byName: Check = (value, at) =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => problemsIn(inner, `${at}/${name}`))
    : [`${at} must be schemas by name`];
const compiles = (value: unknown): boolean => {
  try {
    return new RegExp(String(value), 'u') instanceof RegExp && typeof value === 'string';
  } catch {
    return false;
  }
};

const KEYWORDS: Readonly<Record<string, Check>> = {
  $ref: test((value) => typeof value === 'string' && value.startsWith('#/'), 'a pointer into the document'),
  type: test(
    (value) =>
      (Array.isArray(value) ? distinct(value) && value.length > 0 : true) && allTypes([value].flat()),
    `one of ${TYPES.join(', ')}`,
  ),
  enum: test((value) => distinct(value) && Array.isArray(value) && value.length > 0, 'distinct values'),
  const: () => [],
  default: () => [],
  title: text,
  description: text,
  format: text,
  pattern: test(compiles, 'a regular expression'),
  minLength: size,
  maxLength: size,
  minItems: size,
  maxItems: size,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  required: test(
    (value) => distinct(value) && Array.isArray(value) && value.every((name) => typeof name === 'string'),
    'distinct names',
  ),
  properties: byName,
  additionalProperties: (value, at) => problemsIn(value, at),
  propertyNames: (value, at) => problemsIn(value, at),
  items: (value, at) => problemsIn(value, at),
  prefixItems: schemas,
  anyOf: schemas,
  oneOf: schemas,
  allOf: schemas,
};

function allTypes(value: readonly unknown[]): boolean {
  return value.every((name) => typeof name === 'string' && TYPES.includes(name));
}

/** What is wrong with a schema, at any depth. Only keywords that we mean to use are known. */
export function problemsIn(schema: unknown, at: string): string[] {
  if (typeof schema === 'boolean') return [];
  if (!isObject(schema)) return [`${at} must be a schema`];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const check = KEYWORDS[keyword];
    return check ? check(value, `${at}/${keyword}`) : [`${at} has the keyword "${keyword}"`];
  });
}
