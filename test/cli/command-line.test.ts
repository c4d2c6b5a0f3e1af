import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { STRAIGHT, stepgate, temporaryFiles } from './files.ts';

const file = temporaryFiles();

describe('the command line', () => {
  it('shows its version', async () => {
    expect(stepgate('--version')).toEqual({ code: 0, out: packageJson.version, err: '' });
  });

  it('lists its commands on --help, and on stderr when there are no arguments', async () => {
    const help = stepgate('--help');
    expect(help.code).toBe(0);
    for (const word of ['validate FILE', 'test FILE', 'graph FILE', '--version'])
      expect(help.out).toContain(word);
    const nothing = stepgate();
    expect(nothing).toEqual({ code: 2, out: '', err: help.out });
  });

  it.each([
    ['validate', '--help'],
    ['validate', '-h'],
    ['help', 'validate'],
  ])('helps with %s %s', async (...args) => {
    const { code, out } = stepgate(...args);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: stepgate validate FILE/);
    expect(out).toContain('--json');
  });

  it.each([
    [['validat', 'x.yaml'], 'stepgate has no command "validat" (did you mean "validate"?).'],
    [['constructor'], 'stepgate has no command "constructor"'],
    [['--versoin'], 'stepgate has no option --versoin (did you mean "--version"?).'],
    [['test', 'x.yaml', '--jsn'], '"stepgate test" has no option --jsn (did you mean "--json"?).'],
    [['validate'], '"stepgate validate" needs a file. Usage: stepgate validate FILE'],
    [['graph', 'a.yaml', 'b.yaml'], '"stepgate graph" takes one file, not 2.'],
    [['test', 'x.yaml', '--max'], '--max needs a value'],
    [['test', 'x.yaml', '--json=yes'], '--json takes no value.'],
  ])('refuses %j with a sentence', async (args, sentence) => {
    const { code, out, err } = stepgate(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
  });

  it.each(['0', '-3', '1.5', 'many'])('refuses --max=%s', async (max) => {
    const { code, err } = stepgate('test', await file('s.yaml', STRAIGHT), `--max=${max}`);
    expect(code).toBe(2);
    expect(err).toContain(`not "${max}"`);
  });

  it.each(['test', 'graph'])('%s says which file is missing', async (command) => {
    const { code, err } = stepgate(command, '/nowhere/missing.yaml');
    expect(code).toBe(1);
    expect(err).toContain('/nowhere/missing.yaml');
    expect(err).not.toContain('    at ');
  });
});
