// The OpenAPI document: what it covers, and that it is one.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { openapiDocument } from '../../shared/app/openapi.ts';
import { EXAMPLES } from '../../shared/app/openapi-examples.ts';
import { Answer } from '../../shared/app/schemas-answers.ts';
import { StartRequest } from '../../shared/app/schemas.ts';
import { bodies } from '../../shared/engine/index.ts';
import { FAULT_CODES } from '../../shared/faults.ts';
import { STATUS } from '../../shared/problem-status.ts';
import { HTTP_FUNCTIONS, ROUTES } from '../../shared/routes.ts';
import { operationsOf, problemsIn, refsIn, resolve, schemasIn } from './openapi-rules.ts';

const given = openapiDocument();
const document: Record<string, unknown> = JSON.parse(JSON.stringify(given));
const operations = operationsOf(document);

describe('the OpenAPI document', () => {
  it('O1: holds every route, by the name of its operation, and nothing else', () => {
    const described = operations.map(
      ({ method, path: at, object }) => `${method} ${at} ${object.operationId}`,
    );
    const routed = ROUTES.map(({ method, path: at, operation }) => `${method} ${at} ${operation}`);
    expect(described.toSorted()).toEqual(routed.toSorted());
  });

  it('is plain JSON, the same every time, and says where it is served if it is told', () => {
    expect(document).toEqual(given);
    expect(openapiDocument()).toBe(given);
    expect(given).not.toHaveProperty('servers');
    expect(openapiDocument({ server_url: 'https://api.example.com' }).servers).toEqual([
      { url: 'https://api.example.com' },
    ]);
  });

  it('has the version of the package', () => {
    const file = readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8');
    expect(given.info.version).toBe((JSON.parse(file) as { version: string }).version); // ours
  });

  it('names each operation once', () => {
    const ids = operations.map(({ object }) => object.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('refers to nothing that is not there, and holds no component that nothing refers to', () => {
    const refs = refsIn(document);
    expect(refs.filter((ref) => resolve(document, ref) === undefined)).toEqual([]);
    const { schemas, parameters, responses } = given.components;
    const names = Object.entries({ schemas, parameters, responses }).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `#/components/${kind}/${name}`),
    );
    expect(names.filter((name) => !refs.includes(name))).toEqual([]);
  });

  it.each(operations.map((each) => [`${each.method} ${each.path}`, each] as const))(
    '%s declares its path parameters, each parameter once, and where they are',
    (_, { path: at, parameters }) => {
      const inPath = parameters.filter((each) => each.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(at.match(/\{\w+\}/g) ?? []);
      expect(inPath.every(({ required }) => required === true)).toBe(true);
      const named = parameters.map(({ in: where, name }) => `${where} ${name}`);
      expect(new Set(named).size).toBe(named.length);
      for (const { in: where, schema } of parameters) {
        expect(['path', 'query', 'header']).toContain(where);
        expect(schema).toBeTypeOf('object');
      }
    },
  );

  it.each(operations.map((each) => [`${each.method} ${each.path}`, each] as const))(
    '%s says what it takes, what it answers, whose it is and who may call it',
    (_, { method, path: at, object, parameters, responses }) => {
      const route = ROUTES.find((each) => each.method === method && each.path === at);
      expect(object.summary).toBe(route?.summary);
      expect(object.tags).toEqual([route?.function]);
      expect(object.security).toEqual(route?.access === 'public' ? [] : undefined);
      const keyed = parameters.some(({ name }) => name === 'Idempotency-Key');
      expect([keyed, object.requestBody !== undefined]).toEqual([method !== 'GET', method !== 'GET']);
      const statuses = Object.keys(responses);
      expect(statuses.filter((status) => status.startsWith('2'))).toHaveLength(1);
      expect(statuses).toEqual(expect.arrayContaining(['429', '500', '503']));
      expect(statuses.includes('401')).toBe(route?.access === 'caller');
      for (const { description, content } of Object.values(responses)) {
        expect(description).toMatch(/\S/);
        for (const media of Object.values(content ?? {})) expect(media.schema).toBeTypeOf('object');
      }
    },
  );

  it('answers refusals as problem documents, each code under its status', () => {
    const told = new Set<string>();
    for (const { responses } of operations)
      for (const [status, { content }] of Object.entries(responses)) {
        const problem = content?.['application/problem+json'];
        expect(problem !== undefined).toBe(!status.startsWith('2'));
        const { enum: codes } = resolveCodes(problem?.schema);
        expect(codes.map((code) => `${code} ${statusOf(code)}`)).toEqual(
          codes.map((code) => `${code} ${status}`),
        );
        for (const code of codes) told.add(code);
      }
    expect(FAULT_CODES.filter((code) => !told.has(code))).toEqual([]);
  });

  it('asks for a token everywhere but for itself', () => {
    expect(given.security).toEqual([{ oidc: [] }]);
    expect(given.components.securitySchemes.oidc).toMatchObject({ type: 'http', scheme: 'bearer' });
    const open = operations.filter(({ object }) => object.security?.length === 0);
    expect(open.map(({ path: at }) => at)).toEqual(['/openapi.json']);
  });

  it('has a tag for each function', () => {
    expect(given.tags.map(({ name }) => name)).toEqual([...HTTP_FUNCTIONS]);
  });
});

describe('its schemas', () => {
  it('are JSON Schema 2020-12, keyword by keyword', () => {
    const schemas = schemasIn(document);
    expect(schemas.length).toBeGreaterThan(100);
    expect(schemas.flatMap(({ at, schema }) => problemsIn(schema, at))).toEqual([]);
  });

  it('show our own JSON types as what they are', () => {
    const { Signal, Progress, History } = given.components.schemas;
    expect(Signal).toMatchObject({
      additionalProperties: false,
      properties: {
        data: { type: 'object', additionalProperties: true },
        turn: { type: 'integer', minimum: 0 },
      },
    });
    expect(Progress).toMatchObject({ required: expect.arrayContaining(['percent']) as unknown });
    expect(History).toMatchObject({
      properties: { items: { items: { $ref: '#/components/schemas/HistoryItem' } } },
    });
  });

  it('read numbers of a query string as numbers', () => {
    const list = operations.find(({ object }) => object.operationId === 'list');
    const limit = list?.parameters.find(({ name }) => name === 'limit');
    expect(limit).toMatchObject({
      required: false,
      description: 'How many at most, 1 to 100.',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    });
  });

  it.each<[string, z.ZodType]>([
    ['start', StartRequest],
    ['signal', bodies.signal],
  ])('fit the examples of %s', (operation, body) => {
    const { request, answer } = EXAMPLES[operation] ?? { request: {}, answer: {} };
    expect(Object.keys(request).length * Object.keys(answer).length).toBeGreaterThan(0);
    for (const { value } of Object.values(request)) expect(body.parse(value)).toEqual(value);
    for (const { value } of Object.values(answer)) expect(Answer.parse(value)).toEqual(value);
  });
});

describe('the checks themselves', () => {
  it.each<[string, unknown]>([
    ['an unknown type', { type: 'text' }],
    ['a keyword of an older dialect', { nullable: true }],
    ['a required list that names something twice', { required: ['a', 'a'] }],
    ['a pattern that is none', { pattern: '(' }],
    ['an empty choice', { anyOf: [] }],
    ['a wrong schema further down', { properties: { a: { items: { type: 1 } } } }],
    ['a bound that is no number', { minimum: '1' }],
    ['a schema that is a list', []],
  ])('find %s', (_, schema) => {
    expect(problemsIn(schema, 'here')).toHaveLength(1);
  });

  it('find a reference that leads nowhere', () => {
    expect(resolve({ a: { b: 1 } }, '#/a/b')).toBe(1);
    expect(resolve({ a: { b: 1 } }, '#/a/c')).toBeUndefined();
    expect(refsIn({ a: [{ $ref: '#/x' }] })).toEqual(['#/x']);
  });
});

const statusOf = (code: string): number | undefined =>
  code === 'internal_error' ? 500 : (STATUS as Readonly<Record<string, number>>)[code]; // any text may be asked for

function resolveCodes(schema: unknown): { enum: readonly string[] } {
  const all =
    (schema as { allOf?: { properties?: { code?: { enum: string[] } } }[] } | undefined)?.allOf ?? []; // checked below
  return all.find(({ properties }) => properties?.code)?.properties?.code ?? { enum: [] };
}
