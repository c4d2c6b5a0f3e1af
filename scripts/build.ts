// npm run build: every function into dist/functions/<group>-<name>, ready to be deployed, and a table of their sizes.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { FUNCTIONS } from '../infra/functions/catalogue.ts';
import { bundleFunctions } from './bundle.ts';
import { ROOT } from './bundle-plugins.ts';

const dist = path.join(ROOT, 'dist');
rmSync(dist, { recursive: true, force: true });
const bundles = await bundleFunctions(FUNCTIONS, dist);

const width = Math.max(...bundles.map(({ name }) => name.length));
console.log(`${'function'.padEnd(width)}      KB`);
for (const { name, bytes } of bundles)
  console.log(`${name.padEnd(width)}  ${(bytes / 1000).toFixed(1).padStart(6)}`);
