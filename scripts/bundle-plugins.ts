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

/** This package only declares classes, without saying so in its package.json; said here, unused commands fall away. */
export const trimSideEffects: Plugin = {
  name: 'trim-side-effects',
  setup(pluginBuild) {
    pluginBuild.onResolve({ filter: /^\.|^@aws-sdk\/lib-dynamodb$/ }, async (asked) => {
      const { path: specifier, importer, resolveDir, kind, pluginData } = asked;
      if (pluginData === trimSideEffects || !`${importer}${specifier}`.includes('lib-dynamodb')) return;
      const resolved = await pluginBuild.resolve(specifier, {
        importer,
        resolveDir,
        kind,
        pluginData: trimSideEffects,
      });
      return { ...resolved, sideEffects: false };
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
