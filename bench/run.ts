// npm run bench [section …]: one table, and the same numbers as JSON in bench/out (not kept in git).
// What it does not measure: AWS itself. Ratios are taken within one run; absolute numbers are this machine's.
import { bundles } from './bundles.ts';
import { cost } from './cost.ts';
import { engine } from './engine.ts';
import { handlers } from './handlers.ts';
import { push } from './push.ts';
import { print, type Row, save } from './rows.ts';
import { scale } from './scale.ts';
import { server } from './server.ts';
import { type BenchStore, benchStore } from './store.ts';

const SECTIONS: Readonly<Record<string, (store: BenchStore) => Row[] | Promise<Row[]>>> = {
  engine,
  handlers,
  server,
  push,
  scale,
  bundles,
  cost,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(', ')}; there are: ${Object.keys(SECTIONS).join(', ')}.`);
  process.exit(2);
}

const sections: Record<string, Row[]> = {};
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const store = await benchStore();
  try {
    const rows = await measure(store);
    sections[name] = rows;
    print(name, rows);
  } finally {
    await store.stop();
  }
}
console.log(`\nwritten to ${save(sections)}`);
