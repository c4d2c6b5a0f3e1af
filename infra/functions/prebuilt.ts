// The handlers as `npm run build` left them. Nothing is bundled while somebody's app is synthesized.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AssetCode, Code } from 'aws-cdk-lib/aws-lambda';
import type { FunctionName } from './catalogue.ts';

/** Where a function finds the built-in definitions that the build put beside it. */
export const DEFINITIONS_FILE = '/var/task/definitions.json';

export function prebuilt(dist: string | undefined, name: FunctionName): AssetCode {
  const folder = path.join(dist ?? path.join(packageRoot(), 'dist'), 'functions', name);
  if (!existsSync(path.join(folder, 'index.mjs')))
    throw new Error(`The function ${name} is not built: there is no ${folder}/index.mjs; run npm run build.`);
  return Code.fromAsset(folder);
}

/** This file may be in infra/ or inside the built construct: both lie in the package. */
function packageRoot(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    const manifest = path.join(folder, 'package.json');
    if (existsSync(manifest) && /"name":\s*"stepgate"/.test(readFileSync(manifest, 'utf8'))) return folder;
    if (folder === path.dirname(folder)) throw new Error('This file is not inside the package stepgate.');
  }
}
