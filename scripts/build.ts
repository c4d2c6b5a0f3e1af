// npm run build: every function into dist/functions/<group>-<name>, ready to be deployed, the construct as plain
// JavaScript with types into dist/construct, and a table of the functions' sizes.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { FUNCTIONS } from '../infra/functions/catalogue.ts';
import { bundleFunctions } from './bundle.ts';
import { ROOT } from './bundle-plugins.ts';
import { compileConstruct } from './compile-construct.ts';

const dist = path.join(ROOT, 'dist');
for (const made of ['functions', 'source-maps', 'construct'])
  rmSync(path.join(dist, made), { recursive: true, force: true });
const [bundles] = await Promise.all([bundleFunctions(FUNCTIONS, dist), compileConstruct(dist)]);

const width = Math.max(...bundles.map(({ name }) => name.length));
console.log(`${'function'.padEnd(width)}      KB`);
for (const { name, bytes } of bundles)
  console.log(`${name.padEnd(width)}  ${(bytes / 1000).toFixed(1).padStart(6)}`);
