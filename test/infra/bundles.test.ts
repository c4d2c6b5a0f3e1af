// The functions as they are deployed: what is in each bundle, held against what infrastructure gives it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FUNCTIONS, type FunctionName } from '../../infra/functions/catalogue.ts';
import { DEFINITIONS_FILE } from '../../infra/functions/prebuilt.ts';
import { type Bundle, bundleFunctions } from '../../scripts/bundle.ts';
import { ENV } from '../../shared/names.ts';
import { builtInWorkflows } from '../../shared/reading/built-in.ts';
import { load } from '../../shared/engine/index.ts';
import { createFolder, removeFolder, Synthesis } from './synthesis.ts';

const BUILDING = 120_000;
/** The SDK of MCP comes with the one function that speaks it. */
const mostBytes = (name: FunctionName): number => (name === 'mcp-endpoint' ? 860_000 : 600_000);
const NAMES = FUNCTIONS.map(({ bundle }) => bundle);

let folder: string;
let bundles: ReadonlyMap<string, Bundle>;
let made: Synthesis;

beforeAll(async () => {
  folder = createFolder();
  const dist = path.join(folder, 'built');
  bundles = new Map((await bundleFunctions(FUNCTIONS, dist)).map((bundle) => [bundle.name, bundle]));
  made = new Synthesis(folder, { dist });
}, BUILDING);
afterAll(() => removeFolder(folder));

const bundle = (name: FunctionName): Bundle => {
  const found = bundles.get(name);
  if (!found) throw new Error(`${name} was not built.`);
  return found;
};
const built = (name: FunctionName, file: string): string =>
  path.join(folder, 'built', 'functions', name, file);

describe('a bundle', () => {
  it('is made of every file in functions/ that exports a handler', () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const groups = readdirSync(path.join(root, 'functions'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const handlers = groups.flatMap(({ name: group }) =>
      readdirSync(path.join(root, 'functions', group))
        .map((file) => `functions/${group}/${file}`)
        .filter((file) => file.endsWith('.ts'))
        .filter((file) =>
          /^export (?:const|(?:async )?function) handler\b/m.test(
            readFileSync(path.join(root, file), 'utf8'),
          ),
        ),
    );
    expect(handlers.sort()).toEqual(FUNCTIONS.map(({ source }) => source).sort());
  });

  it.each(NAMES.map((name) => [name, mostBytes(name)] as const))('%s is below %i bytes', (name, most) => {
    expect(bundle(name).bytes).toBeLessThan(most);
  });

  it.each(NAMES)('%s is one ES module with its handler, and no source map beside it', (name) => {
    const code = readFileSync(built(name, 'index.mjs'), 'utf8');
    expect(code).toMatch(/export\{[^}]*\bas handler\b/);
    const beside = readdirSync(path.dirname(built(name, 'index.mjs')));
    expect(beside.filter((file) => file !== 'index.mjs' && file !== 'definitions.json')).toEqual([]);
    expect(existsSync(path.join(folder, 'built', 'source-maps', `${name}.mjs.map`))).toBe(true);
  });

  it('of the signals has neither MCP nor search nor Markdown nor YAML in it', () => {
    const { inputs } = bundle('http-signals');
    expect(inputs.length).toBeGreaterThan(100);
    expect(
      inputs.filter((file) => /modelcontextprotocol|node_modules\/(?:marked|minisearch|yaml)\//.test(file)),
    ).toEqual([]);
    expect(inputs.filter((file) => file.startsWith('shared/reading/'))).toEqual([]);
  });

  it.each(NAMES)('%s has no test, no laptop and no infrastructure in it', (name) => {
    const { inputs } = bundle(name);
    expect(inputs.filter((file) => /^(?:infra|local|cli|client|test|bench|scripts)\//.test(file))).toEqual(
      [],
    );
  });
});

describe('built-in definitions', () => {
  const readers = NAMES.filter((name) => name === 'http-signals' || name === 'http-reads');

  it.each(readers)('are beside %s, and compile there to what they are here', (name) => {
    const written = JSON.parse(readFileSync(built(name, 'definitions.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const here = [...builtInWorkflows()].map(([id, { version }]) => [id, version]);
    const there = Object.entries(written).map(([id, source]) => [id, load(source, { name: id }).version]);
    expect(there).toEqual(here);
    expect(made.functionOf(name).Properties.Environment.Variables[ENV.definitions]).toBe(DEFINITIONS_FILE);
  });

  it('are beside nobody who does not read them', () => {
    const there = NAMES.filter((name) => existsSync(built(name, 'definitions.json')));
    expect(there).toEqual(NAMES.filter((name) => bundle(name).reads.includes(ENV.definitions)));
  });
});

describe('the environment', () => {
  it.each(NAMES)('%s is given exactly the variables that its code reads', (name) => {
    const { Environment } = made.functionOf(name).Properties;
    expect(Object.keys(Environment?.Variables ?? {}).sort()).toEqual([...bundle(name).reads].sort());
  });
});
