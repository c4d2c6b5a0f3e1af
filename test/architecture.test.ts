// What may import what, and that the engine stays pure: no clock, no chance, nothing awaited.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const ENGINE_PACKAGES = ['zod', '@marcbachmann/cel-js'];
const OUTSIDE_SHARED = ['cli', 'test', 'bench'];
const IMPURE: readonly (readonly [string, RegExp])[] = [
  ['async', /\basync\b/],
  ['await', /\bawait\b/],
  ['Promise', /\bPromise\b/],
  ['Date.now', /\bDate\s*\.\s*now\b/],
  ['new Date()', /\bnew\s+Date\b\s*(?!\s*\()|\bnew\s+Date\s*\(\s*\)/],
  ['Date()', /(?<!new\s+)\bDate\s*\(/],
  ['Math.random', /\bMath\s*\.\s*random\b/],
  ['randomUUID', /\brandomUUID\b|\bgetRandomValues\b/],
  ['performance', /\bperformance\b/],
  ['process', /\bprocess\b/],
  ['timers', /\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b/],
  ['globalThis', /\bglobalThis\b/],
  ['fetch', /\bfetch\s*\(/],
];

/** Everything a file must not say, for a path from the root. */
function wrongs(file: string, text: string): string[] {
  const found: string[] = [];
  const inEngine = file.startsWith('shared/engine/');
  for (const specifier of imports(text)) {
    const target = specifier.startsWith('.')
      ? path.posix.join(path.posix.dirname(file), specifier)
      : undefined;
    const allowed =
      target === undefined
        ? !inEngine || ENGINE_PACKAGES.includes(specifier)
        : inEngine
          ? target.startsWith('shared/engine/') || target === 'shared/faults.ts'
          : !OUTSIDE_SHARED.some((folder) => target.startsWith(`${folder}/`));
    if (!allowed) found.push(`${file} imports ${specifier}`);
  }
  if (!inEngine) return found;
  const code = codeOf(text);
  for (const [name, pattern] of IMPURE) if (pattern.test(code)) found.push(`${file} uses ${name}`);
  return found;
}

function imports(text: string): string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found = code.matchAll(
    /\b(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]|\brequire\s*\(\s*['"]([^'"]+)['"]/g,
  );
  return [...found].map(([, from, bare, required]) => from ?? bare ?? required ?? '');
}

/** Without comments and texts; what a template inserts is code and stays. */
function codeOf(text: string): string {
  return text
    .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\/|\/\/.*$/gm, ' ')
    .replaceAll(/`(?:[^`\\]|\\.)*`/g, (template) =>
      [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, inserted]) => inserted).join(' '),
    );
}

const filesUnder = (folder: string): string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/')));

describe('architecture', () => {
  it('the engine imports zod, CEL, itself and the faults, and is pure; shared knows nobody above it', () => {
    const files = filesUnder('shared');
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap((file) => wrongs(file, readFileSync(path.join(ROOT, file), 'utf8')))).toEqual([]);
  });
});

/** Where each folder may look: its own files, and what is listed. The arrows of STYLE: engine ← app ← functions. */
const ARROWS: Readonly<Record<string, { to: readonly string[]; aws?: boolean }>> = {
  'shared/app/': { to: ['shared/engine/', 'shared/'] },
  'shared/store/': { to: ['shared/engine/', 'shared/'], aws: true },
  'functions/': { to: ['shared/'] },
  'infra/': { to: ['shared/names.ts', 'shared/routes.ts'] },
  'local/': { to: ['shared/', 'functions/', 'infra/attempts.asl.json'], aws: true },
  'client/': { to: ['shared/'] },
};
const MAY_USE_AWS = ['functions/wiring.ts'];

function wrongArrows(file: string, text: string): string[] {
  const [folder, rule] = Object.entries(ARROWS).find(([name]) => file.startsWith(name)) ?? [];
  if (folder === undefined || rule === undefined) return [];
  return imports(text).flatMap((specifier) => {
    if (/^@(?:aws-sdk|smithy)\//.test(specifier))
      return rule.aws || MAY_USE_AWS.includes(file) ? [] : [`${file} uses ${specifier}`];
    if (!specifier.startsWith('.')) return [];
    const target = path.posix.join(path.posix.dirname(file), specifier);
    const allowed = [folder, ...rule.to].some((prefix) => target.startsWith(prefix));
    const upwards = folder === 'shared/app/' && target.startsWith('shared/store/');
    return allowed && !upwards ? [] : [`${file} imports ${specifier}`];
  });
}

describe('which way imports point', () => {
  it.each(Object.keys(ARROWS))(
    '%s looks only where it may; only the store, wiring and the laptop know AWS',
    (folder) => {
      const files = filesUnder(folder.slice(0, -1)).filter((file) => !file.startsWith('shared/engine/'));
      expect(files.length).toBeGreaterThan(5);
      expect(files.flatMap((file) => wrongArrows(file, readFileSync(path.join(ROOT, file), 'utf8')))).toEqual(
        [],
      );
    },
  );

  it('what a browser loads of the client takes only types from shared', () => {
    const values = filesUnder('client').filter((file) =>
      /^import (?!type\b)[^;]*from '[^']*shared\//m.test(readFileSync(path.join(ROOT, file), 'utf8')),
    );
    expect(values).toEqual([]);
  });

  it.each([
    ['shared/app/sample.ts', "import { createLog } from '../store/log.ts';"],
    ['shared/app/sample.ts', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';"],
    ['functions/http/sample.ts', "import { SFNClient } from '@aws-sdk/client-sfn';"],
    ['functions/http/sample.ts', "import { startServer } from '../../local/server.ts';"],
    ['infra/sample.ts', "import { tell } from '../shared/app/tell.ts';"],
    ['client/sample.ts', "import { wire } from '../functions/wiring.ts';"],
  ])('refuses in %s: %s', (file, line) => {
    expect(wrongArrows(file, line)).toHaveLength(1);
  });
});

describe('the scanner', () => {
  const inEngine = 'shared/engine/decide/sample.ts';

  it.each([
    "import { readFile } from 'node:fs';",
    "import type { Yaml } from 'yaml';",
    "import {\n  a,\n  b,\n} from '../../reading/markdown/types.ts';",
    "import '../../../cli/run.ts';",
    "export * from '../../exhaustive/moves.ts';",
    "const lazy = import('node:crypto');",
    "const old = require('node:crypto');",
    'export async function decide() {}',
    'const x = await load();',
    'const x: Promise<void> | null = null;',
    'const now = Date.now();',
    'const now = new Date();',
    'const now = new Date;',
    'const now = Date();',
    'const n = Math.random();',
    'const id = crypto.randomUUID();',
    'const t = performance.now();',
    "const mode = process.env['MODE'];",
    'setTimeout(() => {}, 1);',
    'const text = `at ${Date.now()}`;',
    "const quoted = 'a'; const now = Date.now(); const other = 'b';",
  ])('refuses in the engine: %s', (line) => {
    expect(wrongs(inEngine, line)).toHaveLength(1);
  });

  it.each([
    "import * as z from 'zod';",
    "import { parse } from '@marcbachmann/cel-js';",
    "import type { Fault } from '../../faults.ts';",
    "import { Draft } from './draft.ts';",
    '// nothing is to await, and Date.now() is not called',
    '/** no process, no setTimeout */',
    "const message = 'an async process';",
    'const message = `process ${name}`;',
    'const at = new Date(Date.parse(now) + 5).toISOString();',
  ])('allows in the engine: %s', (line) => {
    expect(wrongs(inEngine, line)).toEqual([]);
  });

  it('refuses imports from shared to cli, test and bench', () => {
    for (const folder of OUTSIDE_SHARED)
      expect(wrongs('shared/reading/sample.ts', `import { x } from '../../${folder}/x.ts';`)).toHaveLength(1);
    expect(wrongs('shared/reading/sample.ts', "import { x } from '../engine/x.ts';")).toEqual([]);
    expect(wrongs('shared/reading/sample.ts', 'const now = Date.now();')).toEqual([]);
  });
});
