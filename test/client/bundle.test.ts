// What a browser loads: nothing of Node, nothing of the engine, and not much.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const LIMITS = { minified: 19_000, gzipped: 7_500 };

it('the client for browsers is small and has neither Node nor the engine in it', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['client/index.ts'],
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
  expect(sources.filter((name) => !name.startsWith('client/'))).toEqual([]);
  expect(file?.text).not.toMatch(/\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/);
  const size = {
    minified: file?.contents.length ?? Infinity,
    gzipped: gzipSync(file?.contents ?? '').length,
  };
  console.log(`client/index.ts: ${size.minified} bytes minified, ${size.gzipped} gzipped`);
  expect(size.minified).toBeLessThan(LIMITS.minified);
  expect(size.gzipped).toBeLessThan(LIMITS.gzipped);
});
