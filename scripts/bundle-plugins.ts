// What our bundles need from esbuild beyond its options.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'esbuild';
import { ENV } from '../shared/names.ts';

export const ROOT = path.resolve(import.meta.dirname, '..');

/** `ENV.table` in our own files becomes `'STEPGATE_TABLE'`; the table of names itself then falls away, unused. */
export const nameVariables: Plugin = {
  name: 'name-variables',
  setup(pluginBuild) {
    pluginBuild.onLoad({ filter: /[\\/](?:shared|functions)[\\/].*\.ts$/ }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8').replaceAll(
        /\bENV\.(\w+)/g,
        (whole, key: string) => (key in ENV ? `'${ENV[key as keyof typeof ENV]}'` : whole), // `in` has just checked it
      ),
      loader: 'ts',
    }));
  },
};

/**
 * Our own modules do nothing when imported, and neither do those of lib-dynamodb, though its package.json does not say
 * so: what a function does not use of them falls away.
 */
export const trimSideEffects: Plugin = {
  name: 'trim-side-effects',
  setup(pluginBuild) {
    pluginBuild.onResolve({ filter: /^\.|^@aws-sdk\/lib-dynamodb$/ }, async (asked) => {
      const { path: specifier, importer, resolveDir, kind, pluginData } = asked;
      const ours = importer !== '' && !importer.includes('node_modules');
      if (pluginData === trimSideEffects || !(ours || `${importer}${specifier}`.includes('lib-dynamodb')))
        return;
      const options = { importer, resolveDir, kind, pluginData: trimSideEffects };
      return { ...(await pluginBuild.resolve(specifier, options)), sideEffects: false };
    });
  },
};

/** Lambda hands its role's credentials over in the environment: no other way to find some is ever taken there. */
export const lambdaCredentials: Plugin = {
  name: 'lambda-credentials',
  setup(pluginBuild) {
    pluginBuild.onLoad({ filter: /[\\/]credential-provider-node[\\/]dist-es[\\/]index\.js$/ }, () => ({
      contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
      resolveDir: ROOT,
    }));
  },
};

/** The SDK loads this for operations that stream events, of which we call none. */
export const noEventStreams: Plugin = {
  name: 'no-event-streams',
  setup(pluginBuild) {
    pluginBuild.onLoad(
      { filter: /@smithy[\\/]core[\\/]dist-es[\\/]submodules[\\/]event-streams[\\/]index\.js$/ },
      () => ({
        contents: "throw new Error('Operations with event streams are left out of the bundles.');",
      }),
    );
  },
};

/** The MCP SDK's JSON Schema validator, a third of its size, which functions/mcp does without. */
export const noSchemaValidator: Plugin = {
  name: 'no-schema-validator',
  setup(pluginBuild) {
    pluginBuild.onLoad({ filter: /@modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/ }, () => ({
      contents:
        "export class DefaultJsonSchemaValidator { getValidator() { throw new Error('Left out of the bundles.'); } }",
    }));
  },
};
