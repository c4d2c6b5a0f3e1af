import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AVOIDS_A_REQUIRED_STEP, STRAIGHT, stepgate, temporaryFiles } from './files.ts';

const file = temporaryFiles();
const root = fileURLToPath(new URL('../..', import.meta.url));
const builtIn = readdirSync(`${root}/workflows`).filter((name) => name.endsWith('.yaml'));

describe('stepgate validate', () => {
  it('names a definition that proves', async () => {
    const { code, out } = stepgate('validate', await file('straight.yaml', STRAIGHT));
    expect(code).toBe(0);
    expect(out).toMatch(/^✓ straight \(2 steps, version [0-9a-f]{12}\)\n1 definition: all prove\.$/);
  });

  it('tells check, step, message, fix and counterexample of one that does not', async () => {
    const leaky = await file('leaky.yaml', AVOIDS_A_REQUIRED_STEP);
    const { code, out } = stepgate('validate', await file('straight.yaml', STRAIGHT), leaky);
    expect(code).toBe(1);
    expect(out).toContain('✓ straight');
    expect(out).toContain(`✗ ${leaky}`);
    expect(out).toMatch(/check 7, step "review": .*\n {4}fix: .+\n {4}path: draft → publish → end/);
    expect(out).toContain('2 definitions: 1 prove, 1 do not.');
  });

  it('says which checks are still to come where a target does not exist', async () => {
    const astray = await file('astray.yaml', 'id: astray\nsteps:\n  - { id: a, next: nowhere }\n');
    expect(stepgate('validate', astray).out).toContain('Checks 3, 4, 6, 7, 8 are made once this is mended.');
  });

  it('gives the same as JSON, a file that cannot be read among them', async () => {
    const leaky = await file('leaky.yaml', AVOIDS_A_REQUIRED_STEP);
    const { code, out } = stepgate(
      'validate',
      '--json',
      await file('straight.yaml', STRAIGHT),
      leaky,
      '/nowhere/x.yaml',
    );
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      files: [
        { ok: true, workflow: { id: 'straight', steps: 2 }, problems: [] },
        {
          file: leaky,
          ok: false,
          problems: [{ check: 7, step: 'review', path: ['draft', 'publish', 'end'] }],
        },
        {
          file: '/nowhere/x.yaml',
          ok: false,
          problems: [{ message: expect.stringContaining('/nowhere/x.yaml') }],
        },
      ],
    });
  });

  it.each([
    ['broken YAML', 'id: [unclosed'],
    ['a list', '- a\n- b'],
    ['nothing', ''],
  ])('takes %s for a definition that does not prove', async (_, text) => {
    const { code, out } = stepgate('validate', await file('odd.yaml', text));
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ .*odd\.yaml\n {2}\S/);
  });

  it.each(builtIn)('proves the built-in %s', async (name) => {
    expect(stepgate('validate', `${root}/workflows/${name}`)).toMatchObject({ code: 0 });
  });

  it('runs from a shell, with its exit code', async () => {
    const shell = promisify(execFile);
    const good = builtIn[0] ? `workflows/${builtIn[0]}` : await file('straight.yaml', STRAIGHT);
    const { stdout } = await shell(process.execPath, ['cli/bin.js', 'validate', good], { cwd: root });
    expect(stdout).toMatch(/^✓ /);
    const bad = await file('leaky.yaml', AVOIDS_A_REQUIRED_STEP);
    const failed = shell(process.execPath, ['cli/bin.js', 'validate', bad], { cwd: root });
    await expect(failed).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('✗') });
  });
});
