import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DELIVERY, stepgate, temporaryFiles } from './files.ts';

const file = temporaryFiles();
const folder = fileURLToPath(new URL('../../workflows', import.meta.url));
const builtIn = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

describe('stepgate test', () => {
  it('prints the coverage table and the totals', async () => {
    const { code, out } = stepgate('test', await file('delivery.yaml', DELIVERY));
    expect(code).toBe(0);
    expect(out).toMatch(/step +on +to +taken +blocked +refused/);
    expect(out).toMatch(/✓ +testing +PASS +done +\d+ +\d+ +\d+/);
    expect(out).toContain('5 of 5 transitions taken, 0 skipped, 0 cases failed.');
  });

  it('gives every case as JSON', async () => {
    const { code, out } = stepgate('test', await file('delivery.yaml', DELIVERY), '--json');
    const report: unknown = JSON.parse(out);
    expect(code).toBe(0);
    expect(report).toMatchObject({ ok: true, workflow: 'delivery', failures: [] });
    expect(report).toHaveProperty('cases.0.id', 'delivery-todo-CLAIM_TASK-developer-none');
  });

  it('lists what was skipped, and keeps to --max', async () => {
    const text = 'params: {n: {type: integer, min: 1, max: 9}}\nsteps: [{id: a, agent: w}]';
    const { code, out } = stepgate('test', await file('many.yaml', text), '--max', '4');
    expect(code).toBe(0);
    expect(out).toContain('5 of 9 parameter combinations: the limit is 4');
    expect(out).toContain('4 parameter combinations');
  });

  it('fails on a transition that is never taken', async () => {
    const text = `
steps:
  - {id: a, agent: w, evidence: {n: {type: integer, min: 5, max: 4}}, transitions: [{on: ok, to: b}, {on: SKIP_IT, to: b, completes: true}]}
  - {id: b, agent: w}
`;
    const { code, out } = stepgate('test', await file('stuck.yaml', text));
    expect(code).toBe(1);
    expect(out).toMatch(/✗ a —ok→ b: tried, but never taken \(\d+ blocked, \d+ refused\)/);
    expect(out).toContain('✗ b —ok→ end: its step was never entered');
  });

  it.each(builtIn)('walks the built-in %s to the end', async (name) => {
    const { code, out } = stepgate('test', `${folder}/${name}`, '--max', '20');
    expect(out).not.toContain('Failed cases');
    expect(code).toBe(0);
  });
});
