// What a browser loads: nothing of Node, nothing of the engine, and not much.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it.each([
  ['the client', 'createClient, StepgateError', { minified: 19_000, gzipped: 7_500 }],
  [
    'the client with a worker',
    'createClient, createWorker, StepgateError',
    { minified: 28_500, gzipped: 10_600 },
  ],
])('%s for browsers is small and has neither Node nor the engine in it', async (what, names, limits) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { ${names} } from './client/index.ts';`, resolveDir: '.' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const [file] = outputFiles;
  const sources = Object.keys(metafile.inputs);
  expect(sources.filter((name) => !/^(?:client\/|<stdin>)/.test(name))).toEqual([]);
  expect(file?.text).not.toMatch(/\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/);
  const size = {
    minified: file?.contents.length ?? Infinity,
    gzipped: gzipSync(file?.contents ?? '').length,
  };
  console.log(`${what}: ${size.minified} bytes minified, ${size.gzipped} gzipped`);
  expect(size.minified).toBeLessThan(limits.minified);
  expect(size.gzipped).toBeLessThan(limits.gzipped);
});
