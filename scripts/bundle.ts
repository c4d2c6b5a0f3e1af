// Bundles functions with esbuild: one minified ES module each, with nothing left outside but Node itself.
//   B1  `ENV.name` becomes its text before bundling, so a bundle holds exactly the variables that its code reads:
//       this tells which functions need definitions beside them, and what a test compares infrastructure with.
//   B2  Source maps stay out of what is deployed.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Metafile } from 'esbuild';
import { ENV, type EnvName } from '../shared/names.ts';
import { builtInWorkflows } from '../shared/reading/built-in.ts';
import {
  lambdaCredentials,
  nameVariables,
  noEventStreams,
  noSchemaValidator,
  ROOT,
  trimSideEffects,
} from './bundle-plugins.ts';

export interface Bundle {
  readonly name: string;
  readonly bytes: number;
  /** Files with code in the bundle, from the root. */
  readonly inputs: readonly string[];
  /** Environment variables of ours that its code names. */
  readonly reads: readonly EnvName[];
}

export interface BundleSource {
  readonly bundle: string;
  readonly source: string;
}

/** All of them, and the built-in definitions beside each that reads definitions. */
export async function bundleFunctions(sources: readonly BundleSource[], dist: string): Promise<Bundle[]> {
  const bundles = await Promise.all(sources.map((source) => bundleFunction(source, dist)));
  const definitions = JSON.stringify(
    Object.fromEntries([...builtInWorkflows()].map(([id, { source }]) => [id, source])),
  );
  for (const { name, reads } of bundles)
    if (reads.includes(ENV.definitions))
      write(path.join(dist, 'functions', name, 'definitions.json'), definitions);
  return bundles;
}

/** Writes `<dist>/functions/<name>/index.mjs`, with its source map in `<dist>/source-maps`. */
async function bundleFunction({ bundle: name, source }: BundleSource, dist: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [source],
    outfile: 'index.mjs',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    legalComments: 'none',
    sourcemap: 'external',
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE },
    logLevel: 'silent',
    plugins: [nameVariables, trimSideEffects, lambdaCredentials, noEventStreams, noSchemaValidator],
  });
  const code = outputFiles.find(({ path: file }) => file.endsWith('.mjs'));
  const map = outputFiles.find(({ path: file }) => file.endsWith('.map'));
  if (!code || !map) throw new Error(`esbuild made no bundle of ${source}.`);
  write(path.join(dist, 'functions', name, 'index.mjs'), code.contents);
  write(path.join(dist, 'source-maps', `${name}.mjs.map`), map.contents);
  return {
    name,
    bytes: code.contents.byteLength,
    inputs: inputsOf(metafile),
    reads: Object.values(ENV).filter((variable) => new RegExp(`\\b${variable}\\b`).test(code.text)),
  };
}

/** CommonJS packages inside the bundle still ask for Node's own modules with `require`. */
const REQUIRE =
  "import{createRequire as nodeRequire}from'node:module';const require=nodeRequire(import.meta.url);";

const inputsOf = (metafile: Metafile): string[] =>
  Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([file]) => file),
  );

function write(file: string, contents: Uint8Array | string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, contents);
}
